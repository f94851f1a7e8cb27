/*
 * A backtracking matcher that counts its steps, for what regular expressions of rules may hold. It tries things in the
 * order in which engines do, so that what is slow there takes many steps here, whatever the machine.
 */

type Next = (at: number) => boolean;
type Matcher = (at: number, next: Next) => boolean;

export class CountingMatcher {
  steps = 0;
  private text = '';
  private readonly whole: Matcher;
  private readonly anchored: boolean;
  private readonly ignoreCase: boolean;
  private readonly source: string;
  private at = 0;

  constructor({ source, flags }: RegExp) {
    this.source = source;
    this.ignoreCase = flags.includes('i');
    this.whole = this.alternatives();
    if (this.at < source.length) throw new Error(`${source} is not understood from ${this.at} on`);
    // Engines give up at the first place where nothing else can begin.
    this.anchored = source.startsWith('^') && !/\|(?!\^)/.test(withoutGroups(source));
  }

  test(text: string): boolean {
    this.text = text;
    this.steps = 0;
    for (let start = 0; start <= text.length; start++) {
      if (this.whole(start, () => true)) return true;
      if (this.anchored) return false;
    }
    return false;
  }

  private peek(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  private take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  private alternatives(): Matcher {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options.length === 1 ? (options[0] as Matcher) : (at, next) => options.some((option) => option(at, next));
  }

  private sequence(): Matcher {
    const parts: Matcher[] = [];
    while (this.at < this.source.length && !this.peek('|') && !this.peek(')')) parts.push(this.quantified());
    return (at, next) => {
      const from = (i: number, place: number): boolean => {
        const part = parts[i];
        return part === undefined ? next(place) : part(place, (then) => from(i + 1, then));
      };
      return from(0, at);
    };
  }

  private quantified(): Matcher {
    const atom = this.atom();
    const m = /^(?:([*+?])|\{(\d+)(,(\d*))?\})(\?)?/.exec(this.source.slice(this.at));
    if (!m) return atom;
    this.at += m[0].length;
    const least = m[1] === '+' ? 1 : Number(m[2] ?? 0);
    const most = m[1] === '?' ? 1 : m[1] !== undefined || m[4] === '' ? Number.POSITIVE_INFINITY : Number(m[3] === undefined ? m[2] : m[4]);
    const lazy = m[5] !== undefined;
    return (at, next) => {
      const repeat = (n: number, place: number): boolean => {
        const more = (): boolean => n < most && atom(place, (then) => (then === place && n >= least ? false : repeat(n + 1, then)));
        if (n < least) return more();
        return lazy ? next(place) || more() : more() || next(place);
      };
      return repeat(0, at);
    };
  }

  private atom(): Matcher {
    if (this.take('(')) return this.group();
    if (this.take('^')) return (at, next) => at === 0 && next(at);
    if (this.take('$')) return (at, next) => at === this.text.length && next(at);
    if (this.take('\\b')) return (at, next) => this.isWord(at - 1) !== this.isWord(at) && next(at);
    const fits = this.character();
    return (at, next) => {
      this.steps++;
      return at < this.text.length && fits(this.text[at] as string) && next(at + 1);
    };
  }

  private isWord(at: number): boolean {
    this.steps++;
    return /^\w/.test(this.text[at] ?? '');
  }

  private group(): Matcher {
    const ahead = this.take('?=') ? 'is' : this.take('?!') ? 'is not' : undefined;
    if (ahead === undefined && !this.take('?:')) {
      const named = /^\?<\w+>/.exec(this.source.slice(this.at));
      if (named) this.at += named[0].length;
      else if (this.peek('?')) throw new Error(`${this.source} has a group that is not understood`);
    }
    const inner = this.alternatives();
    if (!this.take(')')) throw new Error(`${this.source} has an open group`);
    if (ahead === undefined) return inner;
    return (at, next) => inner(at, () => true) === (ahead === 'is') && next(at);
  }

  /** One character, as the engine itself understands what stands for it. */
  private character(): (c: string) => boolean {
    const m = /^(?:\\u[0-9a-f]{4}|\\.|\[(?:\\.|[^\]\\])*\]|[^])/i.exec(this.source.slice(this.at)) as RegExpExecArray;
    this.at += m[0].length;
    const one = new RegExp(`^${m[0]}$`, this.ignoreCase ? 'i' : '');
    const known = new Map<string, boolean>();
    return (c) => {
      let fits = known.get(c);
      if (fits === undefined) known.set(c, (fits = one.test(c)));
      return fits;
    };
  }
}

/** A source with every group blanked, so that its own alternatives show. */
function withoutGroups(source: string): string {
  let text = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, '_');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replaceAll(/\([^()]*\)/g, '_');
  }
  return text;
}

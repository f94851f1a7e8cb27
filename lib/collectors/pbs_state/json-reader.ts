import type { Json } from '../../model/json.ts';

/**
 * What was put right in a text that PBS wrote as JSON. Each is a defect of some version of PBS that is known in public:
 * `text_before`: a plain listing before the document (openpbs#2675); `bare_quote`: a quotation mark that nothing escapes,
 * in a node's comment (openpbs#830); `bad_escape`: a backslash before a character that JSON does not escape (openpbs#2049,
 * #2541); `raw_control`: a line break or control character inside a text (#2541); `bare_number`: what C's strtod() takes
 * for a number and JSON does not, such as 005, .5, 0x1f, nan (#1255, #2603), kept as its text; `long_number`: a whole
 * number that no double holds, kept as its digits; `duplicate_key`: a key given again (#2677), the last value kept;
 * `not_utf8`: bytes of another encoding, shown as U+FFFD.
 */
export const REPAIR_KINDS = [
  'text_before',
  'bare_quote',
  'bad_escape',
  'raw_control',
  'bare_number',
  'long_number',
  'duplicate_key',
  'not_utf8',
] as const;
export type RepairKind = (typeof REPAIR_KINDS)[number];

/** What cannot be read even so, and where it shows. No Error: in a ruined document there are millions, and none needs a stack. */
export class Unreadable {
  readonly message: string;
  readonly offset: number;
  constructor(message: string, offset: number) {
    this.message = message;
    this.offset = offset;
  }
}

/** PBS nests four deep; values that are JSON themselves (a job's variable) some more. */
const MAX_DEPTH = 32;

// Every pattern is one class under one star, or anchored without overlap: none can backtrack.
const SPACE = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const TOKEN = /[^\s,:{}[\]"]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WHOLE = /^-?\d{16,}$/;
const HEX4 = /^[\da-fA-F]{4}$/;
const STRTOD = /^[+-]?(?:0[xX][\da-fA-F]*(?:\.[\da-fA-F]*)?(?:[pP][+-]?\d+)?|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)$/i;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A text in the making. Joined now and then: a chain of millions of short pieces would outgrow the text itself. */
class TextParts {
  private done = '';
  private parts: string[] = [];

  add(part: string): void {
    this.parts.push(part);
    if (this.parts.length >= 4096) {
      this.done += this.parts.join('');
      this.parts = [];
    }
  }

  text(): string {
    return this.done + this.parts.join('');
  }
}

/** What stands around a text, and so decides which quotation mark may end it. */
type Around = 'key' | 'member' | 'element' | 'root';

/**
 * Reads JSON values from a text, putting right what {@link REPAIR_KINDS} lists. On valid JSON it gives what JSON.parse
 * gives, but for whole numbers that no double holds. Work is linear in the text: what looks ahead stops at the third
 * quotation mark from where it stands.
 */
export class JsonReader {
  readonly text: string;
  at = 0;
  /** How many objects and arrays are open around {@link at}. */
  depth = 0;
  /** Called with each key in an object, before its value is read; may throw {@link Unreadable}. */
  onKey: ((key: string, offset: number) => void) | null = null;
  private readonly onRepair: (kind: RepairKind, offset: number) => void;

  constructor(text: string, onRepair: (kind: RepairKind, offset: number) => void) {
    this.text = text;
    this.onRepair = onRepair;
  }

  /** Where the next character after white space stands, from `from` on. */
  skip(from: number): number {
    SPACE.lastIndex = from;
    SPACE.test(this.text);
    return SPACE.lastIndex;
  }

  /** The character at the next place that is no white space, and moves there; empty at the end. */
  next(): string {
    this.at = this.skip(this.at);
    return this.text.charAt(this.at);
  }

  /** Takes one mark. @throws Unreadable */
  take(mark: string): void {
    if (this.next() !== mark) throw new Unreadable(`expected ${mark}`, this.at);
    this.at++;
  }

  /** @throws Unreadable */
  key(): string {
    if (this.next() !== '"') throw new Unreadable('expected a key', this.at);
    const key = this.string('key');
    this.take(':');
    return key;
  }

  /** One value. @throws Unreadable */
  value(around: Exclude<Around, 'key'>): Json {
    const c = this.next();
    if (c === '{') return this.nested(() => this.object());
    if (c === '[') return this.nested(() => this.array());
    if (c === '"') return this.string(around);
    return this.scalar();
  }

  private nested<T>(read: () => T): T {
    if (this.depth >= MAX_DEPTH) throw new Unreadable('nested too deep', this.at);
    this.depth++;
    try {
      return read();
    } finally {
      this.depth--;
    }
  }

  private object(): Json {
    const object: { [key: string]: Json } = {};
    this.at++;
    if (this.next() === '}') {
      this.at++;
      return object;
    }
    for (;;) {
      const start = this.skip(this.at);
      const key = this.key();
      this.onKey?.(key, start);
      this.put(object, key, this.value('member'), start);
      if (this.next() === '}') break;
      this.take(',');
    }
    this.at++;
    return object;
  }

  /** Sets a member as JSON.parse does: the last one counts, and `__proto__` is a name like any other. */
  put(object: { [key: string]: Json }, key: string, value: Json, offset: number): void {
    if (Object.hasOwn(object, key)) this.onRepair('duplicate_key', offset);
    if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    else object[key] = value;
  }

  private array(): Json {
    const array: Json[] = [];
    this.at++;
    if (this.next() === ']') {
      this.at++;
      return array;
    }
    for (;;) {
      array.push(this.value('element'));
      if (this.next() === ']') break;
      this.take(',');
    }
    this.at++;
    return array;
  }

  private scalar(): Json {
    TOKEN.lastIndex = this.at;
    const token = TOKEN.exec(this.text)?.[0];
    if (token === undefined) throw new Unreadable(this.at >= this.text.length ? 'ends in the middle' : 'expected a value', this.at);
    const start = this.at;
    // Longer numbers than any program prints would overflow the matcher's stack.
    if (token.length > 400) throw new Unreadable('expected a value', start);
    this.at += token.length;
    if (token === 'true') return true;
    if (token === 'false') return false;
    if (token === 'null') return null;
    if (WHOLE.test(token) && !Number.isSafeInteger(Number(token))) {
      this.onRepair('long_number', start);
      return token;
    }
    if (NUMBER.test(token)) return Number(token);
    if (!STRTOD.test(token)) throw new Unreadable('expected a value', start);
    this.onRepair('bare_number', start);
    return token;
  }

  private string(around: Around): string {
    const { text } = this;
    const open = this.at;
    const value = new TextParts();
    // What needs no change is cut out in one piece, from here on.
    let from = open + 1;
    let i = from;
    for (;;) {
      PLAIN.lastIndex = i;
      PLAIN.test(text);
      i = PLAIN.lastIndex;
      const c = text.charAt(i);
      if (c === '') throw new Unreadable('a text without end', open);
      if (c === '"') {
        if (this.closes(i, around)) break;
        // Where the next key would open, the text's own end is missing: what follows is not its content.
        if (this.opensKey(i)) throw new Unreadable('a text without end', open);
        this.onRepair('bare_quote', i);
        i++;
      } else if (c === '\\') {
        value.add(text.slice(from, i));
        const escape = text.charAt(i + 1);
        const hex = escape === 'u' ? text.slice(i + 2, i + 6) : '';
        if (HEX4.test(hex)) {
          value.add(String.fromCharCode(Number.parseInt(hex, 16)));
          i += 6;
        } else if (Object.hasOwn(ESCAPES, escape)) {
          value.add(ESCAPES[escape] as string);
          i += 2;
        } else {
          this.onRepair('bad_escape', i);
          i++;
        }
        from = i;
      } else {
        // A run of white space is looked at once, or long runs of line breaks would cost their square.
        const after = Math.max(this.skip(i), i + 1);
        if (this.keyAt(after) && text.slice(i, after).includes('\n')) throw new Unreadable('a text without end', open);
        this.onRepair('raw_control', i);
        i = after;
      }
    }
    value.add(text.slice(from, i));
    this.at = i + 1;
    return value.text();
  }

  /** Whether a quotation mark ends the text that it stands in: by what follows it. */
  private closes(quote: number, around: Around): boolean {
    const { text } = this;
    const after = this.skip(quote + 1);
    const c = text.charAt(after);
    if (around === 'key') return c === ':';
    if (c === '') return true;
    if (around === 'root') return false;
    if (c === ',') {
      const then = this.skip(after + 1);
      return around === 'member' ? this.keyAt(then) : !/[,:}\]]/.test(text.charAt(then));
    }
    if (c !== (around === 'member' ? '}' : ']')) return false;
    // The outermost brace may be followed by anything: what stands behind the document is no part of it.
    return this.depth <= 1 || /^[,}\]]?$/.test(text.charAt(this.skip(after + 1)));
  }

  private opensKey(quote: number): boolean {
    let before = quote - 1;
    while (before > 0 && ' \t\n\r'.includes(this.text.charAt(before))) before--;
    return /[{,]/.test(this.text.charAt(before)) && this.keyAt(quote);
  }

  /** Whether a key and its colon stand at a place. */
  keyAt(at: number): boolean {
    return this.afterKey(at) !== undefined;
  }

  /** Where the value of the key begins that stands at a place; undefined where there is no key. */
  afterKey(at: number): number | undefined {
    const { text } = this;
    if (text.charAt(at) !== '"') return undefined;
    let i = at + 1;
    for (;;) {
      PLAIN.lastIndex = i;
      PLAIN.test(text);
      i = PLAIN.lastIndex;
      const c = text.charAt(i);
      if (c === '\\') i += 2;
      else if (c !== '"') return undefined;
      else {
        const colon = this.skip(i + 1);
        return text.charAt(colon) === ':' ? this.skip(colon + 1) : undefined;
      }
    }
  }
}

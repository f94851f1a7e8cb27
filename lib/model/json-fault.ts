/** The first character of a text that cannot stand where it does in JSON; the text's length where the text only ends early. */
interface Fault {
  offset: number;
  reason: 'empty' | 'ends in the middle of a value' | 'unexpected text';
}

/** Finds what is wrong with a text that is no JSON, in one pass and without recursion. */
export function findFault(text: string): Fault {
  const scanner = new Scanner(text);
  scanner.document();
  const offset = scanner.at;
  if (offset < text.length) return { offset, reason: 'unexpected text' };
  return { offset, reason: text.trim() === '' ? 'empty' : 'ends in the middle of a value' };
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

/** Each method reads one thing and says whether it stood there; where not, `at` is where the text goes wrong. */
class Scanner {
  at = 0;
  readonly #text: string;
  readonly #open: ('[' | '{')[] = [];
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    do this.#space();
    while (this.at < this.#text.length && this.#token(this.#text[this.at] as string));
  }

  #space(): void {
    while (' \t\n\r'.includes(this.#text[this.at] ?? '-')) this.at++;
  }

  #token(c: string): boolean {
    switch (this.#expected) {
      case 'value':
        return this.#value(c);
      case 'value or ]':
        return c === ']' ? this.#close() : this.#value(c);
      case 'key':
        return c === '"' && this.#string() && this.#then('colon');
      case 'key or }':
        if (c === '}') return this.#close();
        return c === '"' && this.#string() && this.#then('colon');
      case 'colon':
        return this.#one(':') && this.#then('value');
      default:
        return this.#next(c);
    }
  }

  #next(c: string): boolean {
    const inside = this.#open.at(-1);
    if (inside === undefined) return false;
    if (c === ',') return this.#one(c) && this.#then(inside === '{' ? 'key' : 'value');
    return c === (inside === '{' ? '}' : ']') && this.#close();
  }

  #then(expected: Expected): true {
    this.#expected = expected;
    return true;
  }

  #close(): true {
    this.#open.pop();
    this.at++;
    return this.#then('comma or end');
  }

  #value(c: string): boolean {
    if (c === '[' || c === '{') {
      this.#open.push(c);
      this.at++;
      return this.#then(c === '[' ? 'value or ]' : 'key or }');
    }
    const stands = c === '"' ? this.#string() : c === '-' || isDigit(c) ? this.#number() : this.#word(c);
    return stands && this.#then('comma or end');
  }

  #one(characters: string): boolean {
    const c = this.#text[this.at];
    if (c === undefined || !characters.includes(c)) return false;
    this.at++;
    return true;
  }

  #word(c: string): boolean {
    const word = { t: 'true', f: 'false', n: 'null' }[c];
    return word !== undefined && Array.from(word).every((letter) => this.#one(letter));
  }

  #number(): boolean {
    this.#one('-');
    if (!this.#one('0') && !this.#digits()) return false;
    if (this.#one('.') && !this.#digits()) return false;
    if (!this.#one('eE')) return true;
    this.#one('+-');
    return this.#digits();
  }

  #digits(): boolean {
    const start = this.at;
    while (isDigit(this.#text[this.at])) this.at++;
    return this.at > start;
  }

  #string(): boolean {
    this.at++;
    for (;;) {
      const code = this.#text.charCodeAt(this.at);
      // Control characters may not stand raw, and behind the end of the text there is NaN.
      if (!(code >= 0x20)) return false;
      if (code === 0x5c) {
        this.at++;
        if (this.#one('u')) {
          for (let i = 0; i < 4; i++) if (!this.#one('0123456789abcdefABCDEF')) return false;
        } else if (!this.#one('"\\/bfnrt')) return false;
      } else {
        this.at++;
        if (code === 0x22) return true;
      }
    }
  }
}

function isDigit(c: string | undefined): boolean {
  return c !== undefined && c >= '0' && c <= '9';
}

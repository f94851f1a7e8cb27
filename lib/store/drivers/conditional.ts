/** Thrown by `setItemRaw(key, value, { ifAbsent: true })` where the key is there already. */
export class KeyExists extends Error {
  override name = 'KeyExists';
  readonly key: string;
  constructor(key: string) {
    super(`${key} exists`);
    this.key = key;
  }
}

/** What a driver declares in its `options` when it honours `ifAbsent` and never shows half a value. */
export interface Conditional {
  conditional: true;
  /**
   * Tells by a small question whether the value of a key was written anew: another text after every write, null where
   * nobody can be sure yet. Where it fails, reading the value tells why.
   */
  markOf?: (key: string) => string | null;
}

/** What a caller may ask of one read. */
export interface ReadOptions {
  /** So many bytes from the beginning will do. */
  first?: number;
}

/** What a caller may ask of one write. */
export interface WriteOptions {
  /** Create the key, or throw {@link KeyExists}: of many that try at once exactly one succeeds. */
  ifAbsent?: boolean;
}

/** The pieces of a driver's key (unstorage hands on `a:b:c`). */
export function segmentsOf(key: string): string[] {
  return key.split(':').filter((segment) => segment !== '');
}

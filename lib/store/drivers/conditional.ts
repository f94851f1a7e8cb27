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

/*
 * Randomness of ours: every draw follows from a seed and from what it is drawn for, so that the same seed gives the same
 * bytes in whatever order things are made, and a further node changes nothing about the others.
 */

/** Mixes 32 bits so that each of them depends on all (the finaliser of MurmurHash3, public domain). */
function mix(bits: number): number {
  let h = bits | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 32 bits that stand for a seed and the keys of a draw. Texts of keys are told apart by all their characters. */
export function hash(seed: number, ...keys: readonly (number | string)[]): number {
  let h = mix(seed ^ 0x9e3779b9);
  for (const key of keys) {
    if (typeof key === 'number') h = mix(h ^ Math.imul(key | 0, 0x27d4eb2f) ^ Math.floor(key / 2 ** 32));
    else {
      for (let i = 0; i < key.length; i++) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193);
      h = mix(h ^ key.length);
    }
  }
  return h;
}

/** The one draw for a seed and keys, from 0 up to 1. */
export function draw(seed: number, ...keys: readonly (number | string)[]): number {
  return hash(seed, ...keys) / 2 ** 32;
}

/** A run of draws. */
export class Random {
  #state: number;

  constructor(seed: number, ...keys: readonly (number | string)[]) {
    this.#state = hash(seed, ...keys);
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }
}

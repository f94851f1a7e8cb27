/**
 * Makes something of a value, and once only of one that is frozen and so can never change: what was made is kept for as
 * long as the value is.
 */
export function onceOfFrozen<K extends object, T>(make: (value: K) => T): (value: K) => T {
  const made = new WeakMap<K, T>();
  return (value) => {
    if (!Object.isFrozen(value)) return make(value);
    const known = made.get(value);
    if (known !== undefined) return known;
    const fresh = make(value);
    made.set(value, fresh);
    return fresh;
  };
}

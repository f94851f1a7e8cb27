/**
 * What is made of the same things is made once for as long as they live. Of things that never change alone: what is the
 * same from tick to tick (the expected fleet, the list of hosts, the nodes' identities) is handed on as the same object.
 */
export function oncePer<Things extends [object, ...object[]], Made extends {}>(
  make: (...things: Things) => Made,
): (...things: Things) => Made {
  const root: Branch<Made> = { below: new WeakMap() };
  return (...things) => {
    let at = root;
    for (const thing of things) {
      let next = at.below.get(thing);
      if (!next) at.below.set(thing, (next = { below: new WeakMap() }));
      at = next;
    }
    return (at.made ??= make(...things));
  };
}

/** As {@link oncePer}, of a value that may change as long as it is not frozen: of such a one it is made each time. */
export function onceOfFrozen<Value extends object, Made extends {}>(make: (value: Value) => Made): (value: Value) => Made {
  const once = oncePer(make);
  return (value) => (Object.isFrozen(value) ? once(value) : make(value));
}

interface Branch<Made> {
  below: WeakMap<object, Branch<Made>>;
  made?: Made;
}

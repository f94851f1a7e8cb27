import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LifecycleState } from '../../lib/findings/tracked.ts';
import { Change } from '../../lib/model/change.ts';
import { conforms } from '../../lib/model/conforms.ts';
import { Json, JsonObject } from '../../lib/model/json.ts';
import { Report } from '../../lib/model/report.ts';
import { Snapshot } from '../../lib/model/snapshot.ts';
import { TickEntry } from '../../lib/report/chronicle.ts';

const Shape = z.object({
  name: z.string().min(1),
  id: z.string().regex(/^[a-f]+$/),
  count: z.number().int().nonnegative(),
  share: z.number(),
  state: z.enum(['new', 'gone']),
  schema: z.literal('x/1'),
  flag: z.boolean().optional(),
  next: z.string().nullable(),
  list: z.array(z.union([z.string(), z.number(), z.null()])),
  map: z.record(z.string(), z.number().positive()),
  any: Json,
  object: JsonObject,
});
const good = {
  name: 'n',
  id: 'abc',
  count: 0,
  share: -1.5,
  state: 'new',
  schema: 'x/1',
  flag: true,
  next: null,
  list: ['a', 1, null],
  map: { a: 1, 7: 2 },
  any: [{ deep: [null, { x: 1 }] }],
  object: { y: { z: 'text' } },
};
const { flag: _, ...withoutFlag } = good;
const { name: __, ...withoutName } = good;

describe('what a schema would give back as it is', () => {
  it('is told, with and without what may be left out', () => {
    expect(conforms(Shape, good)).toBe(true);
    expect(conforms(Shape, withoutFlag)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['an empty name', { ...good, name: '' }],
    ['a text of another pattern', { ...good, id: 'xyz' }],
    ['half a thing', { ...good, count: 0.5 }],
    ['less than none', { ...good, count: -1 }],
    ['a number that JSON cannot hold', { ...good, share: JSON.parse('1e999') as number }],
    ['another state', { ...good, state: 'old' }],
    ['another schema', { ...good, schema: 'x/2' }],
    ['a flag that is null', { ...good, flag: null }],
    ['a list that is none', { ...good, list: { 0: 'a' } }],
    ['a member of a list that is none of its kinds', { ...good, list: [true] }],
    ['a map with a nought', { ...good, map: { a: 0 } }],
    ['a list for a map', { ...good, map: [1] }],
    ['an infinite number deep inside', { ...good, any: [{ x: JSON.parse('[-1e999]') as number[] }] }],
    ['one that lacks a member', withoutName],
    ['one that lacks the last member', Object.fromEntries(Object.entries(good).slice(0, -1))],
    ['a text', 'good'],
    ['null', null],
  ])('is not %s, which the schema refuses as well', (_name, value) => {
    expect(conforms(Shape, value)).toBe(false);
    expect(Shape.safeParse(value).success).toBe(false);
  });

  it.each<[string, unknown]>([
    ['a member that the schema leaves out', { ...good, more: 1 }],
    ['members in another order', Object.fromEntries(Object.entries(good).toReversed())],
    ['`__proto__` as a member', JSON.parse(JSON.stringify(good).replace('"a":1', '"__proto__":1')) as unknown],
  ])('is not %s: the schema takes it, but makes something else of it', (_name, value) => {
    expect(conforms(Shape, value)).toBe(false);
    const parsed = Shape.safeParse(value);
    expect(parsed.success).toBe(true);
    expect(JSON.stringify(parsed.data)).not.toBe(JSON.stringify(value));
  });

  it.each<[string, z.ZodType, unknown]>([
    ['defaults', z.object({ a: z.string().default('b') }), { a: 'x' }],
    ['transforms', z.string().transform(Number), '1'],
    ['refinements', z.string().refine((text) => text === 'a'), 'a'],
    ['trimming', z.string().trim(), 'a'],
    ['coercion', z.coerce.string(), 'a'],
    ['formats', z.iso.datetime(), '2026-11-30T08:45:00Z'],
    ['a pattern that remembers where it was', z.string().regex(/a/g), 'a'],
    ['objects that refuse or keep what is unknown', z.strictObject({ a: z.string() }), { a: 'a' }],
    ['records of few keys', z.record(z.enum(['a']), z.string()), { a: 'a' }],
    ['a choice of objects', z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })]), { a: 'a', b: 'b' }],
    ['anything', z.unknown(), 1],
  ])('is left to the schema where that has %s', (_name, schema, value) => {
    expect(conforms(schema, value)).toBe(false);
    expect(conforms(z.array(schema), [value])).toBe(false);
  });

  it.each([
    ['snapshots', Snapshot],
    ['changes', Change],
    ['states of the lifecycle', LifecycleState],
    ['reports', Report],
    ['entries of the chronicle', TickEntry],
  ] as const)('is told of %s, which are read at every tick', (_name, schema) => {
    // Of a schema with any part that is not known it is never told, however empty the value.
    const empty: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(schema.shape)) empty[key] = sample(member as z.ZodType);
    expect(conforms(schema as z.ZodType, empty)).toBe(true);
  });

  it('is never told of a value that the schema would change, whatever JSON it is', () => {
    const schema = z.object({ a: z.string().min(1).optional(), b: z.record(z.string(), z.union([z.number().int(), z.null()])), c: Json });
    const member = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', '1');
    const values = fc.array(fc.tuple(member, fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ x: 1, y: null }))), { maxLength: 4 });
    fc.assert(
      fc.property(values, (members) => {
        const value: unknown = JSON.parse(`{${members.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`);
        const parsed = schema.safeParse(value);
        const isAsIs = parsed.success && JSON.stringify(parsed.data) === JSON.stringify(value);
        if (conforms(schema, value)) expect(isAsIs).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

/** Some value that a schema takes. */
function sample(schema: z.ZodType): unknown {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'array':
      return [];
    case 'record':
      return {};
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'number':
      return 1;
    case 'nullable':
      return null;
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([key, member]) =>
          (member as unknown as z.core.$ZodTypes)._zod.def.type === 'optional' ? [] : [[key, sample(member as z.ZodType)]],
        ),
      );
    default:
      return ['20261130t084500.000z', '2026-11-30T08:45:00.000Z', 'weka_state'].find((text) => schema.safeParse(text).success);
  }
}

import type * as z from 'zod';
import { Json } from './json.ts';

/** Whether a value that JSON was parsed to is, member for member and in the schema's order, what the schema makes of it. */
type Check = (value: unknown) => boolean;

/** Null: the schema has something that this module does not know. */
const checks = new WeakMap<z.core.$ZodType, Check | null>();

/**
 * Whether a schema would give this value back just as it is. Much faster than to parse by the schema, and nothing is
 * copied: for what this program itself has written, and reads back unchanged nearly always. A no means only that the
 * schema must be asked: it may take the value all the same, and it says what is wrong.
 * @param value parsed from JSON, within the depth that parseJson allows
 */
export function conforms<T>(schema: z.ZodType<T>, value: unknown): value is T {
  return checkOf(schema)?.(value) ?? false;
}

function checkOf(schema: z.core.$ZodType): Check | null {
  let check = checks.get(schema);
  if (check === undefined) checks.set(schema, (check = made(schema)));
  return check;
}

function made(schema: z.core.$ZodType): Check | null {
  if (schema === Json) return isJson;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const bounds = boundsOf(def.checks ?? []);
  if (bounds === null) return null;
  return bounds.reduce<Check | null>((all, bound) => all && ((value) => all(value) && bound(value as never)), ofType(def));
}

function ofType(def: z.core.$ZodTypes['_zod']['def']): Check | null {
  switch (def.type) {
    case 'string':
      return def.coerce || 'format' in def ? null : (value) => typeof value === 'string';
    case 'number':
      return def.coerce || 'format' in def ? null : (value) => Number.isFinite(value);
    case 'boolean':
      return def.coerce ? null : (value) => typeof value === 'boolean';
    case 'null':
      return (value) => value === null;
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'literal':
      return oneOf(def.values);
    case 'optional':
      return checkOf(def.innerType);
    case 'nullable':
      return either(checkOf(def.innerType), (value) => value === null);
    case 'union':
      // Of objects the first that fits leaves out what only the next one names.
      return def.options.every(isPlain) ? def.options.map(checkOf).reduce(either, () => false) : null;
    case 'array':
      return arrayOf(checkOf(def.element));
    case 'record':
      return isPlainText(def.keyType) ? recordOf(checkOf(def.valueType)) : null;
    case 'object':
      return def.catchall ? null : objectOf(def.shape);
    default:
      return null;
  }
}

function oneOf(values: readonly unknown[]): Check {
  const known = new Set(values);
  return (value) => known.has(value);
}

function either(a: Check | null, b: Check | null): Check | null {
  return a && b && ((value) => a(value) || b(value));
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'null', 'enum', 'literal']);

function isPlain(schema: z.core.$ZodType): boolean {
  return PLAIN.has(schema._zod.def.type);
}

function arrayOf(member: Check | null): Check | null {
  if (member === null) return null;
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (let i = 0; i < value.length; i++) if (!member(value[i])) return false;
    return true;
  };
}

function isPlainText(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'string' && !def.coerce && !('format' in def) && (def.checks ?? []).length === 0;
}

function recordOf(member: Check | null): Check | null {
  if (member === null) return null;
  return (value) => {
    if (!isRecord(value)) return false;
    for (const key in value) if (key === '__proto__' || !member(value[key])) return false;
    return true;
  };
}

interface Member {
  key: string;
  check: Check;
  isOptional: boolean;
}

/** Members in the order of the shape, none that it does not name. */
function objectOf(shape: z.core.$ZodShape): Check | null {
  const members: Member[] = [];
  for (const [key, schema] of Object.entries(shape)) {
    const check = checkOf(schema);
    if (check === null) return null;
    members.push({ key, check, isOptional: (schema as z.core.$ZodTypes)._zod.def.type === 'optional' });
  }
  return (value) => {
    if (!isRecord(value)) return false;
    let at = 0;
    for (const key in value) {
      while (members[at]?.key !== key) if (members[at++]?.isOptional !== true) return false;
      if (!(members[at++] as Member).check(value[key])) return false;
    }
    while (at < members.length) if (members[at++]?.isOptional !== true) return false;
    return true;
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isJson);
  const members = value as Record<string, unknown>;
  for (const key in members) if (key === '__proto__' || !isJson(members[key])) return false;
  return true;
}

/** What checks of a schema ask beside its type; null where one is not known. */
function boundsOf(all: readonly z.core.$ZodCheck[]): ((value: never) => boolean)[] | null {
  const bounds: ((value: never) => boolean)[] = [];
  for (const check of all) {
    const bound = boundOf((check as z.core.$ZodChecks)._zod.def);
    if (bound === null) return null;
    bounds.push(bound);
  }
  return bounds;
}

function boundOf(def: z.core.$ZodChecks['_zod']['def']): ((value: never) => boolean) | null {
  switch (def.check) {
    case 'number_format':
      return def.format === 'safeint' ? (value: number) => Number.isSafeInteger(value) : null;
    case 'greater_than': {
      const { value: least, inclusive } = def;
      return (value: number) => (inclusive ? value >= (least as number) : value > (least as number));
    }
    case 'min_length':
      return ({ length }: string | unknown[]) => length >= def.minimum;
    case 'string_format': {
      const { pattern } = def;
      if (def.format !== 'regex' || !pattern || pattern.global || pattern.sticky) return null;
      return (value: string) => pattern.test(value);
    }
    default:
      return null;
  }
}

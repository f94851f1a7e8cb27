import * as z from 'zod';
import { ReadError } from '../../model/collector.ts';
import { type Get, type ReadSecret, secret, tokenOf } from '../http.ts';
import { BadSchema } from './clean-schema.ts';
import type { Lookup } from './schemas.ts';

const Reference = z.object({ name: z.string(), subject: z.string(), version: z.int() });
const Registered = z.object({
  schema: z.string(),
  schemaType: z.string().nullish(),
  references: z.array(Reference).nullish(),
});
type Registered = z.infer<typeof Registered>;

/** Schemas that one schema may refer to, and those again. */
const MAX_REFERENCES = 64;

export interface RegistryOptions {
  get: Get;
  readSecret: ReadSecret;
  token_file?: string | undefined;
  ca_file?: string | undefined;
  maxBytes: number;
}

/** One answer may take so long, ms. */
const TIMEOUT = 30_000;

/**
 * Looks schemas up in a registry of Confluent's interface, with GET alone: `/schemas/ids/{id}`, and what that refers to
 * at `/subjects/{subject}/versions/{version}` (docs.confluent.io, Schema Registry API Reference).
 * @throws ReadError where the token or the authorities cannot be read
 */
export function registryOf(url: string, { get, readSecret, token_file, ca_file, maxBytes }: RegistryOptions): Lookup {
  const base = new URL(url.endsWith('/') ? url : `${url}/`);
  const headers: Record<string, string> = { accept: 'application/vnd.schemaregistry.v1+json, application/json' };
  if (token_file !== undefined) headers['authorization'] = `Bearer ${tokenOf(readSecret, token_file)}`;
  const ca = ca_file === undefined ? {} : { ca: secret(readSecret, ca_file) };

  const fetch = async (path: string): Promise<Registered | undefined> => {
    const place = new URL(path, base);
    const { status, body } = await get({ url: place, headers, maxBytes, timeout: TIMEOUT, ...ca });
    if (status === 404) return undefined;
    if (status !== 200) {
      const meaning = status === 401 || status === 403 ? ': the credential has expired or may not read this' : '';
      throw new ReadError('unreadable', place.href, `answers ${status}${meaning}`);
    }
    const parsed = Registered.safeParse(parse(body));
    if (!parsed.success) throw new BadSchema('is answered with something else than a schema');
    const { schemaType } = parsed.data;
    if (schemaType && schemaType !== 'AVRO') throw new BadSchema(`is ${schemaType}, which is not read`);
    return parsed.data;
  };

  return async (id) => {
    const found = await fetch(`schemas/ids/${id}`);
    if (found === undefined) return undefined;
    const references: string[] = [];
    const visited = new Set<string>();
    const gather = async (of: Registered): Promise<void> => {
      for (const { subject, version } of of.references ?? []) {
        const path = `subjects/${encodeURIComponent(subject)}/versions/${version}`;
        if (visited.has(path)) continue;
        if (visited.size >= MAX_REFERENCES) throw new BadSchema(`refers to more than ${MAX_REFERENCES} others`);
        visited.add(path);
        const referred = await fetch(path);
        if (referred === undefined) throw new BadSchema('refers to a schema that is not there');
        await gather(referred);
        references.push(referred.schema);
      }
    };
    await gather(found);
    return { text: found.schema, references };
  };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

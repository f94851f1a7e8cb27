import * as z from 'zod';
import { bytesOf, type DecodeBody, ReadError, type Schemas } from '../../model/collector.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { oneLine } from '../../model/text.ts';
import type { Location } from '../../config.ts';
import { readFiles } from '../files.ts';
import type { Get, ReadSecret } from '../http.ts';
import type { SchemaReader } from '../reader.ts';
import { BadSchema } from './clean-schema.ts';
import type { Compile } from './codec.ts';
import { registryOf } from './registry.ts';

const MAX_BYTES = 1024 * 1024;
/** Schemas are a few dozen; what names ever new ones is not followed. */
const MAX_SCHEMAS = 1000;
const MAX_TOLD = 20;

/** A schema's text, and the texts that it refers to, each before those that use it. */
export interface SchemaText {
  text: string;
  references: string[];
}

/** Where schemas come from beside files. Undefined: there is none of that id. @throws ReadError, BadSchema */
export type Lookup = (id: number) => Promise<SchemaText | undefined>;

/**
 * Reads the schemas of Avro messages: files first, and the registry for ids that have none. A file is named by its id
 * (`42.avsc`, `42-crayex.json`) or is a registry's answer, which holds it. Schemas are compiled when the first message
 * needs them. What is wrong with one is told once, and costs the messages of that one.
 */
export function schemaReader(get: Get, readSecret: ReadSecret): SchemaReader {
  return async ({ avro = {} }, tell) => {
    let compile: Compile;
    try {
      compile = await (await import('./codec.ts')).loadCodec();
    } catch {
      tell({ effect: 'input', message: 'avro is configured, and the package avsc that reads it is not installed' });
      return { decoder: () => undefined };
    }
    const texts = await textsOf(avro.schemas ?? [], tell);
    return new SchemaCache(compile, texts, lookupOf(avro, get, readSecret, tell), tell);
  };
}

function lookupOf(
  avro: NonNullable<Location['avro']>,
  get: Get,
  readSecret: ReadSecret,
  tell: (problem: CoverageProblem) => void,
): Lookup | undefined {
  if (avro.registry === undefined) return undefined;
  try {
    return registryOf(avro.registry, { get, readSecret, maxBytes: MAX_BYTES, ...avro });
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    tell({ effect: 'input', input: error.input, message: error.message });
    return undefined;
  }
}

const Answer = z.object({ id: z.int().exactOptional(), schema: z.string() });

/** The schemas in files, by id. */
async function textsOf(paths: readonly string[], tell: (problem: CoverageProblem) => void): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  if (paths.length === 0) return texts;
  const opened = readFiles({
    location: { path: [...paths], roles: {}, max_input: MAX_BYTES } as unknown as Location,
    plan: { shape: 'documents' },
    now: 0,
    options: {},
  });
  for (const problem of opened.problems) tell(problem);
  for (const input of opened.inputs) {
    const text = new TextDecoder().decode(await bytesOf(input));
    const answer = answerIn(text);
    const named = /^\d{1,10}(?![0-9a-zA-Z])/.exec(input.name)?.[0];
    const id = named === undefined ? answer?.id : Number(named);
    if (id === undefined) tell({ effect: 'input', input: input.name, message: 'is a schema without its id: name it by that, as 42.avsc' });
    else texts.set(id, answer?.schema ?? text);
  }
  return texts;
}

function answerIn(text: string): z.infer<typeof Answer> | undefined {
  try {
    const parsed = Answer.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

class SchemaCache implements Schemas {
  readonly #compile: Compile;
  readonly #texts: ReadonlyMap<number, string>;
  readonly #tell: (problem: CoverageProblem) => void;
  readonly #decoders = new Map<number, DecodeBody | undefined | Promise<DecodeBody | undefined>>();
  #lookup: Lookup | undefined;
  #told = 0;

  constructor(compile: Compile, texts: ReadonlyMap<number, string>, lookup: Lookup | undefined, tell: (problem: CoverageProblem) => void) {
    this.#compile = compile;
    this.#texts = texts;
    this.#lookup = lookup;
    this.#tell = tell;
  }

  decoder(id: number): DecodeBody | undefined | Promise<DecodeBody | undefined> {
    const known = this.#decoders.get(id);
    if (known !== undefined || this.#decoders.has(id)) return known;
    if (this.#decoders.size >= MAX_SCHEMAS) return undefined;
    const text = this.#texts.get(id);
    const found = text === undefined ? this.#ask(id) : this.#made(id, { text, references: [] });
    this.#decoders.set(id, found);
    return found;
  }

  #made(id: number, { text, references }: SchemaText): DecodeBody | undefined {
    try {
      return this.#compile(text, references);
    } catch (error) {
      this.#problem(`schema ${id}`, error);
      return undefined;
    }
  }

  #ask(id: number): Promise<DecodeBody | undefined> | undefined {
    const lookup = this.#lookup;
    if (lookup === undefined || id < 0) return undefined;
    const asked = lookup(id)
      .then((found) => found && this.#made(id, found))
      .catch((error: unknown) => {
        // A registry that does not answer is not asked for every other schema too.
        if (error instanceof ReadError) this.#lookup = undefined;
        this.#problem(`schema ${id}`, error);
        return undefined;
      })
      .then((decode) => {
        this.#decoders.set(id, decode);
        return decode;
      });
    return asked;
  }

  #problem(schema: string, error: unknown): void {
    if (!(error instanceof BadSchema || error instanceof ReadError)) throw error;
    if (++this.#told > MAX_TOLD) return;
    const input = error instanceof ReadError ? error.input : schema;
    this.#tell({ effect: 'input', input: oneLine(input, 253), message: oneLine(error.message) });
  }
}

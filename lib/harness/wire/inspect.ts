import * as z from 'zod';
import { oneLine } from '../../model/text.ts';
import type { Served } from '../client.ts';

const Models = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), max_model_len: z.number().int().positive().nullish().catch(null) })),
});
const Props = z.looseObject({
  default_generation_settings: z
    .looseObject({ n_ctx: z.number().int().positive().nullish().catch(null) })
    .nullish()
    .catch(null),
  n_ctx: z.number().int().positive().nullish().catch(null),
});
const Version = z.looseObject({ version: z.string() });

const MAX_NAMES = 20;

/**
 * What a server says of itself: `/v1/models` (vLLM tells `max_model_len` there), `/props` (llama.cpp: `n_ctx`),
 * `/version`, and the header `server`. What it does not have, it does not say.
 * @param get fetches below the base URL, or null for a bad status
 */
export async function inspectServer(
  get: (path: string) => Promise<{ body: string; server: string | null } | null>,
  name: string,
): Promise<Served> {
  const [models, props, version] = [await get('models'), await get('../props'), await get('../version')];
  const list = parse(models?.body, Models)?.data;
  const served = list?.find((m) => m.id === name) ?? (list?.length === 1 ? list[0] : undefined);
  const settings = parse(props?.body, Props);
  const words = [models?.server ?? null, parse(version?.body, Version)?.version ?? null].filter((w) => w !== null);
  return {
    models: list ? list.slice(0, MAX_NAMES).map((m) => oneLine(m.id, 200)) : null,
    context: served?.max_model_len ?? settings?.default_generation_settings?.n_ctx ?? settings?.n_ctx ?? null,
    server: words.length > 0 ? oneLine(words.join(' '), 100) : null,
  };
}

function parse<T>(body: string | undefined, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(body ?? 'null')).data;
  } catch {
    return undefined;
  }
}

import type { Input } from '../model/collector.ts';
import { cleanName } from '../model/text.ts';
import type { Opened } from './reader.ts';

/** One part of a pushed request: its name stands for a file name. */
export interface PushedPart {
  name: string;
  bytes: Uint8Array;
}

/**
 * Takes a request's body apart: one document, or multipart whose part names (or file names) stand for file names.
 * The caller has bounded the body's size.
 * @throws TypeError for a multipart body that cannot be parsed
 */
export async function partsOfBody(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<PushedPart[]> {
  if (!/^multipart\/form-data/i.test(contentType)) return [{ name: 'body', bytes }];
  const parts: PushedPart[] = [];
  for (const [field, value] of await new Response(bytes, { headers: { 'content-type': contentType } }).formData()) {
    const file = typeof value === 'string' ? null : value;
    // A browser or curl names an upload after its file; the field's own name wins where it says more than "file".
    const name = cleanName(file && (field === 'file' || field === '') ? file.name : field) ?? `part ${parts.length + 1}`;
    parts.push({ name, bytes: file ? new Uint8Array(await file.arrayBuffer()) : new TextEncoder().encode(value as string) });
  }
  return parts;
}

/** The parts of a pushed body as a source's inputs. */
export function openParts(parts: readonly PushedPart[], roles: readonly string[]): Opened {
  const inputs = parts.map(
    (part): Input => ({
      name: part.name,
      ...(roles.includes(part.name) && { role: part.name }),
      size: part.bytes.length,
      pushed: true,
      bytes: (from = 0) => [part.bytes.subarray(from)],
    }),
  );
  return {
    inputs,
    coverage: inputs.map((i) => ({
      name: i.name,
      ...(i.role !== undefined && { role: i.role }),
      status: i.size === 0 ? 'empty' : 'ok',
      bytes: i.size,
    })),
    problems: [],
    close: () => undefined,
  };
}

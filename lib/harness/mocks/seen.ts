import * as z from 'zod';
import type { ChatMessage } from '../client.ts';

const Listed = z.looseObject({
  about: z.record(z.string(), z.unknown()).optional(),
  data: z.array(z.record(z.string(), z.unknown())),
  next: z.number().nullish(),
});

/** A call that was made in a conversation, with what came back; mocks see no more than a model would. */
export interface Seen {
  name: string;
  args: Record<string, unknown>;
  /** Empty for a call that was refused. */
  data: Record<string, unknown>[];
  about: Record<string, unknown>;
  next: number | null;
}

export function seenIn(messages: readonly ChatMessage[]): Seen[] {
  const asked = new Map(messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => [c.id, c] as const) : [])));
  return messages.flatMap((m) => {
    const made = m.role === 'tool' ? asked.get(m.callId) : undefined;
    if (m.role !== 'tool' || !made) return [];
    const answer = Listed.safeParse(jsonWithin(m.content));
    return [
      {
        name: made.name,
        args: JSON.parse(made.arguments) as Record<string, unknown>,
        data: answer.data?.data ?? [],
        about: answer.data?.about ?? {},
        next: answer.data?.next ?? null,
      },
    ];
  });
}

function jsonWithin(content: string): unknown {
  const line = content.split('\n').find((l) => l.startsWith('{"ok"'));
  return line === undefined ? null : (JSON.parse(line) as unknown);
}

/** The rows of findings that were listed, each once. */
export function findingsIn(seen: readonly Seen[]): Record<string, unknown>[] {
  const rows = seen.filter((s) => s.name === 'list_conditions').flatMap((s) => s.data);
  return [...new Map(rows.map((row) => [row['id'], row])).values()];
}

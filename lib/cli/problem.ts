import * as z from 'zod';

const ProblemDocument = z.looseObject({
  title: z.string(),
  detail: z.string(),
  advice: z.string().optional(),
  source: z.string().optional(),
  mistakes: z.array(z.string()).optional(),
});

/** A problem document as lines for people; anything else as its status and first line. */
export async function formatProblem(response: Response): Promise<string> {
  const text = await response.text();
  const parsed = ProblemDocument.safeParse(safeJson(text));
  if (!parsed.success) return `status ${response.status}: ${text.split('\n')[0]?.slice(0, 200) ?? ''}`;
  const { title, detail, advice, source, mistakes } = parsed.data;
  return [
    `${source ? `${source}: ` : ''}${title}: ${detail}`,
    ...(mistakes ?? []).map((m) => `  ${m}`),
    ...(advice ? [`  → ${advice}`] : []),
  ].join('\n');
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

import type * as z from 'zod';
import type { AuditEntry } from '../model/audit.ts';
import { canonicalJson, type Json, type JsonObject } from '../model/json.ts';
import { sha256Hex } from '../model/identity.ts';
import { oneLine } from '../model/text.ts';
import { getChanges } from './changes.ts';
import { getCondition } from './condition.ts';
import { countConditions, listConditions } from './conditions.ts';
import { getNode, getTelemetry } from './nodes.ts';
import { getGroundTruth, getSummary, getTrend, listSources } from './overview.ts';
import { type Answer, byteLength, type Refusal, type Tool } from './tool.ts';
import type { ReadView } from './view.ts';

export type { Answer, Refusal, Tool } from './tool.ts';

/** The whole menu. Nothing here reads a source; nothing takes a path, a URL, a query language or a pattern. */
export const tools: readonly Tool[] = [
  listSources,
  getChanges,
  countConditions,
  listConditions,
  getCondition,
  getNode,
  getSummary,
  getTrend,
  getTelemetry,
  getGroundTruth,
];

const byName = new Map(tools.map((tool) => [tool.name, tool]));

/**
 * Calls a tool of the menu by name. Never throws for what a caller does wrong: an unknown name, arguments of another
 * shape, or a subject that is not there are refusals that say what was expected. The caller appends the audit entry.
 */
export async function invoke(view: ReadView, name: string, args: unknown): Promise<{ result: Answer | Refusal; auditEntry: AuditEntry }> {
  const tool = byName.get(name);
  const refuse = (error: string): { result: Refusal; auditEntry: AuditEntry } => {
    const result: Refusal = { ok: false, error };
    return { result, auditEntry: entry(name, args, result, { refused: oneLine(error, 300) }) };
  };
  if (!tool) return refuse(`there is no tool ${oneLine(name, 60)}; the menu: ${[...byName.keys()].join(', ')}`);
  const filled = withNulls(args, tool);
  const parsed = tool.args.safeParse(filled);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => said(issue, tool));
    return refuse(oneLine(`wrong arguments for ${tool.name}: ${issues.join('; ')}`, 600));
  }
  const result = await tool.run(view, parsed.data);
  return { result, auditEntry: entry(tool.name, args, result, 'executed') };
}

/** What is wrong with an argument, and what to change. */
function said(issue: z.core.$ZodIssue, { parameters }: Tool): string {
  const properties = parameters['properties'] as Record<string, JsonObject>;
  const names = Object.keys(properties);
  if (issue.code === 'unrecognized_keys') return `${issue.message}; it takes ${names.length === 0 ? 'no arguments' : names.join(', ')}`;
  const path = issue.path.map(String).join('.') || 'arguments';
  const asked = properties[path]?.['description'];
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received null');
  return `${path}: ${isMissing ? 'is needed' : issue.message}${typeof asked === 'string' ? ` (${asked})` : ''}`;
}

/**
 * Arguments that were left out are null: the schemas require every name, people and small models do not. A word of a
 * choice may be written in capitals.
 */
function withNulls(args: unknown, tool: Tool): unknown {
  const given = args ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return given;
  const properties = (tool.parameters['properties'] ?? {}) as Record<string, JsonObject>;
  const nulls = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
  const meant = Object.entries(properties).flatMap(([name, schema]) => {
    const value = Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;
    const choices = schema['enum'];
    const isChoice = typeof value === 'string' && Array.isArray(choices) && choices.includes(value.trim().toLowerCase());
    return isChoice ? [[name, value.trim().toLowerCase()] as const] : [];
  });
  return { ...nulls, ...given, ...Object.fromEntries(meant) };
}

function entry(tool: string, args: unknown, result: Answer | Refusal, decision: AuditEntry['decision']): AuditEntry {
  const plain = toJson(args);
  return {
    tool: oneLine(tool, 100),
    args: plain,
    argsHash: sha256Hex(canonicalJson(plain)),
    resultHash: sha256Hex(canonicalJson(result)),
    bytes: byteLength(result),
    ms: 0,
    decision,
  };
}

/** Arguments as JSON, whatever was handed in. */
function toJson(args: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(args ?? null)) as Json;
  } catch {
    return 'arguments that are no JSON';
  }
}

import type OpenAI from 'openai';
import type { ModelConfig } from '../../config.ts';
import type { ChatMessage, ChatRequest, ToolOffer } from '../client.ts';

type Wire = OpenAI.ChatCompletionCreateParamsNonStreaming & { chat_template_kwargs?: { enable_thinking: boolean } };

/** A request in the protocol's form: never streamed, never with a response format, every sampling parameter given. */
export function toWire(config: Pick<ModelConfig, 'name' | 'temperature'>, request: ChatRequest): Wire {
  const { dialect } = request;
  const native = dialect.calls === 'native';
  const messages = native ? request.messages.map(toWireMessage) : asText(request);
  return {
    model: dialect.model ?? config.name,
    messages: dialect.systemRole ? messages : withoutSystem(messages),
    ...(native && request.tools.length > 0 && { tools: request.tools.map((tool) => toWireTool(tool, dialect.strict)) }),
    ...(native && request.tools.length > 0 && toolChoice(request)),
    [dialect.tokensField]: request.maxTokens,
    ...(dialect.sampling && {
      temperature: config.temperature,
      top_p: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      seed: request.seed,
    }),
    ...(dialect.thinkingOff && { chat_template_kwargs: { enable_thinking: false } }),
    stream: false,
  };
}

function toWireTool({ name, description, parameters }: ToolOffer, strict: boolean): OpenAI.ChatCompletionFunctionTool {
  return { type: 'function', function: { name, description, parameters, ...(strict && { strict }) } };
}

function toolChoice({ force, dialect }: ChatRequest): Pick<Wire, 'tool_choice'> {
  if (dialect.toolChoice === 'none') return {};
  if (force === undefined || dialect.toolChoice === 'auto') return { tool_choice: 'auto' };
  return { tool_choice: dialect.toolChoice === 'named' ? { type: 'function', function: { name: force } } : 'required' };
}

/** Content is always a text: `null`, a missing one and parts each break some server's template. */
function toWireMessage(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content };
  if (message.role !== 'assistant') return message;
  const calls = message.calls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role: 'assistant', content: message.content, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** The whole chat in the three roles that any template has: tools in the prompt, calls and results as text. */
function asText({ messages, tools, force }: ChatRequest): OpenAI.ChatCompletionMessageParam[] {
  const told: OpenAI.ChatCompletionMessageParam[] = messages.map((m, index) => {
    if (m.role === 'tool') return { role: 'user', content: `Result:\n${m.content}` };
    if (m.role !== 'assistant') return index === 0 ? { ...m, content: `${m.content}\n\n${menuText(tools, force)}` } : m;
    const calls = m.calls.map((c) => `{"name":${JSON.stringify(c.name)},"arguments":${c.arguments}}`);
    return { role: 'assistant', content: [m.content, ...calls].filter((t) => t !== '').join('\n') };
  });
  return merged(told);
}

function menuText(tools: readonly ToolOffer[], force: string | undefined): string {
  const offered = tools.filter((t) => force === undefined || t.name === force);
  return [
    'To call a tool, answer with one JSON object and nothing else: {"name": TOOL, "arguments": {…}}. The tools:',
    ...offered.map((t) => `- ${t.name}: ${t.description} Arguments: ${JSON.stringify(t.parameters['properties'] ?? {})}`),
  ].join('\n');
}

/** Without a system role, and with no two turns of one role in a row, as templates that alternate insist. */
function withoutSystem(messages: readonly OpenAI.ChatCompletionMessageParam[]): OpenAI.ChatCompletionMessageParam[] {
  return merged(messages.map((m) => (m.role === 'system' ? { role: 'user', content: m.content as string } : m)));
}

function merged(messages: readonly OpenAI.ChatCompletionMessageParam[]): OpenAI.ChatCompletionMessageParam[] {
  const out: OpenAI.ChatCompletionMessageParam[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    const joins = last?.role === message.role && (message.role === 'user' || (message.role === 'assistant' && !hasCalls(last, message)));
    if (last && joins)
      out[out.length - 1] = { ...last, content: `${last.content as string}\n\n${message.content as string}` } as typeof message;
    else out.push(message);
  }
  return out;
}

function hasCalls(...messages: OpenAI.ChatCompletionMessageParam[]): boolean {
  return messages.some((m) => m.role === 'assistant' && m.tool_calls !== undefined);
}

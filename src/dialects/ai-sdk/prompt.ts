/** For servers that take no tools: they stand in the prompt, and calls and results are told in the words of a dialect. */
import type { JsonObject } from '../../core/json.ts';
import { parseWritten } from '../../core/written-numbers.ts';
import type { Part } from '../answer-reader.ts';
import { chosenTools, isForced, type ToolChoice } from '../forced-call.ts';
import { offerTools, renderCall, renderResult } from '../prompts.ts';
import { type CallOptions, choiceOf } from './shapes.ts';

type Message = { role: string; content: unknown };

/** What `auto` reads can be written in any dialect; this is the one that most models have seen. */
const WRITTEN_FOR_AUTO = 'hermes';

export const inPrompt = (options: CallOptions, named: string): CallOptions => {
  const { tools = [], prompt = [], ...rest } = options;
  if (tools.length === 0) return options;
  const dialect = named === 'auto' ? WRITTEN_FOR_AUTO : named;
  const said = prompt.map((message) => asText(message, dialect));
  return { ...without(rest), prompt: withOffer(said, offered(tools, choiceOf(options), dialect)) };
};

/** In words, what may be called; and that something has to be. */
const offered = (tools: NonNullable<CallOptions['tools']>, choice: ToolChoice, dialect: string): string => {
  const chosen = chosenTools(tools, choice);
  if (chosen.length === 0) return '';
  const offer = offerTools(
    dialect,
    chosen.map(({ name, description = '', inputSchema = {} }) => ({
      type: 'function' as const,
      function: { name, description, parameters: inputSchema },
    })),
  );
  if (!isForced(choice)) return offer;
  return `${offer}\n\nAnswer with a call of ${typeof choice === 'object' ? choice.name : 'one of these tools'}.`;
};

const withOffer = (said: readonly Message[], offer: string): readonly Message[] => {
  if (offer === '') return said;
  const [first, ...others] = said;
  if (first?.role !== 'system') return [{ role: 'system', content: offer }, ...said];
  return [{ role: 'system', content: `${String(first.content)}\n\n${offer}` }, ...others];
};

/** A choice among tools has no place where none is named. */
const without = (options: object): object => {
  const { toolChoice: _choice, ...rest } = options as { toolChoice?: unknown };
  return rest;
};

const partsOf = (content: unknown): Part[] => (Array.isArray(content) ? (content as Part[]) : []);

const asText = (message: Message, dialect: string): Message => {
  if (message.role === 'tool') {
    const text = partsOf(message.content)
      .map((part) => resultText(part, dialect))
      .join('\n');
    return { role: 'user', content: [{ type: 'text', text }] };
  }
  if (message.role !== 'assistant') return message;
  return { ...message, content: partsOf(message.content).map((part) => callText(part, dialect)) };
};

const callText = (part: Part, dialect: string): Part => {
  if (part.type !== 'tool-call') return part;
  const args = (typeof part['input'] === 'string' ? parseWritten(part['input']) : part['input']) as JsonObject;
  return { type: 'text', text: renderCall(dialect, { name: String(part['toolName']), arguments: args }) };
};

const resultText = (part: Part, dialect: string): string => {
  const { value } = (part['output'] ?? {}) as { value?: unknown };
  const content = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return renderResult(dialect, { id: String(part['toolCallId']), name: String(part['toolName']), content });
};

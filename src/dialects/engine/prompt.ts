/** The prompt side of a dialect: how tools are offered, how a past call is written, how a result goes back. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { entryText, writtenJson } from '../../core/written-numbers.ts';

export type PromptCall = { id?: string; name: string; arguments: JsonObject };
export type PromptResult = {
  id?: string;
  name: string;
  content: string;
  /** The content begins with the name. */
  says_name?: boolean;
};

/** What a dialect writes to the model. */
export type PromptWriter = {
  /** For the system prompt. */
  offer(tools: readonly ToolSchema[]): string;
  /** Calls of one turn, as the model would have written them. */
  calls(calls: readonly PromptCall[]): string;
  result(result: PromptResult): string;
};

/** JSON as models are used to it: a blank behind every comma and colon outside strings, as Python writes it. */
export const spacedJson = (value: JsonValue): string => writtenJson(value, ' ');

export const toolLines = (tools: readonly ToolSchema[]): string => tools.map((tool) => spacedJson(tool)).join('\n');

export const toolArray = (tools: readonly ToolSchema[]): string => spacedJson(tools as unknown as JsonValue);

/** A Python literal. */
export const pythonLiteral = (value: JsonValue): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((_, index) => entryText(value, index, pythonLiteral)).join(', ')}]`;
  return `{${Object.keys(value)
    .map((key) => `${JSON.stringify(key)}: ${entryText(value, key, pythonLiteral)}`)
    .join(', ')}}`;
};

export const pythonCallText = ({ name, arguments: args }: PromptCall): string =>
  `${name}(${Object.keys(args)
    .map((key) => `${key}=${entryText(args, key, pythonLiteral)}`)
    .join(', ')})`;

/** A value as raw text: strings as they are, everything else as JSON. */
export const rawText = (value: JsonValue): string => (typeof value === 'string' ? value : spacedJson(value));

const WHEN = 'Call one only when it is needed; otherwise answer in your own words.';

/** The offer that models without a notation of their own understand best: the list, then how a call is written. */
export const offerWith =
  (how: string, count: 'one or more' | 'one' = 'one or more') =>
  (tools: readonly ToolSchema[]): string =>
    `# Tools\n\nYou may call ${count} of these tools${count === 'one' ? ' at a time' : ''} to help with the request. ${WHEN}\n\nThe tools are given inside <tools></tools>:\n<tools>\n${toolLines(tools)}\n</tools>\n\n${how}`;

export const TOOL_RESPONSE = ({ content }: PromptResult): string => `<tool_response>\n${content}\n</tool_response>`;

/** One call object after the other, each between markers. */
export const eachCall =
  (write: (call: PromptCall) => string, between = '\n') =>
  (calls: readonly PromptCall[]): string =>
    calls.map(write).join(between);

export const callJson = (call: PromptCall): string => spacedJson({ name: call.name, arguments: call.arguments });

export const HERMES_PROMPT: PromptWriter = {
  offer: offerWith(
    'For each call, write a JSON object with the name and the arguments inside <tool_call></tool_call>:\n<tool_call>\n{"name": <name>, "arguments": <arguments as a JSON object>}\n</tool_call>',
  ),
  calls: eachCall((call) => `<tool_call>\n${callJson(call)}\n</tool_call>`),
  result: TOOL_RESPONSE,
};

/** A bare JSON object, for models that are told so. */
export const jsonPrompt = (
  nameKey: string,
  argumentsKey: string,
  count?: Parameters<typeof offerWith>[1],
): PromptWriter => ({
  offer: offerWith(
    `To call a tool, answer with nothing but a JSON object of this form:\n{"${nameKey}": <name>, "${argumentsKey}": <arguments as a JSON object>}`,
    count,
  ),
  calls: eachCall((call) => spacedJson({ [nameKey]: call.name, [argumentsKey]: call.arguments })),
  result: ({ name, content, says_name }) => (says_name ? content : `Result of ${name || 'the call'}:\n${content}`),
});

/** An array of call objects between markers. */
export const arrayPrompt = (open: string, close: string): PromptWriter => ({
  offer: offerWith(
    `Write calls as a JSON array of this form:\n${open}[{"name": <name>, "arguments": <arguments as a JSON object>}]${close}`,
  ),
  calls: (calls) => `${open}[${calls.map(callJson).join(', ')}]${close}`,
  result: TOOL_RESPONSE,
});

export const PYTHON_PROMPT: PromptWriter = {
  offer: offerWith('To call tools, answer with nothing but a list of calls in Python: [NAME(parameter=value, …)]'),
  calls: (calls) => `[${calls.map(pythonCallText).join(', ')}]`,
  result: ({ content }) => content,
};

type TagsText = {
  open: string;
  call: (name: string, index: number) => string;
  parameter: (key: string, value: string, isString: boolean) => string;
  callClose?: string;
  close: string;
  result?: PromptWriter['result'];
};

/** Elements with raw values. */
export const tagsPrompt = (text: TagsText): PromptWriter => {
  const callText = ({ name, arguments: args }: PromptCall, index: number): string =>
    text.call(name, index) +
    Object.entries(args)
      .map(([key, value]) => text.parameter(key, entryText(args, key, rawText), typeof value === 'string'))
      .join('') +
    (text.callClose ?? '');
  const calls: PromptWriter['calls'] = (list) =>
    text.callClose === undefined
      ? list.map((call, index) => text.open + callText(call, index) + text.close).join('\n')
      : (text.open + list.map(callText).join('') + text.close).trimEnd();
  const example = calls([{ name: 'NAME', arguments: { parameter: 'value' } }]);
  return { offer: offerWith(`Write calls like this:\n${example}`), calls, result: text.result ?? TOOL_RESPONSE };
};

type GemmaText = { open: string; close: string; quote: string; result: PromptWriter['result'] };

/** The key:value notation of the Gemma models. */
export const gemmaPrompt = ({ open, close, quote, result }: GemmaText): PromptWriter => {
  const literal = (value: JsonValue): string => {
    if (typeof value === 'string') return quote + value + quote;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map((_, index) => entryText(value, index, literal)).join(',')}]`;
    return `{${Object.keys(value)
      .map((key) => `${key}:${entryText(value, key, literal)}`)
      .join(',')}}`;
  };
  return {
    offer: offerWith(`Write each call as ${open}call:NAME{parameter:${quote}text${quote},other:1}${close}`),
    calls: eachCall((call) => `${open}call:${call.name}${literal(call.arguments)}${close}`, ''),
    result,
  };
};

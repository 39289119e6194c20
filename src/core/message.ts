import type { ContentPart } from './content-part.ts';
import type { JsonObject } from './json.ts';
import type { ToolResult } from './tool-result.ts';

export type { ContentPart } from './content-part.ts';

/** One repair of a call, so that the person can see it and statistics can be kept. */
export type Repair = {
  /** A short word: `trailing_comma`, `tool_name`, `type_coercion`, `text_call`, `index_split` … */
  kind: string;
  /** One sentence for a person. */
  detail: string;
};

export type ToolCall = {
  id: string;
  name: string;
  arguments: JsonObject;
  /** `native`: the server's own field; `parsed`: read out of text; `constrained`: decoded under the tool's schema. */
  source: 'native' | 'parsed' | 'constrained';
  repairs: Repair[];
  /** The arguments as JSON with the model's own digits, where the values have lost some (`1.10`, ids of 19 digits). */
  written?: string;
  /** Set when the arguments could not be read at all: the raw text and what was wrong. Never executed. */
  malformed?: { text: string; problem: string /** It was cut off, so nothing can be made of it. */; cut?: true };
};

export type Usage = {
  prompt_tokens: number;
  /** Part of the prompt that the server took from its cache; absent where the server does not say. */
  cached_tokens?: number;
  /** Part of the prompt that the request before held already, so that a server can have it in its cache. */
  shared_tokens?: number;
  completion_tokens: number;
  seconds: number;
  /** Reading the prompt took so long: the server's own figure where it gives one, else the time until the first token. */
  prompt_seconds?: number;
};

/** `length`: cut by the token limit. `cancelled`: ended by the person. `disconnected`: the server broke off. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'cancelled' | 'disconnected';

export type SystemMessage = { role: 'system'; content: string };
export type UserMessage = {
  role: 'user';
  content: string | ContentPart[];
  /** Pictures that tools gave, which no message of a tool can hold. They are nobody's words. */
  of_results?: true;
  /** Said in the middle of a run. */
  steers?: true;
};
export type AssistantMessage = {
  role: 'assistant';
  content: string;
  reasoning?: string;
  tool_calls: ToolCall[];
  finish: FinishReason;
  /** The end may not be the answer's own: `content_filter` where a filter cut it, else the server's word that nobody knows. */
  ended_by?: string;
  /** The person put these words in the place of the model's. */
  edited?: true;
  /** The model gave no answer: these words are halter's own, a list of what the tools returned. */
  by_halter?: true;
  usage?: Usage;
};
/** Said below such words. */
export const BY_HALTER = 'The model gave no answer; halter listed what the tools returned.';

export type ToolMessage = {
  role: 'tool';
  tool_call_id: string;
  name: string;
  content: string;
  result: ToolResult;
  /** The content begins with the name, so that a prompt in words need not say it again. */
  says_name?: boolean;
};

/** What the model reads. The tool message's `content` is its JSON form, or the summary in summary mode. */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** What the person reads of a tool call: the documents' display message (Z11). */
export type DisplayMessage = { role: 'system'; content: string; tool_call_id: string };

export const messageText = (content: string | ContentPart[]): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : `[image ${part.mime_type}]`)).join('\n');

/** What a person reads of a message: what came along with it by its name. */
export const shownText = (content: string | ContentPart[]): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) => (part.type === 'text' ? (part.shown ?? part.text) : `[image ${part.mime_type}]`))
        .join('\n');

/** What the person wrote themselves; where that is nothing, what came along. */
export const writtenText = (content: string | ContentPart[]): string => {
  if (typeof content === 'string') return content;
  const own = content.flatMap((part) => (part.type === 'text' && part.shown === undefined ? [part.text] : []));
  return own.join('\n').trim() === '' ? shownText(content) : own.join('\n');
};

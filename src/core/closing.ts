/**
 * The last answer at a limit. Where nobody is there to say "go on", the model is asked once more, without tools, to answer
 * from what it has. Where nothing comes of that, the answer says what the tools returned.
 */

import type { Event } from './events.ts';
import type { JsonObject } from './json.ts';
import { LIMITS } from './limits.ts';
import type { ModelMessage, ToolCall } from './message.ts';
import { counted } from './number-text.ts';
import { callHistory } from './project.ts';
import { summarizeResult } from './summarize.ts';
import type { ToolResult } from './tool-result.ts';

/** What the model reads beside its last results. It goes out with one request and is not kept. */
export const CLOSING =
  'This was the last round of tool calls: no tool can be called any more. Answer the user now, from what you have. Say what is missing.';

/**
 * The words stand with the last result and not in a message of their own: many templates refuse a message of the user
 * that comes before the assistant has answered the last one.
 */
export const withClosing = (messages: readonly ModelMessage[]): readonly ModelMessage[] => {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [...messages, { role: 'user', content: CLOSING }];
  return [...messages.slice(0, -1), { ...last, content: withNote(last.content) }];
};

/** A whole result is JSON, and stays JSON. */
const withNote = (content: string): string => {
  if (content.startsWith('{') && content.endsWith('}')) {
    try {
      const result = JSON.parse(content) as { note?: string };
      return JSON.stringify({ ...result, note: result.note === undefined ? CLOSING : `${result.note} ${CLOSING}` });
    } catch {
      // A result that was cut to fit the window is plain text.
    }
  }
  return `${content}\n\n${CLOSING}`;
};

export type FoundOptions = {
  summaryCharacters: number;
  /** The tool's own choice of items for a summary. */
  summaryItems?: ((name: string, result: ToolResult, args: JsonObject) => string[] | undefined) | undefined;
};

/** What the tools returned for the last message of the person, a line for each call; empty where none was called. */
export const foundByTools = (path: readonly Event[], options: FoundOptions): string => {
  const from = path.findLastIndex(({ type }) => type === 'user_message_added');
  const lines = callHistory(path.slice(from + 1)).map(({ call, result }) => line(call, result, options));
  // The same call with the same result says nothing new.
  const different = [...new Set(lines)];
  if (different.length === 0) return '';
  const shown = different.slice(-LIMITS.closingResults);
  const left = different.length - shown.length;
  return [
    '[The model gave no answer. halter lists what the tools returned:]',
    ...(left > 0 ? [`- (${counted(left, 'earlier result')} ${left === 1 ? 'is' : 'are'} left out)`] : []),
    ...shown,
  ].join('\n');
};

const line = (call: ToolCall, result: ToolResult, { summaryCharacters, summaryItems }: FoundOptions): string => {
  const items = summaryItems?.(call.name, result, call.arguments);
  return `- ${summarizeResult(call.name, result, { maxCharacters: summaryCharacters, ...(items ? { items } : {}) })}`;
};

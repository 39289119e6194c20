/** An answer that came in one. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { AnswerReader } from '../answer-reader.ts';
import { readJsonText } from '../unclosed-json.ts';
import { endWordOf, readEnd, readText, written } from './reading.ts';
import type { Generation } from './shapes.ts';

const objectIn = (input: unknown): JsonObject | undefined => {
  const read = readJsonText(String(input), 'refuse');
  return read.ok && isObject(read.value) ? read.value : undefined;
};

export const readWhole = (generation: Generation, reader: AnswerReader): Generation => {
  const { message } = generation;
  if (message._getType() !== 'ai') return generation;
  const { tool_calls: read = [], invalid_tool_calls: unread = [] } = message;
  const parts = [...readText(message, reader), ...readEnd([...read, ...unread], reader, endWordOf(generation))];
  return written(generation, parts, (calls) => ({
    tool_calls: calls.flatMap((call) => {
      const args = objectIn(call.args);
      return args ? [{ ...call, args, type: 'tool_call' }] : [];
    }),
    invalid_tool_calls: calls
      .filter(({ args }) => objectIn(args) === undefined)
      .map((call) => ({ ...unread.find(({ id }) => id === call.id), ...call, type: 'invalid_tool_call' })),
  }));
};

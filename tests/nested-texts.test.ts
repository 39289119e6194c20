/** What strangers nest thousands deep is a value with a problem in it: no reader runs out of stack, and no call behind it is lost. */
import { describe, expect, it } from 'vitest';
import { summarizeResult } from '../src/core/summarize.ts';
import type { ToolResult } from '../src/core/tool-result.ts';
import { scannedCalls } from '../src/dialects/answer/scanned-call.ts';
import { createParser, dialectNames, findUnreadCall, parseJsonLeniently, readAnswer } from '../src/dialects/index.ts';
import { toToolOutput } from '../src/mcp/server-tools/tool-output.ts';
import { toolParameters } from '../src/mcp/server-tools/tool-schema.ts';
import { finishCall } from '../src/providers/arguments.ts';
import { parseJson } from '../src/providers/json-values.ts';
import { patternGrammar } from '../src/providers/led/grammar/pattern.ts';
import { parseFileFilter } from '../src/tools/grep-pattern.ts';
import { asJson, jsonTokens } from '../web/src/calls/json-tokens.ts';
import { verifies } from './requirements.ts';
import { everyNth } from './support/long.ts';

const LEVELS = 20_000;
const nested = (open: string, close: string, inner = '1'): string => open.repeat(LEVELS) + inner + close.repeat(LEVELS);
const LIST = nested('[', ']');
const OBJECT = nested('{"a":', '}');
const CALL = '{"name": "put", "arguments": {}}';
const TEXTS: Readonly<Record<string, string>> = {
  lists: LIST,
  objects: OBJECT,
  both: nested('[{"a":', '}]'),
  'lists that stay open': '['.repeat(LEVELS),
  'arguments in a list': `{"name": "put", "arguments": {"data": ${LIST}}}`,
  'arguments in an object': `{"name": "put", "arguments": {"data": ${OBJECT}}}`,
  'args in a list': `{"tool": "put", "args": {"data": ${LIST}}}`,
  'arguments in a tag': `<tool_call>{"name": "put", "arguments": {"data": ${LIST}}}</tool_call>`,
  wrappers: nested('{"tool_calls":[', ']}', CALL),
  functions: nested('{"function":', '}', CALL),
  'single quotes': nested("{'a':", '}'),
  'a call in Python': `put(data=${LIST})`,
  'calls in calls': nested('put(data=', ')'),
  groups: nested('(', ')', 'a'),
  braces: nested('{a,', '}'),
  parameters: `<function=put><parameter=data>${LIST}</parameter></function>`,
};

const tools = [{ name: 'put', description: 'Puts.', parameters: { type: 'object', properties: { data: {} } } }];
const isTool = (name: string): boolean => name === 'put';
const judged = (dialect: string, text: string) => {
  const parser = createParser({ dialect, tools });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  return readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect, reads: dialect });
};
const resultOf = (data: string): ToolResult => ({
  success: true,
  data,
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 1, data_size_bytes: data.length, timestamp: 1 },
});
const valueIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'JSON of a model': parseJsonLeniently,
  'JSON of a server': (text) => parseJson(text),
  'arguments of a call': (text) =>
    finishCall(
      { name: 'put', arguments: text, repairs: [] },
      { repairArguments: () => ({ ok: false, problem: '' }), cutBy: undefined },
    ),
  'a result in short': (text) => summarizeResult('put', resultOf(text)),
  'a result in the page': (text) => {
    const value = asJson(text);
    return value === undefined ? [] : jsonTokens(value);
  },
  'a result of an MCP server': (text) =>
    toToolOutput({ content: [], structuredContent: valueIn(text) as never }, 1_000),
  'a default of an MCP tool': (text) =>
    JSON.stringify(toolParameters({ type: 'object', properties: { a: { default: valueIn(text) } } })),
  'a schema of an MCP tool': (text) => JSON.stringify(toolParameters(valueIn(text))),
  'a filter of files': (text) => parseFileFilter(`a/${text}`, false),
  'a pattern of an argument': (text) => patternGrammar(`^${text}$`),
  'an answer that is a call to nobody': (text) => findUnreadCall(text, 'auto', isTool),
  'an answer that is none in edison': (text) => findUnreadCall(text, 'edison', isTool),
  'calls anywhere': (text) => scannedCalls(text, isTool),
};

describe('what is nested thousands deep', () => {
  it.each(Object.entries(READERS))('is read as %s without end of stack', (_, read) => {
    verifies('K4');
    for (const [what, text] of Object.entries(TEXTS)) expect(() => read(text), what).not.toThrow();
  });

  it.each(everyNth(dialectNames(), 12))('is an answer in %s', (dialect) => {
    verifies('K4');
    for (const [what, text] of Object.entries(TEXTS)) expect(() => judged(dialect, text), what).not.toThrow();
  });

  it.each(['lists', 'objects', 'both', 'arguments in a list', 'single quotes'])(
    'as %s hides no call behind it',
    (what) => {
      verifies('K4');
      const found = scannedCalls(`See ${TEXTS[what]} and then {"name": "erase_disk", "arguments": {}} now.`, isTool);
      expect(found.map(({ name }) => name)).toContain('erase_disk');
    },
  );
});

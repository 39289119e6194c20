/** A number where a text is wanted is the digits that the model wrote, in every notation and however it is cut. */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../core/json.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { dialectNames } from './all-dialects.ts';
import { AnswerReader } from './answer-reader.ts';
import { createParser } from './parse.ts';
import { renderCall } from './prompts.ts';
import { parseJsonLeniently } from './repair-json.ts';

const text = { type: 'string' };
const parameters = {
  type: 'object',
  properties: {
    id: text,
    list: { type: 'array', items: text },
    inner: { type: 'object', properties: { id: text } },
    record: { type: 'object', additionalProperties: text },
  },
};
const tools = [{ name: 'look', description: '', parameters }];
const PLACE = 424_242;
const call = { name: 'look', arguments: { id: PLACE, list: [PLACE], inner: { id: PLACE }, record: { a: PLACE } } };
const meant = (id: string): JsonValue => ({ id, list: [id], inner: { id }, record: { a: id } });
/** Native calls stand in no text. */
const written = dialectNames()
  .filter((dialect) => dialect !== 'native')
  .map((dialect) => [dialect, renderCall(dialect, call)] as const);

describe.each(written)('%s', (dialect, one) => {
  test.each(['1187654321098765432', '1.10', '1e3', '-0', '424242'])('%s', (number) => {
    const whole = one.replaceAll(String(PLACE), number);
    for (const size of [1, whole.length]) {
      const parser = createParser({ dialect, tools });
      for (let at = 0; at < whole.length; at += size) parser.push(whole.slice(at, at + size));
      const [read] = parser.end().result.calls;
      expect(validateArguments(parameters, read?.arguments, 'model')).toMatchObject({ arguments: meant(number) });
      expect(validateArguments(parameters, JSON.parse(read?.argumentsText ?? ''), 'model')).toMatchObject({
        arguments: meant(number),
      });
    }
  });
});

const LENIENT = ['007', '1_000', '0x1f', '.5', '+3'];

test.each(LENIENT)('a number that JSON does not know stays as it was written: %s', (word) => {
  const json = `{"name":"look","arguments":{"id":${word},"list":[${word}],"inner":{"id":${word}},"record":{"a":${word}},}}`;
  const read = parseJsonLeniently(json);
  const args = read.ok && (read.value as { arguments: JsonValue }).arguments;
  expect(validateArguments(parameters, args, 'model')).toMatchObject({ arguments: meant(word) });
  const calls = [
    `<tool_call>${json}</tool_call>`,
    `<tool_call>${json.replace(/"name":"look",(.*)}$/, '$1,"name":"look"}')}</tool_call>`,
  ];
  for (const whole of [...calls, `[look(id=${word}, list=[${word}], inner={"id": ${word}}, record={"a": ${word}})]`]) {
    const parser = createParser({ dialect: 'auto', tools });
    parser.push(whole);
    expect(validateArguments(parameters, parser.end().result.calls[0]?.arguments, 'model')).toMatchObject({
      arguments: meant(word),
    });
  }
});

test('other libraries get the digits, of calls in the text and of those that the server read', () => {
  const reader = () =>
    new AnswerReader({
      dialect: 'auto',
      tools: [{ name: 'look', inputSchema: parameters }],
      usedIds: [],
      thoughtsFirst: false,
    });
  const inputs = (parts: readonly { type: string }[]) =>
    parts.flatMap((part) =>
      part.type === 'tool-call' ? [JSON.parse(String((part as { input?: unknown }).input))] : [],
    );
  const input = '{"id":1.10,"list":[9007199254740993]}';
  const told = { id: '1.10', list: ['9007199254740993'] };
  const inText = reader();
  expect(
    inputs([...inText.text(`<tool_call>{"name":"look","arguments":${input}}</tool_call>`), ...inText.end()]),
  ).toEqual([told]);
  expect(inputs(reader().take({ type: 'tool-call', toolCallId: 'a', toolName: 'look', input }))).toEqual([told]);
  const asJson = new AnswerReader({
    dialect: 'auto',
    tools: [],
    usedIds: [],
    thoughtsFirst: false,
    json: { schema: parameters },
  });
  const parts = [...asJson.text(input), ...asJson.end()];
  expect(JSON.parse(parts.map((part) => ('delta' in part ? String(part['delta']) : '')).join(''))).toEqual(told);
});

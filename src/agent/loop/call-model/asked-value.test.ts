import { expect, it } from 'vitest';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import type { JsonSchema } from '../../../core/json.ts';
import { scriptedProvider } from '../../../testing/index.ts';

const shapeOf = (...keys: string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(keys.map((key) => [key, { type: ['string', 'object'] }])),
  required: keys,
});
const fenced = (text: string): string => `\`\`\`json\n${text}\n\`\`\``;

const ANSWERS: readonly (readonly [keys: readonly [string, string], answer: string])[] = [
  [['tool', 'args'], '{"tool":"hammer","args":{"size":1}}'],
  [['name', 'arguments'], '{"name":"hammer","arguments":{"size":1}}'],
  [['name', 'parameters'], '{"name":"hammer","parameters":{"size":1}}'],
  [['action', 'action_input'], '{"action":"hammer","action_input":{"size":1}}'],
  [['function', 'arguments'], '{"function":"hammer","arguments":{"size":1}}'],
];
const asked = async (answer: string, schema: JsonSchema, dialect: 'auto' | 'hermes') => {
  const modelProvider = scriptedProvider([{ text: answer }, { text: 'Asked again.' }, { text: 'And again.' }]);
  const halter = await assembled({ modelProvider, responseSchema: schema, dialect });
  const session = await openedSession(halter);
  const warnings: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warnings.push(update.code);
  });
  await say(session);
  const last = session.log().findLast((event) => event.type === 'assistant_message_added');
  const said = last?.type === 'assistant_message_added' ? last.message : undefined;
  return { requests: modelProvider.requests.length, content: said?.content, calls: said?.tool_calls.length, warnings };
};

it.each(['auto', 'hermes'] as const)(
  'an answer of the asked shape that names no tool is the answer (%s)',
  async (dialect) => {
    for (const [keys, answer] of ANSWERS) {
      for (const text of [answer, fenced(answer)]) {
        const end = await asked(text, shapeOf(...keys), dialect);
        expect(end, text).toEqual({ requests: 1, content: text, calls: 0, warnings: [] });
      }
    }
  },
);

it('an answer that has nothing but what the shape asks for is the answer, also where it names a tool', async () => {
  for (const dialect of ['auto', 'hermes'] as const) {
    const end = await asked('{"name":"get_current_time","arguments":{}}', shapeOf('name', 'arguments'), dialect);
    expect(end).toEqual({ requests: 1, content: '{"name":"get_current_time","arguments":{}}', calls: 0, warnings: [] });
  }
});

const CALL = '{"name":"get_current_time","arguments":{}}';
const FORM = shapeOf('name', 'arguments');
const OTHER = shapeOf('city');
const CLOSED: [string, JsonSchema, string?][] = [
  ['a reference', { $ref: '#/$defs/step', $defs: { step: FORM } }],
  ['a reference to a reference', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/step' }, step: FORM } }],
  ['any of several', { anyOf: [OTHER, FORM] }],
  ['one of several', { oneOf: [OTHER, FORM] }],
  ['one of several by reference', { oneOf: [{ $ref: '#/$defs/step' }, OTHER], $defs: { step: FORM } }],
  ['all of several', { allOf: [shapeOf('name'), shapeOf('arguments')] }],
  [
    'all of several, each in another',
    { allOf: [{ anyOf: [shapeOf('name'), OTHER] }, { $ref: '#/$defs/a' }], $defs: { a: shapeOf('arguments') } },
  ],
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  ['a condition', { if: { required: ['name'] }, then: FORM, else: OTHER }],
  ['a list', { type: 'array', items: FORM }, `[${CALL}]`],
  ['a list of references', { type: 'array', items: { $ref: '#/$defs/step' }, $defs: { step: FORM } }, `[${CALL}]`],
  ['a map', { type: 'object', additionalProperties: { type: ['string', 'object'] } }],
  ['a fixed value', { const: { name: 'get_current_time', arguments: {} } }],
  ['a comma too many', FORM, '{"name":"get_current_time","arguments":{},}'],
];

it.each(CLOSED)('an answer that fits the shape is the answer: %s', async (_name, schema, answer = CALL) => {
  for (const dialect of ['auto', 'hermes'] as const) {
    const end = await asked(answer, schema, dialect);
    expect(end).toEqual({ requests: 1, content: answer, calls: 0, warnings: [] });
  }
});

it.each<[string, JsonSchema]>([
  ['another of several', { anyOf: [OTHER, { type: 'object' }] }],
  ['a part that does not fit', { anyOf: [{ allOf: [FORM, OTHER] }, { type: 'object' }] }],
  ['a reference to what is open', { $ref: '#/$defs/any', $defs: { any: { type: 'object' }, step: FORM } }],
  ['some members only', { allOf: [shapeOf('name')] }],
])('a call stays a call where the shape is open: %s', async (_name, schema) => {
  expect((await asked(CALL, schema, 'auto')).requests).toBe(2);
});

it('a call to a tool that there is stays a call in a shape that is open', async () => {
  const end = await asked('{"name":"get_current_time","arguments":{}}', { type: 'object' }, 'auto');
  expect(end.requests).toBe(2);
});

it('what looks like a call and does not fit the shape is told', async () => {
  const end = await asked('{"tool":"hammer","args":{"size":1}}', shapeOf('tool', 'count'), 'auto');
  expect(end.warnings).toContain('unread_call');
});

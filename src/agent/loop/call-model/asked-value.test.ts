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

it('a call to a tool that there is stays a call in a shape that is open', async () => {
  const end = await asked('{"name":"get_current_time","arguments":{}}', { type: 'object' }, 'auto');
  expect(end.requests).toBe(2);
});

it('what looks like a call and does not fit the shape is told', async () => {
  const end = await asked('{"tool":"hammer","args":{"size":1}}', shapeOf('tool', 'count'), 'auto');
  expect(end.warnings).toContain('unread_call');
});

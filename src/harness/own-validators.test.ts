/** The check that a schema brings with it (Standard Schema), for arguments of a tool as for a value of a chat. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../core/tool/define-tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';

const SHAPE = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const schemaWith = (validate: (value: unknown) => unknown) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'mine',
    validate,
    jsonSchema: { input: () => SHAPE, output: () => SHAPE },
  },
});

/** What the model reads of a call of a tool with that schema. */
const ofCall = async (validate: (value: unknown) => unknown): Promise<string> => {
  const tool = defineTool({
    name: 'count',
    description: 'Count',
    risk: 'safe',
    parameters: schemaWith(validate),
    run: (args) => JSON.stringify(args),
  });
  const calls = [{ name: 'count', arguments: { n: 1 } }];
  const provider = scriptedProvider([{ calls }, { text: 'x' }, { text: 'x' }]);
  const harness = createHarness({ model: 'm', provider, tools: [tool] });
  await harness.chat('Go');
  await harness.close();
  const told = provider.requests[1]?.messages.find(({ role }) => role === 'tool')?.content;
  return String(told);
};
/** What the model reads when its value is asked for again, or the message of the error. */
const ofValue = async (validate: (value: unknown) => unknown): Promise<string> => {
  const provider = scriptedProvider([{ text: '{"n": 1}' }, { text: '{"n": 1}' }, { text: '{"n": 1}' }]);
  const harness = createHarness({ model: 'm', provider });
  const { output, message } = await harness.chat('Go', { schema: schemaWith(validate) }).then(
    (result) => ({ output: result.output as unknown, message: '' }),
    (error: Error) => ({ output: undefined, message: error.message }),
  );
  await harness.close();
  return message === '' ? JSON.stringify(output) : message;
};
const PLACES = { 'arguments of a tool': ofCall, 'the value of a chat': ofValue };

describe.each(Object.entries(PLACES))('validate() of %s', (_place, told) => {
  it('gives the value that counts', async () => {
    expect(await told(() => ({ value: { n: 2 } }))).toBe('{"n":2}');
    expect(await told(async () => ({ value: { n: 3 }, issues: undefined }))).toBe('{"n":3}');
  });

  it.each([
    ['names', ['list', 0, 'n']],
    ['objects with a key', [{ key: 'list' }, { key: 0 }, { key: 'n' }]],
  ])('says where something is wrong by %s', async (_how, path) => {
    expect(await told(() => ({ issues: [{ message: 'must be even', path }] }))).toMatch(/list\.0\.n:? must be even/);
  });

  it('says what is wrong of the whole', async () => {
    expect(await told(() => ({ issues: [{ message: 'must be even' }, { message: 'and small', path: [] }] }))).toMatch(
      /must be even; and small/,
    );
  });

  it.each([[undefined], [null], [5], ['x'], [[]], [{}], [{ issues: 'wrong' }], [{ issues: null, value: 1 }]])(
    'is refused in words where it returns %j',
    async (returned) => {
      expect(await told(() => returned)).toContain('validate() of the schema must return { value } or { issues }');
    },
  );
});

/** What a program does, after a call, to the objects that it handed in or was given changes nothing of what it asked for. */
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { builtinTools, defineTool, registerTool, type Tool, type ToolDefinition } from '../index.ts';
import { type ScriptedProvider, type ScriptedProviderSource, scriptedProvider } from '../testing/index.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const LIST = { type: 'object', properties: { l: { type: 'array', items: { type: 'integer' } } } } as const;
type Changed = Record<string, unknown> & unknown[];
const changed = (value: unknown): Changed => value as Changed;

const tool = (name: string, more: Partial<ToolDefinition<typeof LIST>> = {}): Tool =>
  defineTool({ name, description: name, risk: 'safe', parameters: LIST, run: (args) => args, ...more }) as Tool;
const call = (name: string, args = {}): ScriptedProviderSource => ({ calls: [{ name, arguments: args }] });

type Play = { agent: Harness; provider: ScriptedProvider };
const open = (turns: readonly ScriptedProviderSource[], options: Partial<HarnessOptions> = {}): Play => {
  const provider = scriptedProvider(turns);
  const agent = createHarness({ model: 'm', provider, ...options });
  onTestFinished(() => agent.close());
  return { agent, provider };
};
const sent = ({ provider }: Play): unknown => provider.requests.at(-1)?.messages;
const offered = ({ provider }: Play): unknown => provider.requests[0]?.tools.map((one) => one.function.name);

/** One option, how it is changed when the harness is made, and what a first message shows of it. */
const OPTIONS: [
  name: string,
  options: Partial<HarnessOptions>,
  change: (options: Changed) => void,
  shows: (play: Play) => Promise<unknown>,
  expected: unknown,
][] = [
  [
    'tools',
    { tools: [tool('t')] },
    ({ tools }) => changed(tools).push(tool('u')),
    async (play) => [await play.agent.chat('x'), offered(play)][1],
    ['t'],
  ],
  [
    'tools.available',
    { tools: { available: [tool('t')] } },
    ({ tools }) => changed(changed(tools)['available']).push(tool('u')),
    async (play) => [await play.agent.chat('x'), offered(play)][1],
    ['t'],
  ],
  [
    'permissions.allow',
    { tools: [tool('t', { risk: 'high' })], permissions: { allow: [] } },
    ({ permissions }) => changed(changed(permissions)['allow']).push('t'),
    async ({ agent }) => (await agent.executeTool('t', {})).error_type,
    'permission_denied',
  ],
  [
    'permissions.deny',
    { tools: [tool('t')], permissions: { deny: ['t'] } },
    ({ permissions }) => changed(changed(permissions)['deny']).pop(),
    async ({ agent }) => (await agent.executeTool('t', {})).error_type,
    'permission_denied',
  ],
  [
    'limits',
    { limits: { iterations: 3 } },
    ({ limits }) => Object.assign(limits as object, { iterations: -1 }),
    async ({ agent }) => (await agent.chat('x')).answer,
    'x',
  ],
  [
    'sampling',
    { sampling: { temperature: 0 } },
    ({ sampling }) => Object.assign(sampling as object, { temperature: 1 }),
    async ({ agent, provider }) => [await agent.chat('x'), provider.requests[0]?.sampling.temperature][1],
    0,
  ],
  [
    'prompt',
    { prompt: { system: 'mine' } },
    ({ prompt }) => Object.assign(prompt as object, { system: 'other' }),
    async (play) => [await play.agent.chat('x'), JSON.stringify(sent(play)).includes('other')][1],
    false,
  ],
  [
    'the whole',
    { systemPrompt: 'mine' },
    (options) => Object.assign(options, { systemPrompt: 'other' }),
    async (play) => [await play.agent.chat('x'), JSON.stringify(sent(play)).includes('other')][1],
    false,
  ],
  [
    'roles',
    { roles: { fast: 'small' } },
    ({ roles }) => Object.assign(roles as object, { fast: 'other' }),
    async ({ agent, provider }) => [await agent.chat('x', { model: 'fast' }), provider.requests[0]?.model][1],
    'small',
  ],
  [
    'mcpServers',
    { mcpServers: {} },
    ({ mcpServers }) => Object.assign(mcpServers as object, { x: { command: '/nowhere' } }),
    async ({ agent }) => (await agent.chat('x')).answer,
    'x',
  ],
  [
    'messages',
    {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    },
    ({ messages }) => {
      changed(changed(messages)[0])['content'] = 'other';
      changed(messages).push({ role: 'user', content: 'other' });
    },
    async (play) => [await play.agent.chat('x'), JSON.stringify(sent(play)).includes('other')][1],
    false,
  ],
];
test.each(OPTIONS)('the option %s is as it was given', async (_name, options, change, shows, expected) => {
  const given = { ...options, model: 'm', provider: scriptedProvider([{ text: 'x' }]) };
  const agent = createHarness(given);
  onTestFinished(() => agent.close());
  change(changed(given));
  expect(await shows({ agent, provider: given.provider })).toEqual(expected);
});

test('a message that waits is as it was given', async () => {
  const play = open([{ text: '1' }, { text: 'x' }]);
  const parts = [{ type: 'text', text: 'mine' }] as { type: 'text'; text: string }[];
  const both = [play.agent.chat('first'), play.agent.chat(parts)];
  Object.assign(parts[0] ?? {}, { text: 'other' });
  parts.push({ type: 'text', text: 'other' });
  await Promise.all(both);
  expect(JSON.stringify(sent(play))).not.toContain('other');
});

test('words in the middle of a run are as they were given', async () => {
  const parts = [{ type: 'text', text: 'mine' }] as { type: 'text'; text: string }[];
  const steered = async (): Promise<{ calls: { name: string; arguments: object }[] }> => {
    const said = play.agent.steer(parts);
    Object.assign(parts[0] ?? {}, { text: 'other' });
    await said;
    return { calls: [{ name: 't', arguments: {} }] };
  };
  const play: Play = open([steered as never, { text: 'x' }], { tools: [tool('t')] });
  await play.agent.chat('Go');
  expect(JSON.stringify(sent(play))).toContain('mine');
  expect(JSON.stringify(sent(play))).not.toContain('other');
});

test('the shape of an answer is as it was given', async () => {
  const { agent } = open([{ text: '{"a":1}' }]);
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
  const chat = agent.chat('x', { schema: schema as never });
  schema.required.push('b');
  expect((await chat).output).toEqual({ a: 1 });
});

test('arguments of executeTool are as they were given', async () => {
  verifies('K3');
  const { agent } = open([], { tools: [tool('t')] });
  const args = { l: [1] };
  const result = agent.executeTool('t', args);
  args.l.push(2);
  expect((await result).data).toBe('{"l":[1]}');
});

test('a definition is as it was given', async () => {
  const parameters = { type: 'object', properties: { p: { type: 'string' } }, required: ['p'] } as const;
  const definition = { parameters: structuredClone(parameters), path_arguments: ['p'], sinks: ['p'] };
  const made = defineTool({ name: 't', description: 'T', risk: 'safe', run: () => 1, ...definition });
  changed(definition.parameters.required).pop();
  definition.path_arguments.pop();
  definition.sinks.pop();
  expect(made).toMatchObject({ parameters, path_arguments: ['p'], sinks: ['p'] });
});

test('names of parameters are as they were given', async () => {
  const names = ['a', 'b'];
  const subtract = registerTool('subtract', 'Subtracts', names, (a: number, b: number) => a - b, [
    'integer',
    'integer',
  ]);
  names.reverse();
  const { agent } = open([], { tools: [subtract] });
  expect((await agent.executeTool('subtract', { a: 3, b: 1 })).data).toBe('2');
});

test('what a chat came to is the program’s, and the conversation is not', async () => {
  const play = open([call('t', { l: [1] }), { text: 'x' }, { text: 'y' }], { tools: [tool('t')] });
  const { toolCalls } = await play.agent.chat('Go');
  Object.assign(toolCalls[0]?.result ?? {}, { data: 'other' });
  const [first] = await play.agent.messages();
  if (first !== undefined && !Object.isFrozen(first)) first.content = 'other';
  await play.agent.chat('More');
  expect(JSON.stringify(sent(play))).not.toContain('other');
});

test('the list of tools is changed by addTool alone', async () => {
  const play = open([{ text: 'x' }], { tools: [tool('t')] });
  changed(play.agent.tools).push(tool('u'));
  await play.agent.chat('x');
  expect(offered(play)).toEqual(['t']);
  expect(() => changed(builtinTools).push(tool('u'))).toThrow(TypeError);
});

/** Functions that a program registers by their parameters, called by the command line, over HTTP and by a model. */
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { registerTool } from '../../src/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const PLUGIN = `import { fail, registerTool } from 'halter';
export const plugin = { name: 'sums', tools: [
  registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']),
  registerTool('greet', 'Greet a person', ['name'], (name) => 'Hello, ' + name + '!'),
  registerTool('late', 'Break', [], () => new Error('no disk')),
  registerTool('gone', 'Break', [], () => fail('not_found', 'no such sum'), []),
  registerTool('mute', 'Break', [], () => { throw { reason: 'no paper' }; }, []),
  registerTool('pay', 'Pay', ['amount'], (amount) => amount, ['integer'], { risk: 'high' }),
] };`;
const homeWithPlugin = (): string => {
  const home = scratchFolder();
  putFiles(path.join(home, '.config/halter/plugins'), { 'sums.mjs': PLUGIN });
  return home;
};

it.each([[[]], [['--preset', 'zoo-keeper']]])(
  'answers with a registered function, with the flags %j',
  async (flags) => {
    verifies('K1', 'K7');
    const turns = [
      { text: '{"name": "add", "arguments": {"a": 42, "b": 58}}' },
      { text: '{"name": "late", "arguments": {}}' },
      { text: 'It is 100.' },
    ];
    const server = await startScriptedServer({ turns });
    onTestFinished(() => server.close());
    const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
    const ran = await runHalter(['run', 'What is 42 + 58?', ...reach, ...flags, '--format', 'json'], {
      home: homeWithPlugin(),
    });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json()).toMatchObject({
      answer: 'It is 100.',
      tool_calls: [
        { name: 'add', result: { success: true, data: '100' } },
        { name: 'late', result: { error_type: 'internal_error', metadata: { code: 501 } } },
      ],
    });
  },
);

it('runs a registered function from the command line, and asks only about one that names a risk', async () => {
  const home = homeWithPlugin();
  const call = async (name: string, args: object) => {
    const ran = await runHalter(['tools', 'call', name, JSON.stringify(args)], { home });
    return { code: ran.code, result: ran.json() };
  };
  expect(await call('add', { a: 42, b: 58 })).toMatchObject({ code: 0, result: { data: '100' } });
  expect(await call('greet', { name: 'Ada' })).toMatchObject({ code: 0, result: { data: 'Hello, Ada!' } });
  expect(await call('greet', { name: {} })).toMatchObject({ code: 1, result: { error_type: 'validation_failed' } });
  expect(await call('late', {})).toMatchObject({ code: 1, result: { metadata: { code: 501 } } });
  expect(await call('mute', {})).toMatchObject({ result: { error_message: 'mute failed: {"reason":"no paper"}' } });
  expect(await call('gone', {})).toMatchObject({
    code: 1,
    result: { error_type: 'not_found', error_message: 'no such sum', metadata: { code: 501 } },
  });
  expect(await call('pay', { amount: 1 })).toMatchObject({ code: 3, result: { error_type: 'permission_denied' } });
});

it.each([undefined, 'zoo-keeper'])('runs a registered function over HTTP, with the preset %s', async (preset) => {
  const add = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
  const late = registerTool('late', 'Break', [], () => new Error('no disk'), []);
  const plugins = { tools: [add, late], dialects: [], providers: {}, commands: [] };
  const server = await testServer(
    (_request, number) =>
      number === 0 ? { text: '{"name": "add", "arguments": {"a": 42, "b": 58}}' } : { text: 'It is 100.' },
    { plugins, preset },
  );
  const run = (tool_name: string, args: object) =>
    server.json('POST', '/api/tools/execute', { tool_name, arguments: args });
  expect(await run('add', { a: 1, b: 2 })).toMatchObject({ success: true, result: '3', exit_code: 0 });
  expect(await run('late', {})).toMatchObject({ success: false, tool_result: { metadata: { code: 501 } } });
  const reply = await server.json('POST', '/api/chat', { message: 'What is 42 + 58?', mode: 'agent' });
  expect(reply).toMatchObject({ tools_used: ['add'], answer: 'It is 100.\n\nSources: add' });
});

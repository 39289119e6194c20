/** Tools as data for other programs, and calls that share a session. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const CALL = '<tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>';

it.each([[[]], [['--preset', 'local-harness']]])(
  'what tools list prints is taken by parse and render (%j)',
  async (flags) => {
    verifies('L3');
    const cwd = scratchFolder();
    const openai = await runHalter(['tools', 'list', '--json', '--openai', ...flags], { cwd });
    const own = await runHalter(['tools', 'list', '--json', ...flags], { cwd });
    expect(JSON.parse(openai.out)[0]).toMatchObject({ type: 'function', function: { name: expect.any(String) } });
    putFiles(cwd, { 'openai.json': openai.out, 'own.json': own.out });
    const messages = JSON.stringify([{ role: 'user', content: 'hello' }]);
    for (const file of ['openai.json', 'own.json']) {
      const parsed = await runHalter(['parse', '--tools', file], { cwd, stdin: CALL });
      expect(parsed.json()['calls']).toMatchObject([{ name: 'ls', arguments: { path: 'src' } }]);
      const rendered = await runHalter(['render', '--dialect', 'hermes', '--tools', file], { cwd, stdin: messages });
      expect(rendered.out).toContain('"ls"');
    }
  },
);

it.each([undefined, 'local-harness'])('what GET /api/tools answers is taken by parse (preset %s)', async (preset) => {
  const server = await testServer({ text: '' }, { preset });
  const cwd = scratchFolder();
  for (const address of ['/api/tools', '/api/tools?form=openai']) {
    putFiles(cwd, { 'tools.json': await (await server.call('GET', address)).text() });
    const parsed = await runHalter(['parse', '--tools', 'tools.json'], { cwd, stdin: CALL });
    expect(parsed.json()['calls']).toMatchObject([{ name: 'ls' }]);
  }
});

const places = () => {
  const [cwd, home] = [scratchFolder(), scratchFolder()];
  const call = async (name: string, args: object, ...flags: string[]) => {
    const ran = await runHalter(['tools', 'call', name, JSON.stringify(args), ...flags], { cwd, home });
    return { ...ran, result: ran.out === '' ? undefined : ran.json() };
  };
  return { cwd, home, call };
};

it('calls of one session share its tasks, and a conversation goes on with them', async () => {
  verifies('Z4', 'L3');
  const { cwd, home, call } = places();
  expect((await call('add_task', { content: 'one' }, '--session', 'work')).result).toMatchObject({ data: 'task_1' });
  expect((await call('add_task', { content: 'two' }, '--session', 'work')).result).toMatchObject({ data: 'task_2' });
  const done = await call('update_task', { task_id: 'task_1', status: 'completed' }, '--session', 'work');
  expect(done.code).toBe(0);
  expect(String((await call('list_tasks', {}, '--session', 'work')).result?.['data'])).toMatch(/completed.*two/s);
  expect(String((await call('list_tasks', {}, '--session', 'other')).result?.['data'])).not.toContain('two');
  expect(String((await call('list_tasks', {})).result?.['data'])).not.toContain('two');

  const server = await startScriptedServer({
    turns: [{ calls: [{ name: 'list_tasks', arguments: {} }] }, { text: 'One is left.' }],
  });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const ran = await runHalter(['run', 'What is left?', ...reach, '--session', 'work', '--format', 'json'], {
    cwd,
    home,
  });
  expect(ran.code, ran.err).toBe(0);
  expect(JSON.stringify(ran.json()['tool_calls'])).toContain('two');
});

it('a call of a session stands in its log with its result, and the model is told nothing of it', async () => {
  verifies('B5', 'Z11');
  const { home, cwd, call } = places();
  await call('add_task', { content: 'one' }, '--session', 'work');
  await call('read_file', { path: 'none.txt' }, '--session', 'work');
  const exported = await runHalter(['sessions', 'export', 'work', '--format', 'json'], { home, cwd });
  const events = exported.json()['events'] as { type: string }[];
  const called = events.filter(({ type }) => type === 'tool_called');
  expect(called).toMatchObject([
    { name: 'add_task', arguments: { content: 'one' }, result: { success: true, data: 'task_1' } },
    { name: 'read_file', arguments: { path: 'none.txt' }, result: { success: false, error_type: 'permission_denied' } },
  ]);
  const shown = (await runHalter(['sessions', 'show', 'work'], { home, cwd })).out;
  expect(shown).toContain('[Tool: add_task] called from outside the conversation');
  expect(await runHalter(['replay', 'work'], { home, cwd })).toMatchObject({ code: 0 });
  const server = await startScriptedServer({ turns: [{ text: 'Hello.' }] });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  const ran = await runHalter(['run', 'Hello', ...reach, '--session', 'work'], { home, cwd });
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(server.requests[0]?.text).not.toContain('none.txt');
});

it('a session of another folder, or one that is in use, is refused in words', async () => {
  const { home, call } = places();
  await call('add_task', { content: 'one' }, '--session', 'work');
  const other = await runHalter(['tools', 'call', 'list_tasks', '{}', '--session', 'work'], { home });
  expect(other.code).toBe(1);
  expect(other.err).toMatch(/session work belongs to the folder/);
  const odd = await call('list_tasks', {}, '--session', '../x');
  expect(odd.code).not.toBe(0);
  expect(odd.err).toContain('../x');
});

it('over HTTP calls share the tasks of a session, whether it is open there or not', async () => {
  verifies('Z4', 'L3');
  const server = await testServer((request) =>
    request.messages.at(-1)?.role === 'tool' ? { text: 'Noted.' } : { calls: [{ name: 'list_tasks', arguments: {} }] },
  );
  const run = (tool_name: string, args: object, session_id: string) =>
    server.json<{ result: string }>('POST', '/api/tools/execute', { tool_name, arguments: args, session_id });
  expect(await run('add_task', { content: 'one' }, 'fresh')).toMatchObject({ result: 'task_1' });
  const said = { message: 'What is to do?', mode: 'agent', chat_id: 'fresh' };
  const reply = await server.json('POST', '/api/chat', said);
  expect(JSON.stringify(reply['tool_events'])).toContain('one');
  // The session is open now.
  expect(await run('add_task', { content: 'two' }, 'fresh')).toMatchObject({ result: 'task_2' });
  expect((await run('list_tasks', {}, 'fresh')).result).toMatch(/one.*two/s);
  expect((await run('list_tasks', {}, 'other')).result).not.toContain('two');
  const kept = await server.halter.sessions.read('fresh');
  const called = kept.ok ? kept.value.events.filter(({ type }) => type === 'tool_called') : [];
  expect(called.map((event) => ('name' in event ? event.name : ''))).toEqual(['add_task', 'add_task', 'list_tasks']);
});

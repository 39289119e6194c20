/** `tools_used` and `Sources` name what gave something, and what was looked up beforehand where the answer cites it. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const HITS = JSON.stringify([{ path: 'docs/towers.md', line_start: 1, line_end: 1, text: 'The tower is 300 m tall.' }]);
const retrieve = async (query: string) => ({
  tool: 'rag_search',
  args: { query },
  result: {
    success: true,
    data: HITS,
    error_message: null,
    error_type: 'none' as const,
    metadata: { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 },
  },
});

it.each([
  ['hello', 'Hello! What can I do?', []],
  ['hello', 'Hello! I read docs/towers.mdx and old-docs/towers.md.', []],
  ['How tall?', 'It is 300 m tall [source:rag_search].', ['rag_search']],
  ['How tall?', 'As docs/towers.md says, 300 m.', ['rag_search']],
  ['How tall?', 'I cannot say [source:web_search].', []],
])('over HTTP %j answered with %j has the sources %j', async (message, text, sources) => {
  verifies('E9', 'E10');
  for (const preset of [undefined, 'edison']) {
    const server = await testServer({ text }, { retrieve, preset });
    const reply = await server.json('POST', '/api/chat', { message, mode: 'agent' });
    const line = sources.length === 0 ? '' : `\n\nSources: ${sources.join(', ')}`;
    expect(reply).toMatchObject({ answer: `${text}${line}`, tools_used: sources, context: { tool: 'rag_search' } });
  }
});

it.each([[[]], [['--preset', 'local-harness']]])(
  'on the command line they are what gave something (%j)',
  async (flags) => {
    verifies('E9');
    const cwd = scratchFolder();
    putFiles(cwd, { 'a.txt': 'one' });
    const answered = [{ calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }, { text: 'It says one.' }];
    const run = async (turns: object[], ...more: string[]) => {
      const server = await startScriptedServer({ turns });
      onTestFinished(() => server.close());
      const reach = [
        '--provider',
        'openai',
        '--base-url',
        `${server.url}/v1`,
        '-m',
        'test-model',
        '--allow',
        'read_file',
      ];
      return runHalter(['run', 'What does a.txt say?', ...reach, ...flags, ...more], { cwd });
    };
    const said = (await run(answered, '--format', 'json')).json();
    expect(said).toMatchObject({ tools_used: ['read_file'], sources: ['read_file'] });
    expect(await run(answered)).toMatchObject({ out: 'It says one.\n\nSources: read_file\n' });
    const cites = 'It says "one" [source:read_file], and more [source:web_search].';
    expect((await run([...answered.slice(0, 1), { text: cites }], '--format', 'json')).json()).toMatchObject({
      citations: [
        { source: 'read_file', quote: 'one', verified: true, position: cites.indexOf('[') },
        { source: 'web_search', tool_call_id: null, verified: false },
      ],
    });
    // A call that failed gave nothing to answer from.
    const failing = [{ calls: [{ name: 'read_file', arguments: { path: 'none.txt' } }] }, { text: 'There is none.' }];
    expect((await run(failing, '--format', 'json')).json()).toMatchObject({ tools_used: [], sources: [] });
    expect(await run(failing)).toMatchObject({ out: 'There is none.\n', err: expect.not.stringContaining('Sources') });
    const none = await run([{ text: 'Hello.' }], '--format', 'json');
    expect(none.json()).toMatchObject({ tools_used: [], sources: [] });
    expect((await run([{ text: 'Hello.' }])).out).toBe('Hello.\n');
    // A run that was stopped says what it used so far.
    const stopped = (await run(answered.slice(0, 1), '--max-iterations', '1', '--format', 'json')).json();
    expect(stopped).toMatchObject({ tools_used: ['read_file'], sources: ['read_file'] });
  },
);

it('the preset edison ends its answer in them, on the command line and over HTTP', async () => {
  verifies('E9');
  const call = (tool: string, args: object) => ({ text: JSON.stringify({ tool, args }) });
  // No service is set up for the web, so that call fails.
  const turns = [call('web_search', { query: 'x' }), call('system_stats', {}), { text: 'All fine.' }];
  const answer = 'All fine.\n\nSources: system_stats';
  const server = await startScriptedServer({ turns: [...turns, ...turns] });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', '--yolo'];
  const run = (...flags: string[]) => runHalter(['run', 'How busy?', '--preset', 'edison', ...reach, ...flags]);
  expect(await run()).toMatchObject({ out: `${answer}\n`, err: expect.not.stringContaining('Sources') });
  const used = ['system_stats'];
  expect((await run('--format', 'json')).json()).toMatchObject({ tools_used: used, sources: used });
  const http = await testServer((_request, number) => turns[number] ?? { text: '' }, {
    preset: 'edison',
    allow: ['web_search'],
  });
  const reply = await http.json('POST', '/api/chat', { message: 'How busy?', mode: 'agent' });
  expect(reply).toMatchObject({ answer, tools_used: used });
});

it('names a command that ended with an error and printed something', async () => {
  verifies('E9');
  const turns = [
    { calls: [{ name: 'bash', arguments: { command: 'echo broken; exit 3' } }] },
    { text: 'It is broken.' },
  ];
  const server = await startScriptedServer({ turns: [...turns, ...turns] });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', '--allow', 'bash'];
  const ran = await runHalter(['run', 'Does it work?', ...reach, '--format', 'json']);
  expect(ran.json(), ran.err).toMatchObject({ tools_used: ['bash'], sources: ['bash'] });
  const http = await testServer((_request, number) => turns[number] ?? { text: '' }, { allow: ['bash'] });
  const reply = await http.json('POST', '/api/chat', { message: 'Does it work?', mode: 'agent' });
  expect(reply).toMatchObject({ answer: 'It is broken.\n\nSources: bash', tools_used: ['bash'] });
});

it.each([
  ['read_file', { path: 'none.txt' }, { sources: [] }],
  ['read_file', { path: 'a.txt' }, { sources: ['read_file'] }],
  ['ls', {}, { sources: ['ls'], shown_sources: [] }],
])('are kept in the session, for the terminal and the page: %s %j', async (name, args, sources) => {
  verifies('E9');
  const server = await testServer([{ calls: [{ name, arguments: args }] }, { text: 'Done.' }], { allow: [name] });
  putFiles(server.folder, { 'a.txt': 'one' });
  const { chat_id } = await server.json<{ chat_id: string }>('POST', '/api/chat', { message: 'Look.', mode: 'agent' });
  const kept = await server.halter.sessions.read(chat_id);
  const end = kept.ok ? kept.value.events.at(-1) : undefined;
  expect(end).toEqual({ type: 'run_completed', ...sources, seq: end?.seq, at: end?.at });
});

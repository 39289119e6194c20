/** What the presets promise, each sentence tried with the real program and over HTTP. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { presetNames } from '../../src/core/presets.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { testServer } from '../support/test-server.ts';

const model = async (...says: string[]) => {
  const server = await startScriptedServer({
    turns: ({ number }) => ({ text: says[Math.min(number, says.length - 1)] ?? '' }),
  });
  onTestFinished(() => server.close());
  return { server, reach: ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'] };
};
const STATS = '{"tool": "system_stats", "args": {}}';
const SUMMARY = expect.stringMatching(/^Tool 1 \[system_stats\]: results: cpu_percent: /);
const FOUR = ['web_search', 'rag_search', 'generate_image', 'system_stats'];

describe('the preset edison', () => {
  it('offers its four tools, also where nothing is set up for them', async () => {
    verifies('E1');
    const { server, reach } = await model('Hello.');
    const ran = await runHalter(['run', 'hello', '--preset', 'edison', ...reach]);
    expect(ran.code, ran.err).toBe(0);
    for (const name of FOUR) expect(server.requests[0]?.text).toContain(`\\"name\\": \\"${name}\\"`);
    const http = await testServer({ text: 'Hello.' }, { preset: 'edison' });
    await http.json('POST', '/api/chat', { message: 'hello', mode: 'agent' });
    for (const name of FOUR) expect(JSON.stringify(http.provider.requests[0]?.messages)).toContain(name);
  });

  it.each([
    ['web_search', { query: 'x' }, /HALTER_WEB_SEARCH_URL/],
    ['generate_image', { prompt: 'x' }, /HALTER_IMAGE_URL/],
    ['rag_search', { query: 'x' }, /halter index/],
  ])('says in the result of %s what to configure', async (tool, args, told) => {
    verifies('E1');
    const call = JSON.stringify({ tool, args });
    const { server, reach } = await model(call, 'Done.');
    const ran = await runHalter(['run', 'go', '--preset', 'edison', '--allow', tool, ...reach]);
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringMatching(/^Done\./) });
    expect(server.requests[1]?.text).toMatch(told);
    const http = await testServer([{ text: call }, { text: 'Done.' }], { preset: 'edison', allow: [tool] });
    const reply = await http.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(JSON.stringify(reply['tool_events'])).toMatch(told);
  });

  it.each(['edison', 'plain-json'])(
    'says the name of a tool once in a summary, with the dialect %s',
    async (dialect) => {
      verifies('E12');
      const call = dialect === 'edison' ? STATS : '{"name": "system_stats", "arguments": {}}';
      const flags = dialect === 'edison' ? ['--preset', 'edison'] : ['--dialect', dialect, '--results', 'summary'];
      const { server, reach } = await model(call, 'Idle.');
      const ran = await runHalter(['run', 'How busy?', ...flags, ...reach]);
      expect(ran.code, ran.err).toBe(0);
      expect(server.requests[1]?.body['messages']).toContainEqual({ role: 'user', content: SUMMARY });
      if (dialect !== 'edison') return;
      const http = await testServer([{ text: STATS }, { text: 'Idle.' }], { preset: 'edison' });
      await http.json('POST', '/api/chat', { message: 'How busy?', mode: 'agent' });
      expect(http.provider.requests[1]?.messages).toContainEqual({ role: 'user', content: SUMMARY });
    },
  );

  it('tells of each call with exactly its own fields', async () => {
    verifies('E12');
    const server = await testServer([{ text: STATS }, { text: 'Idle.' }], { preset: 'edison' });
    const body = { message: 'How busy?', mode: 'agent' };
    const reply = await server.json<{ tool_events: Record<string, unknown>[] }>('POST', '/api/chat', body);
    const [event] = reply.tool_events;
    expect(Object.keys(event ?? {}).sort()).toEqual(['args', 'result', 'summary', 'tool']);
    expect(event).toMatchObject({ tool: 'system_stats', args: {}, result: { ok: true, error: null } });
    expect(Object.keys(event?.['result'] as object).sort()).toEqual(['data', 'error', 'ok']);
    expect(event).toMatchObject({ result: { data: { cpu_percent: expect.any(Number) } } });
  });

  const REFUSED = [
    ['a comma too many', '{"tool": "system_stats", "args": {},}'],
    ['foreign quotes', "{'tool': 'system_stats', 'args': {}}"],
    ['a call in a list', '[{"tool": "system_stats", "args": {}}]'],
    ['args that are null', '{"tool": "system_stats", "args": null}'],
    ['a name spelled otherwise', '{"tool": "System_Stats", "args": {}}'],
    ['no args', '{"tool": "system_stats"}'],
    ['a key too many', '{"tool": "system_stats", "args": {}, "id": 1}'],
    ['a number as text', '{"tool": "rag_search", "args": {"query": "x", "limit": "3"}}'],
    ['a boolean for a number', '{"tool": "rag_search", "args": {"query": "x", "limit": true}}'],
    ['an argument that is missing', '{"tool": "rag_search", "args": {}}'],
  ] as const;
  it.each(everyNth(REFUSED, 4))('takes no call that `tools validate` does not take: %s', async (_what, call) => {
    verifies('E5');
    for (const flags of [[], ['--preset', 'edison']]) {
      const validated = await runHalter(['tools', 'validate', ...flags], { stdin: call });
      expect(validated.json()).toMatchObject({ valid: false });
    }
    const once = await model(call, 'Done.');
    const ran = await runHalter(['run', 'go', '--preset', 'edison', '--format', 'json', ...once.reach]);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json()).toMatchObject({ answer: 'Done.', tools_used: [] });
    expect(once.server.requests).toHaveLength(2);
    expect(once.server.requests[1]?.text).toMatch(/failed: (Invalid arguments|There is no tool)/);
    const server = await testServer({ text: call }, { preset: 'edison' });
    const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(reply).toMatchObject({ tools_used: [], exit_reason: 'error', error: { code: 503 } });
    expect(server.provider.requests).toHaveLength(2);
  });

  it('knows its four tools alone, on every surface, whatever is set up', async () => {
    verifies('E5');
    const named = async (...flags: string[]): Promise<string[]> =>
      JSON.parse((await runHalter(['tools', 'list', '--json', ...flags, '--preset', 'edison'])).out);
    const four = ['web_search', 'rag_search', 'generate_image', 'system_stats'];
    const names = (tools: unknown): unknown =>
      (tools as { function: { name: string } }[]).map((tool) => tool.function.name).sort();
    expect(names(await named('--openai'))).toEqual([...four].sort());
    const server = await testServer({ text: '' }, { preset: 'edison' });
    expect(names((await server.json('GET', '/api/tools?form=openai'))['tools'])).toEqual([...four].sort());
    const validate = async (stdin: string, preset: string) =>
      (await runHalter(['tools', 'validate', '--preset', preset], { stdin })).json();
    const ls = '{"tool": "ls", "args": {}}';
    expect(await validate(ls, 'edison')).toMatchObject({ valid: false, error: 'Unknown tool: ls.' });
    expect(await validate(ls, 'local-harness')).toMatchObject({ valid: true });
    for (const tool of four) {
      const args = { query: 'x', prompt: 'x' };
      expect(await validate(JSON.stringify({ tool, args }), 'edison')).toMatchObject({ valid: true });
    }
  });

  it.each([
    ['an unknown argument', '{"tool": "system_stats", "args": {"more": 1}}'],
    ['a number where a float is due', '{"tool": "generate_image", "args": {"prompt": "x", "guidance_scale": 3}}'],
  ])('takes what `tools validate` takes: %s', async (_what, call) => {
    verifies('E5');
    expect((await runHalter(['tools', 'validate'], { stdin: call })).json()).toMatchObject({ valid: true });
    const { reach } = await model(call, 'Done.');
    const args = ['run', 'go', '--preset', 'edison', '--allow', 'generate_image', '--format', 'json', ...reach];
    const ran = await runHalter(args);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json()['tool_calls']).toHaveLength(1);
    expect(ran.json()['tool_calls']).toMatchObject([
      { result: { error_type: expect.not.stringMatching('validation_failed') } },
    ]);
  });
});

describe('the preset llama-chat', () => {
  it.each([
    ['Mistral', '[TOOL_CALLS]bash[ARGS]{"command": "echo hi"}'],
    ['Llama 3', '<function=bash>{"command": "echo hi"}</function>'],
    ['Qwen', '<tool_call>{"name": "bash", "arguments": {"command": "echo hi"}}</tool_call>'],
  ])('reads calls in the notation of %s', async (_family, call) => {
    verifies('L1');
    const { server, reach } = await model(call, 'Done.');
    const args = ['run', 'go', '--preset', 'llama-chat', '--allow', 'bash', '--format', 'json', ...reach];
    const ran = await runHalter(args);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json()).toMatchObject({ answer: 'Done.', tools_used: ['bash'] });
    expect(server.requests[0]?.text).toContain('[AVAILABLE_TOOLS]');
    const http = await testServer([{ text: call }, { text: 'Done.' }], { preset: 'llama-chat', allow: ['bash'] });
    const reply = await http.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(reply['tools_used']).toEqual(['bash']);
  });
});

it('run --help explains each preset', async () => {
  const help = (await runHalter(['run', '--help'])).out;
  for (const name of presetNames) expect(help).toMatch(new RegExp(`\\b${name} \\([^)]{20,}`));
});

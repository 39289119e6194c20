/** What programs and scripts are told of a run: the whole change, each tool, and that a model takes no tools. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { inTurn } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { sentEvents } from '../support/sent-events.ts';
import { testServer } from '../support/test-server.ts';

const serve = async (options: ScriptedServerOptions) => {
  const server = await startScriptedServer(options);
  onTestFinished(() => server.close());
  return server;
};
const openai = ({ openaiUrl }: { openaiUrl: string }) => ['--provider', 'openai', '--base-url', openaiUrl];

const LINES = Array.from({ length: 500 }, (_, index) => `line ${index + 1} of it`);
const write = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: `${LINES.join('\n')}\n` } }] };

it('halter run says once that the starter answers, where nobody chose it', async () => {
  verifies('B11');
  const turns = [{ calls: [{ name: 'ls', arguments: { path: '.' } }] }, { text: 'Done.' }];
  const run = async (...more: string[]) =>
    runHalter(['run', 'go', ...openai(await serve({ turns, models: [{ id: 'starter' }] })), ...more]);
  const told = (text: string): number => text.split('This is the starter').length - 1;
  const ran = await run();
  expect(ran).toMatchObject({ code: 0, out: 'Done.\n' });
  expect(ran.err).toMatch(/^halter: This is the starter.*`ollama pull [\w.:]+`.*\n✓ ls/);
  expect(told(ran.err)).toBe(1);
  expect(told((await run('--quiet')).err)).toBe(0);
  expect(told((await run('-m', 'starter')).err)).toBe(0);
  const streamed = await run('--format', 'stream-json');
  expect(told(streamed.err)).toBe(0);
  expect(streamed.lines().filter(({ code }) => code === 'starter')).toMatchObject([{ type: 'warning' }]);
});

describe.each([
  { what: 'outside a preset', preset: undefined },
  { what: 'in the preset local-harness', preset: 'local-harness' },
])('$what', ({ preset }) => {
  const flags = preset ? ['--preset', preset] : [];
  const place = preset === undefined ? 0 : 1;

  it('a permission question holds the whole change, in every form', async () => {
    verifies('H7', 'B11');
    for (const format of ['stream-json', 'json']) {
      const server = await serve({ turns: [write] });
      const ran = await runHalter(['run', 'go', '--format', format, ...openai(server), ...flags]);
      expect(ran.code).toBe(3);
      const asked =
        format === 'json'
          ? ran.json()['permission_request']
          : ran.lines().find(({ type }) => type === 'permission_request');
      const { diff } = asked as { diff: string };
      for (const line of LINES) expect(diff).toContain(`\n+${line}`);
      expect(diff).not.toContain('not shown');
    }
    const turns = [write, { text: 'I may not.' }];
    const server = await testServer(turns, { preset });
    const reply = await server.json<{ permission_requests: { diff: string }[] }>('POST', '/api/chat', {
      message: 'go',
      mode: 'agent',
    });
    expect(reply.permission_requests[0]?.diff).toContain(`\n+${LINES.at(-1)}`);
    const again = await testServer(turns, { preset });
    const { id } = await again.json<{ id: string }>('POST', '/api/sessions');
    const events = again.call('GET', `/api/sessions/${id}/events`);
    await again.json('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'go' });
    for await (const { type, data } of sentEvents(await events)) {
      if (type !== 'permission_request') continue;
      expect(data['diff']).toContain(`\n+${LINES.at(-1)}`);
      break;
    }
  });

  it('halter run says on standard error which tool ran and how it ended, and --quiet stops it', async () => {
    verifies('B11');
    const turns = [
      { calls: [{ name: 'ls', arguments: { path: '.' } }] },
      { calls: [{ name: 'ls', arguments: { path: 'nowhere' } }] },
      { text: 'Done.' },
    ];
    const ran = await runHalter(['run', 'go', ...openai(await serve({ turns })), ...flags]);
    expect(ran).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(ran.err).toMatch(/^✓ ls \. {2}\d+ ms\n✗ ls nowhere {2}.*not found.*nowhere.*\n$/);
    const quiet = await runHalter(['run', 'go', '--quiet', ...openai(await serve({ turns })), ...flags]);
    expect(quiet).toMatchObject({ code: 0, out: 'Done.\n', err: '' });
  });

  const TEMPLATE = '{% for message in messages %}[INST] {{ message.content }} [/INST]{% endfor %}';
  const call = '[TOOL_CALLS]ls[ARGS]{"path": "."}';
  const hermes = '<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>';
  const MODELS = [
    {
      what: 'its template has no place for them',
      serves: ['openai', 'llama-cpp'],
      model: { chat_template: TEMPLATE },
      call,
      form: '[AVAILABLE_TOOLS]',
      refuses: false,
    },
    {
      what: 'its server says so',
      serves: ['ollama'],
      model: { tools: false },
      call: hermes,
      form: '<tools>',
      refuses: false,
    },
    { what: 'its server refuses them', serves: ['openai'], model: {}, call: hermes, form: '<tools>', refuses: true },
  ] as const;

  it.each(inTurn(MODELS, place, 2))(
    'a model that takes no tools is told of them once, and it is reported: $what',
    async (row) => {
      verifies('L1', 'L2');
      const options: ScriptedServerOptions = {
        serves: row.serves,
        models: [{ id: 'test-model', ...row.model }],
        turns: ({ body, text }) => {
          if (row.refuses && body['tools'] !== undefined)
            return { status: 400, body: '{"error":{"message":"test-model does not support tools"}}' };
          return text.includes('a.txt') ? { text: 'There is a.txt.' } : { text: row.call };
        },
      };
      const cwd = scratchFolder();
      putFiles(cwd, { 'a.txt': '' });
      const server = await serve(options);
      const reach = row.serves.includes('ollama' as never)
        ? ['--provider', 'ollama', '--base-url', server.url]
        : openai(server);
      const ran = await runHalter(['run', 'What is here?', ...reach, ...flags], { cwd });
      expect(ran, ran.err).toMatchObject({ code: 0, out: 'There is a.txt.\n' });
      expect(ran.err.match(/takes no tools of its own accord/g)).toHaveLength(1);
      expect(ran.err).toContain(row.what.replace('its template', 'its chat template'));
      const last = server.requests.at(-1);
      expect(last?.body['tools']).toBeUndefined();
      expect(last?.text).toContain(row.form);
      expect(last?.text.split('The current date and time (ISO 8601).')).toHaveLength(2);
      const streamed = await runHalter(['run', 'What is here?', '--format', 'stream-json', ...reach, ...flags], {
        cwd,
      });
      const warnings = streamed.lines().filter(({ code }) => code === 'tools_injected');
      expect(warnings).toHaveLength(1);
    },
  );

  it('a small one is led in steps, and it is reported once', async () => {
    verifies('L1', 'L2');
    const cwd = scratchFolder();
    putFiles(cwd, { 'a.txt': '' });
    const server = await serve({
      serves: ['ollama'],
      models: [{ id: 'test-model', tools: false, size_bytes: 100_000_000 }],
      turns: () => ({ text: 'made up' }),
    });
    const reach = ['--provider', 'ollama', '--base-url', server.url];
    const ran = await runHalter(['run', 'What files are here?', ...reach, ...flags], { cwd });
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.out).toContain('a.txt');
    expect(ran.out).not.toContain('made up');
    expect(ran.err.match(/It is led in steps/g)).toHaveLength(1);
    const asText = await runHalter(['run', 'Hello', '--tool-strategy', 'text', ...reach, ...flags], { cwd });
    expect(asText, asText.err).toMatchObject({ code: 0, out: 'made up\n' });
    expect(server.requests.at(-1)?.text).toContain('<tools>');
  });
});

it('over HTTP it is a warning event', async () => {
  verifies('L1');
  const info = { id: 'm', tools: false };
  const server = await testServer({ text: 'Hello.' }, { models: [info] });
  const warnings: unknown[] = [];
  const body = { message: 'hello', mode: 'agent', stream: true };
  for await (const { type, data } of sentEvents(await server.call('POST', '/api/chat', body))) {
    if (type === 'warning') warnings.push(data['code']);
  }
  expect(warnings).toContain('tools_injected');
  expect(server.provider.requests[0]?.tools).toEqual([]);
});

const TOOLS = JSON.stringify([
  { type: 'function', function: { name: 'look_up', description: 'Looks.', parameters: { type: 'object' } } },
]);
const turn = (open: string, close: string): string =>
  `{% for m in messages %}${open.replace('ROLE', '{{ m.role }}')}{{ m.content }}${close}{% endfor %}`;

describe('halter render --template', () => {
  it.each([
    ['mistral', turn('[INST]', '[/INST]'), '[AVAILABLE_TOOLS]'],
    ['qwen', turn('<|im_start|>ROLE\n', '<|im_end|>\n'), '<tools>'],
    ['llama 3', turn('<|start_header_id|>ROLE<|end_header_id|>', '<|eot_id|>'), '<function='],
    [
      'one that refuses the system role',
      `{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}${turn('[INST]', '[/INST]')}`,
      '[AVAILABLE_TOOLS]',
    ],
    [
      'one that only asks whether there are some',
      `{% if tools %}Use them.{% endif %}${turn('[INST]', '[/INST]')}`,
      '[AVAILABLE_TOOLS]',
    ],
    ['one that writes calls alone', `{{ messages[0].tool_calls }}${turn('[INST]', '[/INST]')}`, '[AVAILABLE_TOOLS]'],
    ['one that has a place for tools', `{% if tools %}OWN {{ tools | tojson }}{% endif %}${turn('', '')}`, 'OWN'],
  ])('tells of the tools once, in the form of the family: %s', async (_family, template, form) => {
    verifies('L2');
    const cwd = scratchFolder();
    putFiles(cwd, { 'chat.jinja': template, 'tools.json': TOOLS });
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ];
    const args = ['render', '--template', 'chat.jinja', '--tools', 'tools.json'];
    const ran = await runHalter(args, { cwd, stdin: JSON.stringify(messages) });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toContain(form);
    expect(/in the form of \S+\.\n$/.test(ran.err), ran.err).toBe(form !== 'OWN');
    expect(ran.out.split('"look_up"')).toHaveLength(2);
    expect(ran.out).toContain('Be brief.');
  });
});

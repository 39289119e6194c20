/** A call that would have to be asked about where nobody is there: the same words on every surface. */
import { expect, it, onTestFinished } from 'vitest';
import { createHarness, defineTool } from '../../src/index.ts';
import { scriptedProvider, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const WORDS =
  "read_file needs permission and nobody is there to ask: read_file has medium risk and no rule covers this call. Allow it with --allow 'folder:read', in a program with permissions: { allow: ['folder:read'] }.";
/** No model can set an option or a flag. */
const FOR_DEVELOPERS = /--allow|permissions: \{|onPermission|no rule covers/;
const CALL = { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] };
const DONE = { text: 'I could not read it.' };

const reach = async () => {
  const server = await startScriptedServer({ turns: ({ number }) => (number === 0 ? CALL : DONE) });
  onTestFinished(() => server.close());
  return { server, flags: ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'] };
};
const folder = (): string => {
  const cwd = scratchFolder();
  putFiles(cwd, { 'a.txt': 'one' });
  return cwd;
};

it.each([[[]], [['--preset', 'local-harness']]])('are those of a run that fails or denies (%j)', async (more) => {
  verifies('Z8', 'B11');
  const failing = await reach();
  const failed = await runHalter(['run', 'Read a.txt', ...failing.flags, ...more, '--format', 'json'], {
    cwd: folder(),
  });
  expect(failed).toMatchObject({ code: 3, err: expect.stringContaining(WORDS) });
  expect(failed.json()).toMatchObject({ error: { message: WORDS }, permission_request: { flag_rule: 'folder:read' } });
  const denying = await reach();
  const flags = [...denying.flags, ...more, '--on-ask', 'deny', '--format', 'json'];
  const denied = await runHalter(['run', 'Read a.txt', ...flags], { cwd: folder() });
  expect(denied.json(), denied.err).toMatchObject({
    answer: 'I could not read it.',
    tools_used: [],
    tool_calls: [{ result: { error_message: WORDS, metadata: { reason: 'permission_required' } } }],
  });
  const read = denying.server.requests[1]?.text;
  expect(read).toContain('read_file needs permission and nobody is there to ask');
  expect(read).not.toMatch(FOR_DEVELOPERS);
});

it('are those of one tool from the command line and over HTTP', async () => {
  verifies('L3');
  const ran = await runHalter(['tools', 'call', 'read_file', '{"path":"a.txt"}'], { cwd: folder() });
  expect(ran).toMatchObject({ code: 3 });
  expect(ran.json()).toMatchObject({ error_message: WORDS, metadata: { reason: 'permission_required' } });
  const server = await testServer(DONE);
  putFiles(server.folder, { 'a.txt': 'one' });
  const body = { tool_name: 'read_file', arguments: { path: 'a.txt' } };
  const answer = await server.call('POST', '/api/tools/execute', body);
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ tool_result: { error_message: WORDS } });
});

it.each([undefined, 'local-harness'])(
  'are those of a chat over HTTP that nobody follows, with the preset %s',
  async (preset) => {
    verifies('E13');
    const server = await testServer([CALL, DONE], { preset });
    putFiles(server.folder, { 'a.txt': 'one' });
    const reply = await server.json('POST', '/api/chat', { message: 'Read a.txt', mode: 'agent' });
    expect(reply).toMatchObject({
      answer: 'I could not read it.',
      tool_events: [{ result: { error_message: WORDS, metadata: { reason: 'permission_required' } } }],
      permission_requests: [{ name: 'read_file', flag_rule: 'folder:read' }],
    });
    expect(JSON.stringify(server.provider.requests[1]?.messages)).toContain('nobody is there to ask');
  },
);

it('are those of the library, to the model and to the program', async () => {
  verifies('K6');
  const pay = defineTool({
    name: 'pay',
    description: 'Pay',
    parameters: { type: 'object', properties: {} },
    run: () => 'done',
  });
  const warnings: string[] = [];
  const provider = scriptedProvider([{ calls: [{ name: 'pay', arguments: {} }] }, DONE]);
  const harness = createHarness({
    model: 'm',
    provider,
    tools: [pay],
    io: { onWarning: (_code: string, message: string) => warnings.push(message) },
  } as unknown as Parameters<typeof createHarness>[0]);
  onTestFinished(() => harness.close());
  const reason = 'pay needs permission and nobody is there to ask: pay has medium risk and no rule covers this call.';
  const words = `${reason} Allow it with --allow 'pay', in a program with permissions: { allow: ['pay'] }.`;
  const { toolCalls, warnings: told } = await harness.chat('Pay.');
  expect(toolCalls).toMatchObject([{ result: { error_message: words } }]);
  const read = JSON.stringify(provider.requests[1]?.messages);
  expect(read).toContain('pay needs permission and nobody is there to ask');
  expect(read).not.toMatch(FOR_DEVELOPERS);
  // A program has options and no flags.
  expect(told).toEqual([
    {
      code: 'permission',
      message: expect.stringMatching(/permissions: \{ allow: \['pay'\] \}\. Or pass onPermission/),
    },
  ]);
  expect(warnings).toEqual([expect.stringContaining(`${reason} Allow it with permissions: { allow: ['pay'] }.`)]);
  expect(await harness.executeTool('pay', {})).toMatchObject({ error_message: words });
});

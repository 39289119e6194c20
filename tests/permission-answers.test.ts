/**
 * Every boundary through which an answer to a permission request enters, and answers that are none of the documented
 * ones: the call never runs, and an error names the value.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { methods } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { askPerson } from '../src/cli/ask-person.ts';
import { createRemoteSession } from '../src/cluster/remote-session.ts';
import { checkEvents } from '../src/core/copy-events.ts';
import type { Command, Event } from '../src/core/events.ts';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';
import { parseReply } from '../src/core/permission-decision.ts';
import { fold, step } from '../src/core/step.ts';
import { defineTool } from '../src/core/tool/define-tool.ts';
import { createToolExecutor } from '../src/core/tool-executor.ts';
import { createHarness } from '../src/harness/create-harness.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { say as prompt, serve, withEditor } from './support/acp-editor.ts';
import { assembled, openedSession } from './support/assembled.ts';
import { cleanEnvironment } from './support/halter-process.ts';
import { MAIN } from './support/program.ts';
import { scratchFolder } from './support/scratch.ts';
import { sentEvents } from './support/sent-events.ts';
import { testServer } from './support/test-server.ts';

/** What came of the call: whether it ran, and everything that was said about the answer. */
type Tried = { ran: boolean; said: string };
type Boundary = readonly [name: string, answer: (value: unknown) => Promise<Tried>];

const WRITE = { id: 'w1', name: 'write_file', arguments: { path: 'out.txt', content: 'x' } };
const turns = [{ calls: [WRITE] }, { text: 'done' }];

/** Over the log up to a permission request for `WRITE`. */
const askedLog = (): Event[] => [
  { seq: 1, at: 1, type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'm' },
  { seq: 2, at: 1, type: 'user_message_added', content: 'go' },
  {
    seq: 3,
    at: 1,
    type: 'assistant_message_added',
    message: {
      role: 'assistant',
      content: '',
      tool_calls: [{ ...WRITE, source: 'native', repairs: [] }],
      finish: 'tool_calls',
    },
  },
  {
    seq: 4,
    at: 1,
    type: 'policy_evaluated',
    tool_call_id: 'w1',
    verdict: 'ask',
    risk: 'high',
    exclusive: true,
    arguments: WRITE.arguments,
    because: 'b',
  },
  { seq: 5, at: 1, type: 'permission_requested', tool_call_id: 'w1', risk: 'high', rule: { tool: 'write_file' } },
];
const resolved = (value: unknown): Event =>
  ({ seq: 6, at: 1, type: 'permission_resolved', tool_call_id: 'w1', decision: value }) as Event;

const harnessWith = (value: unknown) => {
  const run = vi.fn(async () => 'ran');
  const tool = defineTool({
    name: 'touch',
    description: 'Touches.',
    risk: 'medium',
    effects: 'write',
    parameters: { type: 'object', properties: {} },
    run,
  });
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([{ calls: [{ name: 'touch', arguments: {} }] }, { text: 'done' }]),
    tools: [tool],
    workspace: scratchFolder(),
    onPermission: () => value as never,
  });
  onTestFinished(() => harness.close());
  return { harness, run };
};

const IN_PROCESS: readonly Boundary[] = [
  [
    'library: chat',
    async (value) => {
      const { harness, run } = harnessWith(value);
      const { toolCalls } = await harness.chat('go');
      return { ran: run.mock.calls.length > 0, said: toolCalls[0]?.result.error_message ?? '' };
    },
  ],
  [
    'library: executeTool',
    async (value) => {
      const { harness, run } = harnessWith(value);
      const result = await harness.executeTool('touch', {});
      return { ran: run.mock.calls.length > 0, said: result.error_message ?? '' };
    },
  ],
  [
    'command of a session',
    async (value) => {
      const folder = scratchFolder();
      const halter = await assembled({ folder, modelProvider: scriptedProvider(turns) });
      const session = await openedSession(halter);
      const replies: string[] = [];
      session.subscribe((update) => {
        if (update.type !== 'permission_requested') return;
        const command = { type: 'resolve_permission', tool_call_id: 'w1', decision: value } as Command;
        void session.send(command).then((reply) => replies.push(JSON.stringify(reply)));
      });
      await session.send({ type: 'send_message', content: 'go' });
      await session.idle();
      return { ran: existsSync(join(folder, 'out.txt')), said: replies.join() };
    },
  ],
  [
    'session of a worker',
    async (value) => {
      const ordered: Command[] = [];
      const session = createRemoteSession({
        id: 's',
        events: askedLog(),
        limits: DEFAULT_LIMITS,
        queue: {
          async add({ command }: { command: Command }) {
            ordered.push(command);
            return { ok: true, value: 'o' };
          },
        } as never,
        feed: { follow: () => () => {} } as never,
        served: async () => ({ ok: true, value: new Set<string>() }),
        tellWorker: () => {},
        cancelHere: async () => {},
        subscribe: () => () => {},
      });
      const reply = await session.send({ type: 'resolve_permission', tool_call_id: 'w1', decision: value as never });
      const ran = ordered.some((command) => command.type === 'resolve_permission' && command.decision !== 'deny');
      return { ran, said: JSON.stringify(reply) };
    },
  ],
  [
    'log of another program, imported',
    async (value) => {
      const entries = [...askedLog(), resolved(value)].map((event, at) => ({ value: event, place: `line ${at + 1}` }));
      const checked = checkEvents(entries, DEFAULT_LIMITS);
      // An import is refused with its place and the values that are known.
      return { ran: checked.ok, said: checked.ok ? '' : `${checked.error.message} ${String(value)}` };
    },
  ],
  [
    'log on the disk, opened',
    async (value) => {
      const { state, effects } = step(fold(DEFAULT_LIMITS, askedLog()), resolved(value));
      const denied = effects.find(({ type }) => type === 'finish_call');
      const ran = effects.some(({ type }) => type === 'execute_tool') || state.entries[0]?.status === 'allowed';
      return { ran, said: denied ? 'denied' : '' };
    },
  ],
  [
    'executor of the documents',
    async (value) => {
      const executor = createToolExecutor({ policy: () => 'ask' });
      executor.start([{ ...WRITE, source: 'native', repairs: [] }]);
      executor.tick();
      executor.setPermissionResponse(value as never);
      const ran = executor.tick() === 'render_requested';
      return { ran, said: executor.results()[0]?.ended_by ?? '' };
    },
  ],
  [
    'verdict of an application',
    async (value) => {
      const executor = createToolExecutor({ policy: () => value as never });
      if (value === 'allow') return { ran: false, said: 'a verdict' };
      executor.start([{ ...WRITE, source: 'native', repairs: [] }]);
      const ran = executor.tick() === 'render_requested';
      return { ran, said: executor.results()[0]?.ended_by ?? '' };
    },
  ],
];

const UNKNOWN: readonly unknown[] = [
  false,
  true,
  null,
  undefined,
  0,
  1,
  '',
  'no',
  'yes',
  'allow',
  'Allow_Once',
  'ALLOW_ONCE',
  ' allow_once',
  'constructor',
  {},
  { decision: undefined },
  { decision: true },
  { decision: 'ok' },
  { decision: ['allow_once'] },
  { decision: 'allow_once', reason: 7 },
  { decision: 'allow_once', rule: { tool: '*' } },
  { allow: true },
  [],
  ['allow_once'],
  () => 'allow_once',
];

describe('an answer that is none', () => {
  it.each(IN_PROCESS)('%s: denies, and names the value', async (name, answer) => {
    verifies('Z8');
    for (const value of UNKNOWN) {
      const { ran, said } = await answer(value);
      expect(ran, `${name} ran the call for ${JSON.stringify(value)}`).toBe(false);
      const shown = parseReply(value).reason?.match(/(?:was|is|field) (.*?)(?:, which| and not|$)/)?.[1] ?? '';
      if (name.startsWith('library')) expect(said).toContain(shown);
      else expect(said, `${name}: ${JSON.stringify(value)}`).not.toBe('');
    }
  });

  it('HTTP: is refused, and nothing runs', async () => {
    verifies('Z8');
    const server = await testServer(turns);
    const stream = await server.call('POST', '/api/chat', {
      message: 'write',
      request_id: 'r1',
      stream: true,
    });
    const said: unknown[] = [];
    for await (const event of sentEvents(stream)) {
      if (event.type !== 'permission_request') continue;
      const { tool_call_id } = event.data;
      for (const decision of ['yes', true, null, { decision: 'allow_once' }]) {
        const response = await server.call('POST', '/api/chat/r1/permission', { tool_call_id, decision });
        said.push(response.status);
      }
      await server.call('POST', '/api/chat/r1/permission', { tool_call_id, decision: 'deny' });
    }
    expect(said).toEqual([400, 400, 400, 400]);
    expect(existsSync(join(server.folder, 'out.txt'))).toBe(false);
  });

  it('terminal: a line that is no answer is asked for again, and closed input denies', async () => {
    const stdin = new PassThrough();
    const stderr = new PassThrough();
    const shown: string[] = [];
    stderr.on('data', (data: Buffer) => shown.push(data.toString()));
    const lines = ['yes', 'constructor', '0', '5', '1 and more', '__proto__'];
    stderr.on('data', (data: Buffer) => {
      if (!data.toString().includes('[4] Deny: ')) return;
      const line = lines.shift();
      if (line === undefined) stdin.end();
      else stdin.write(`${line}\n`);
    });
    const question = { id: 'w1', name: 'write_file', arguments: {}, risk: 'high', rule: { tool: 'write_file' } };
    const io = { stdin, stderr, stdout: stderr, env: {} };
    const answer = await askPerson(
      question as never,
      { text: 'none', confined: false },
      io as never,
      new AbortController().signal,
    );
    expect(answer.decision).toBe('deny');
    expect(lines).toEqual([]);
  });

  it('ACP: an option that was not offered denies', async () => {
    const cwd = scratchFolder();
    const server = await serve(turns);
    await withEditor(
      server,
      () => 'allow',
      async (editor, { questions, updates }) => {
        const { sessionId } = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
        await editor.request(methods.agent.session.prompt, { sessionId, prompt: prompt('write') });
        expect(questions).toHaveLength(1);
        expect(JSON.stringify(updates)).toContain('which is none of allow_once');
      },
    );
    expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
    // The model is told that it was not run; what was wrong with the answer is the editor's business.
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('write_file needs permission');
  });

  it('MCP: a form with another value denies and names it', async () => {
    const cwd = scratchFolder();
    const env = cleanEnvironment(scratchFolder());
    const transport = new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp'], env, cwd });
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    await client.connect(transport);
    onTestFinished(() => client.close());
    let decision: unknown;
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: 'accept' as const,
      content: { decision: decision as string },
    }));
    for (decision of ['allow_once', 'remember', 'yes', '']) {
      const result = await client.callTool({ name: 'write_file', arguments: WRITE.arguments }).catch(String);
      expect(JSON.stringify(result)).toContain(JSON.stringify(JSON.stringify(decision)).slice(1, -1));
      expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
    }
  });
});

describe('an answer that is one', () => {
  it.each(['allow_once', 'session', 'remember', { decision: 'allow_once' }, { decision: 'session', reason: '' }])(
    'library: %j runs the call',
    async (value) => {
      const chat = harnessWith(value);
      await chat.harness.chat('go');
      expect(chat.run).toHaveBeenCalledOnce();
      const once = harnessWith(value);
      expect(await once.harness.executeTool('touch', {})).toMatchObject({ success: true });
    },
  );

  it('of a promise and with a reason reaches the model', async () => {
    const { harness, run } = harnessWith(Promise.resolve({ decision: 'deny', reason: 'not today' }));
    const { toolCalls } = await harness.chat('go');
    expect(run).not.toHaveBeenCalled();
    expect(toolCalls[0]?.result.error_message).toContain('not today');
  });
});

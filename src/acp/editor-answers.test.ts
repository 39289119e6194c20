/** What an editor may send back to a question: only an option that was offered counts, and nothing else leaves the run waiting. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyMessage, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assembled } from '../../tests/support/assembled.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { succeed } from '../core/outcome.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createAcpAgent } from './agent.ts';

/** A response to the question, without its envelope. */
type Answer = { result?: unknown; error?: unknown };
type Asked = { id: number; options: string[] };

const WRITE = { id: 'w1', name: 'write_file', arguments: { path: 'out.txt', content: 'x' } };
/** A file that is asked about each time: no lasting yes is offered. */
const AUTOLOADED = { id: 'w1', name: 'write_file', arguments: { path: '.npmrc', content: 'x' } };

/** An editor that speaks the wire itself, since the protocol's own client sends no nonsense. */
const editorOf = async (call: typeof WRITE, answer: (asked: Asked) => Answer | 'hang up') => {
  const folder = scratchFolder();
  const provider = scriptedProvider([{ calls: [call] }, { text: 'Went on.' }]);
  const { app, close } = createAcpAgent({
    version: '1',
    open: async () => succeed(await assembled({ folder, modelProvider: provider })),
    consents: { has: async () => false, add: async () => {} },
  });
  const toAgent = new TransformStream<AnyMessage>();
  const fromAgent = new TransformStream<AnyMessage>();
  const connection = app.connect({ readable: toAgent.readable, writable: fromAgent.writable });
  onTestFinished(async () => {
    connection.close();
    await close();
  });
  const writer = toAgent.writable.getWriter();
  const waiting = new Map<number, (message: Record<string, unknown>) => void>();
  const questions: Asked[] = [];
  void (async () => {
    for await (const read of fromAgent.readable) {
      const message = read as Record<string, unknown> & { id: number; params: { options: { optionId: string }[] } };
      if (message.method === undefined) waiting.get(message.id)?.(message);
      if (message.method !== methods.client.session.requestPermission) continue;
      const asked = { id: message.id, options: message.params.options.map(({ optionId }) => optionId) };
      questions.push(asked);
      const said = answer(asked);
      if (said === 'hang up') connection.close();
      else void writer.write({ jsonrpc: '2.0', id: message.id, ...said } as AnyMessage);
    }
  })();
  let last = 0;
  const request = (method: string, params: unknown): Promise<Record<string, unknown>> => {
    last += 1;
    const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(last, resolve));
    void writer.write({ jsonrpc: '2.0', id: last, method, params } as AnyMessage);
    return answered;
  };
  await request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  return { request, folder, questions, provider, closed: connection.closed, close };
};

const promptIn = async (editor: Awaited<ReturnType<typeof editorOf>>, mcpServers: unknown[] = []) => {
  const begun = await editor.request(methods.agent.session.new, { cwd: editor.folder, mcpServers });
  const { sessionId } = begun.result as { sessionId: string };
  const prompt = [{ type: 'text', text: 'go' }];
  return editor.request(methods.agent.session.prompt, { sessionId, prompt });
};

const selected = (optionId: unknown): Answer => ({ result: { outcome: { outcome: 'selected', optionId } } });

const NO_ANSWERS: readonly (readonly [string, Answer])[] = [
  ['nothing', {}],
  ['null', { result: null }],
  ['an empty object', { result: {} }],
  ['a word', { result: 'allow_once' }],
  ['a list', { result: ['allow_once'] }],
  ['no outcome', { result: { outcome: null } }],
  ['a bare outcome', { result: { outcome: 'selected', optionId: 'allow_once' } }],
  ['an outcome of another name', { result: { outcome: { outcome: 'accepted', optionId: 'allow_once' } } }],
  ['an outcome that is text', { result: { outcome: 'allow_once' } }],
  ['no option', { result: { outcome: { outcome: 'selected' } } }],
  ['an option that was not offered', selected('allow')],
  ['an option in other letters', selected('ALLOW_ONCE')],
  ['the name of an option', selected('Allow once')],
  ['an option of objects', selected('constructor')],
  ['an option that is a list', selected(['allow_once'])],
  ['an option that is an object', selected({ decision: 'allow_once' })],
  ['an option that is a number', selected(0)],
  ['an option that is yes', selected(true)],
  [
    'an outcome that was closed, with an option',
    { result: { outcome: { outcome: 'cancelled', optionId: 'session' } } },
  ],
  ['an error', { error: { code: -32603, message: 'cannot show it' } }],
  ['an error without a code', { error: { message: 'allow_once' } }],
  ['an error that is text', { error: 'allow_once' }],
  ['a result and an error', { ...selected('allow_once'), error: { code: 1, message: 'no' } }],
];

describe('an answer of an editor that is none', () => {
  it.each(NO_ANSWERS)('%s: denies the call, and the run goes on to its end', async (_name, answer) => {
    const editor = await editorOf(WRITE, () => answer);
    expect(await promptIn(editor)).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(editor.questions).toHaveLength(1);
    expect(existsSync(join(editor.folder, 'out.txt'))).toBe(false);
  });

  it.each(['session', 'remember'])('%s, where it was not offered, denies', async (option) => {
    const editor = await editorOf(AUTOLOADED, () => selected(option));
    expect(await promptIn(editor)).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(editor.questions).toMatchObject([{ options: ['allow_once', 'deny'] }]);
    expect(existsSync(join(editor.folder, '.npmrc'))).toBe(false);
  });

  it.each(NO_ANSWERS)('%s: does not start an MCP server, and the prompt is answered', async (_name, answer) => {
    const marker = join(scratchFolder(), 'started');
    const server = { name: 's', command: '/usr/bin/touch', args: [marker], env: [] };
    const editor = await editorOf(WRITE, () => answer);
    expect(await promptIn(editor, [server])).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(join(editor.folder, 'out.txt'))).toBe(false);
  });

  it('an editor that hangs up has said no', async () => {
    const editor = await editorOf(WRITE, () => 'hang up');
    void promptIn(editor);
    await editor.closed;
    await editor.close();
    expect(editor.questions).toHaveLength(1);
    expect(existsSync(join(editor.folder, 'out.txt'))).toBe(false);
  });
});

describe('an answer of an editor that is one', () => {
  it('runs the call', async () => {
    const editor = await editorOf(WRITE, () => selected('allow_once'));
    expect(await promptIn(editor)).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(existsSync(join(editor.folder, 'out.txt'))).toBe(true);
  });
});

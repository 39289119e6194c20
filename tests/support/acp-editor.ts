/** An editor for tests: the real program over its pipes, spoken to by the protocol's own client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  type ClientContext,
  type ContentBlock,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import { expect, onTestFinished } from 'vitest';
import { type ScriptedServer, type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { cleanEnvironment } from './halter-process.ts';
import { MAIN } from './program.ts';
import { scratchFolder } from './scratch.ts';

export type Update = SessionNotification['update'];
/** What the editor was asked to put to its person. */
export type Elicited = { mode: string; message: string; requestedSchema?: object; url?: string; toolCallId?: string };
export type Question = { title: string; options: string[]; content: unknown };

export const serve = async (turns: ScriptedServerTurn[]): Promise<ScriptedServer> => {
  const server = await startScriptedServer({ turns });
  onTestFinished(() => server.close());
  return server;
};
export const flagsFor = (server: ScriptedServer): string[] => [
  'acp',
  '--provider',
  'openai',
  '--base-url',
  server.openaiUrl,
];

/** An editor that answers every question in one way and keeps what it was told. */
export const withEditor = async <T>(
  server: ScriptedServer,
  answer: (question: Question) => string | undefined,
  work: (context: ClientContext, seen: { updates: Update[]; questions: Question[] }) => Promise<T>,
  home = scratchFolder(),
  form?: (asked: Elicited) => Record<string, string> | undefined,
): Promise<T> => {
  const child = spawn(process.execPath, [MAIN, ...flagsFor(server)], {
    env: cleanEnvironment(home),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const closed = once(child, 'close');
  const seen = { updates: [] as Update[], questions: [] as Question[] };
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const result = await client({ name: 'test' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const question = {
        title: params.toolCall.title ?? '',
        options: params.options.map(({ optionId, name }) => `${optionId}: ${name}`),
        content: params.toolCall.content,
      };
      seen.questions.push(question);
      const optionId = answer(question);
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      const content = form?.(params as unknown as Elicited);
      return content === undefined ? { action: 'decline' } : { action: 'accept', content };
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      seen.updates.push(params.update);
    })
    .connectWith(stream, async (context) => {
      const hello = await context.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        ...(form ? { clientCapabilities: { elicitation: { form: {}, url: {} } } } : {}),
      });
      expect(hello).toMatchObject({ agentInfo: { name: 'halter' }, agentCapabilities: { loadSession: true } });
      return work(context, seen);
    });
  child.stdin.end();
  expect(await closed).toEqual([0, null]);
  return result;
};
export const say = (text: string): ContentBlock[] => [{ type: 'text', text }];
export const spoken = (updates: readonly Update[], kind: Update['sessionUpdate']): string =>
  updates
    .map((update) =>
      update.sessionUpdate === kind &&
      'content' in update &&
      !Array.isArray(update.content) &&
      update.content?.type === 'text'
        ? update.content.text
        : '',
    )
    .join('');

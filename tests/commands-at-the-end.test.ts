/**
 * An answer is complete on the screen before its run is over. Whoever types a command then is not told that a run goes
 * on: every command that needs the session at rest waits for the end. Where the run does go on, they are told so.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { SessionFace } from '../src/core/events.ts';
import { runTerminal, type TerminalOptions } from '../src/terminal/run-terminal.ts';
import { COMMANDS } from '../src/terminal/slash/commands.ts';
import type { SlashCommand } from '../src/terminal/slash/slash-command.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession } from './support/assembled.ts';

/** What is typed, and what the person reads when it was done. */
const DONE: Readonly<Record<string, RegExp>> = {
  '/new': /A new session\./,
  '/clear': /A new session\./,
  '/sessions': /There are no other sessions in this folder\./,
  '/resume': /There are no other sessions in this folder\./,
  '/rewind': /Go back to before this message/,
  '/tree': /Go on where this message leads to/,
  '/fork': /A copy of session/,
  '/compact': /There is too little to drop/,
  '/undo': /Nothing|nothing|no change/,
  '/regenerate': /The next answer\./,
  '/think on': /Thinking: on/,
  '/context files': /These are the files of this folder/,
};
const BUSY = /A run is going on\./;

type App = { type(text: string): void; until(fact: string | RegExp): Promise<string> };

const open = async (first: ScriptedProviderTurn): Promise<App> => {
  const scripted = scriptedProvider([first, { text: 'The next answer.' }], { models: [{ id: 'test-model' }] });
  const halter = await assembled({ modelProvider: scripted, mode: 'ask' });
  const session = await openedSession(halter);
  let shown = '';
  let key: (data: string) => void = () => {};
  const terminal = {
    start: (onInput: (data: string) => void) => {
      key = onInput;
    },
    write: (data: string) => {
      shown += data;
    },
    drainInput: async () => {},
    columns: 100,
    rows: 36,
    kittyProtocolActive: false,
  };
  const nothing = new Proxy(terminal, {
    get: (target, name) => (name in target ? target[name as keyof typeof target] : () => {}),
  }) as unknown as NonNullable<TerminalOptions['terminal']>;
  const opened = async (): Promise<SessionFace> => openedSession(halter);
  const over = runTerminal({
    session,
    openSession: opened,
    forkSession: opened,
    listSessions: async () => [],
    listFiles: async () => ['a.txt'],
    tools: [],
    model: { name: 'test-model', endpoint: 'here' },
    sandbox: { text: 'sandboxed', confined: true },
    environment: { NO_COLOR: '1' },
    attention: 'never',
    terminal: nothing,
  });
  onTestFinished(async () => {
    key('\x03');
    key('\x03');
    key('\x03');
    await over;
  });
  await turn();
  await turn();
  const seen = (): string => shown.replaceAll(/\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07)/g, '');
  return {
    type: (text) => {
      for (const character of text) key(character);
    },
    until: async (fact) => {
      await expect.poll(seen, { timeout: 20_000, interval: 10 }).toMatch(fact);
      return seen();
    },
  };
};

const answered = async (first: ScriptedProviderTurn): Promise<App> => {
  const app = await open(first);
  app.type('hello\r');
  await app.until('First answer.');
  return app;
};

it.each(Object.entries(DONE))('%s waits for the end of an answer that is complete', async (typed, done) => {
  verifies('Z19');
  const end = Promise.withResolvers<void>();
  const app = await answered({ text: ['First answer.'], endGate: end.promise });
  app.type(`${typed}\r`);
  await app.until(new RegExp(`[>❯] ${typed}`));
  end.resolve();
  expect(await app.until(done)).not.toMatch(BUSY);
});

const LOCAL = ['/new', '/sessions', '/rewind', '/tree', '/fork', '/compact', '/undo', '/regenerate', '/context files'];

it.each(LOCAL)('%s says so while a run goes on', async (typed) => {
  verifies('Z19');
  const calls = [{ name: 'ls', arguments: { path: '.' } }];
  const app = await answered({ text: ['First answer.'], calls, endGate: new Promise(() => {}) });
  await app.until(/Writing a call|First answer/);
  app.type(`${typed}\r`);
  await app.until(BUSY);
  app.type('\x1b');
});

it('has a row for each command that waits', () => {
  const waits = ({ waitsForEnd, words = [] }: SlashCommand): boolean =>
    ['', ...words].some((argument) => waitsForEnd?.(argument) === true);
  const rows = Object.keys(DONE).map((typed) => typed.slice(1).split(' ')[0]);
  expect(
    COMMANDS.filter(waits)
      .map(({ name }) => name)
      .filter((name) => !rows.includes(name)),
  ).toEqual([]);
});

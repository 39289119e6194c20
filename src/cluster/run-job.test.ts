import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { Command } from '../core/events.ts';
import type { ModelError } from '../core/model-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { type Begun, type RunJobPorts, runJob } from './run-job.ts';

/** What becomes of a message where its session cannot be opened, or is not gone on with. */
const unopened = (error: ModelError) => played({ ok: false, error });
const played = async (opened: unknown): Promise<{ begun: Begun; told: boolean; left: boolean }> => {
  let told = false;
  let left = false;
  let begun: Begun | undefined;
  const ports = {
    openSession: async () => opened,
    async elsewhere() {
      left = true;
    },
    async once(work: () => Promise<Begun>) {
      begun = await work();
      return begun;
    },
    later: async () => {},
    async tellUnusable() {
      told = true;
      return succeed(undefined);
    },
  } as unknown as RunJobPorts;
  expect(await runJob({ session: 's', command: { type: 'send_message', content: 'go' } }, ports)).toBe('done');
  return { begun: begun as Begun, told, left };
};

test('what is wrong with the model is told, and what is wrong with the database is waited for', async () => {
  verifies('B12');
  const of = (reason: string): ModelError => ({ code: 'bad_request', message: 'no', reason, of_storage: true });
  for (const error of ['in_use', 'unreachable', 'lost', 'database_error'].map(of)) {
    expect(await unopened(error)).toMatchObject({ begun: { kind: 'later' }, told: false });
  }
  expect(await unopened({ code: 'unreachable', message: 'no' })).toMatchObject({ begun: { kind: 'told' }, told: true });
});

test('a session of another folder is left to others, and one that names no folder is refused in words', async () => {
  verifies('B6', 'B12');
  const other: ModelError = { code: 'bad_request', message: 'no', reason: 'other_folder', of_storage: true };
  expect(await unopened(other)).toMatchObject({ begun: { kind: 'elsewhere' }, told: false, left: true });
  let isClosed = false;
  const session = {
    log: () => [{ seq: 1, at: 0, type: 'user_message_added', content: 'go' }],
    async leave() {
      isClosed = true;
    },
  };
  expect(await played(succeed(session))).toMatchObject({ begun: { kind: 'told' }, told: true, left: false });
  expect(isClosed).toBe(true);
});

test.each<[Command, Outcome<void>, Begun['kind'], boolean]>([
  [{ type: 'send_message', content: 'go' }, succeed(undefined), 'told', false],
  [{ type: 'send_message', content: 'go' }, failure('io_error', 'Not now', 'not_now'), 'told', true],
  [{ type: 'send_message', content: 'go' }, failure('io_error', 'away', 'unreachable'), 'later', false],
  [{ type: 'steer', content: 'go' }, succeed(undefined), 'told', true],
  [{ type: 'compact' }, succeed(undefined), 'told', true],
  [{ type: 'resolve_permission', tool_call_id: 'c', decision: 'allow_once' }, succeed(undefined), 'told', true],
  [{ type: 'rename', title: 'x' }, succeed(undefined), 'told', true],
])(
  'of a session that names no folder %j (told: %j) is not put off for ever: %s',
  async (command, told, kind, isSaid) => {
    verifies('B12');
    const said: string[] = [];
    let begun: Begun | undefined;
    const session = {
      log: () => [{ seq: 1, at: 0, type: 'user_message_added', content: 'go' }],
      leave: async () => {},
    };
    const ports = {
      openSession: async () => succeed(session),
      async once(work: () => Promise<Begun>) {
        begun = await work();
        return begun;
      },
      later: async () => {},
      tellUnusable: async () => told,
      publish: (_session: string, _after: number, { type, message }: { type: string; message: string }) =>
        void said.push(`${type} ${message}`),
      warn: (message: string) => void said.push(message),
    } as unknown as RunJobPorts;
    await runJob({ session: 's', command }, ports);
    expect(begun).toMatchObject({ kind });
    expect(said.filter((text) => text.includes('does not say which folder'))).toHaveLength(isSaid ? 2 : 0);
  },
);

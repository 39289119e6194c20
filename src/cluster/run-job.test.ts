import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { ModelError } from '../core/model-port.ts';
import { succeed } from '../core/outcome.ts';
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

import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { ModelError } from '../core/model-port.ts';
import { succeed } from '../core/outcome.ts';
import { type Begun, type RunJobPorts, runJob } from './run-job.ts';

/** What becomes of a message where its session cannot be opened. */
const unopened = async (error: ModelError): Promise<{ begun: Begun; told: boolean }> => {
  let told = false;
  let begun: Begun | undefined;
  const ports = {
    openSession: async () => ({ ok: false, error }),
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
  return { begun: begun as Begun, told };
};

test('what is wrong with the model is told, and what is wrong with the database is waited for', async () => {
  verifies('B12');
  const of = (reason: string): ModelError => ({ code: 'bad_request', message: 'no', reason, of_storage: true });
  for (const error of ['in_use', 'unreachable', 'lost', 'database_error'].map(of)) {
    expect(await unopened(error)).toMatchObject({ begun: { kind: 'later' }, told: false });
  }
  expect(await unopened({ code: 'unreachable', message: 'no' })).toMatchObject({ begun: { kind: 'told' }, told: true });
});

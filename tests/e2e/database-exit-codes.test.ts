/** Exit codes are the same with a database as with files: nothing ends the program before its code is known. */

import { describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { NO_POSTGRES, usePostgres } from '../support/postgres.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const postgres = usePostgres();
const PATIENT = { timeout: 120_000 };
const reading = { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] };

it.each(['worker', 'worker failed', 'worker retry x', 'worker discard x'])(
  '`halter %s` without a database says where one is named, and was called wrongly',
  PATIENT,
  async (command) => {
    const ran = await runHalter(command.split(' '), { env: { HALTER_DATABASE_URL: '' } });
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/--database.*HALTER_DATABASE_URL/s)]);
  },
);

it.each(['notaurl', 'mysql://me:secret@host/x', 'postgres://[bad', 'postgres://me:secret@host:port/x'])(
  'an address that is none, %s, is not shown, and where it is corrected is told',
  PATIENT,
  async (address) => {
    const ran = await runHalter(['sessions', 'list'], { env: { HALTER_DATABASE_URL: address } });
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/--database, HALTER_DATABASE_URL or the setting database/);
    expect(ran.err).not.toMatch(/secret|notaurl|\[bad/);
  },
);

const SOURCES: [string, (address: string) => { args: string[]; env: Record<string, string> }][] = [
  ['HALTER_DATABASE_URL', (address) => ({ args: [], env: { HALTER_DATABASE_URL: address } })],
  ['--database', (address) => ({ args: ['--database', address], env: { HALTER_DATABASE_URL: '' } })],
];
const NAMED = SOURCES.flatMap(([source, given]) =>
  ['run hi', 'worker', 'serve --port 0', 'serve --workers --port 0'].map((line) => [line, source, given] as const),
);
it.each(everyNth(NAMED, 3))(
  '`halter %s` says so as well of one in %s, in the words of the program',
  PATIENT,
  async (line, _, given) => {
    const { args, env } = given('mysql://me:secret@host/x');
    const ran = await runHalter([...line.split(' '), ...args], { env });
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/--database, HALTER_DATABASE_URL or the setting database/);
    expect(ran.err).not.toMatch(/secret|storage\.url/);
  },
);

describe.skipIf(NO_POSTGRES !== undefined)(
  `exit codes with a database${NO_POSTGRES ? ` (${NO_POSTGRES})` : ''}`,
  () => {
    it.each([
      { what: 'a permission that nobody can give', code: 3, turn: reading, flags: ['--on-ask', 'fail'] },
      { what: 'a limit', code: 4, turn: reading, flags: ['--yolo', '--max-iterations', '1'] },
      { what: 'a model that cannot be used', code: 5, turn: { status: 404, body: '{}' }, flags: [] },
    ])('$what', PATIENT, async ({ code, turn, flags, what }) => {
      await using model = await startScriptedServer({ turns: () => turn });
      const cwd = scratchFolder();
      putFiles(cwd, { 'a.txt': 'a' });
      const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model', '--no-sandbox'];
      const onFiles = await runHalter(['run', ...reach, ...flags, 'go'], { cwd });
      expect(onFiles.code, `${what} on files: ${onFiles.err}`).toBe(code);
      const env = { HALTER_DATABASE_URL: await postgres().url(`exit_${code}`) };
      const onDatabase = await runHalter(['run', ...reach, ...flags, 'go'], { cwd, env });
      expect(onDatabase.code, onDatabase.err).toBe(code);
    });

    it('a session that another process has', PATIENT, async () => {
      const asked = Promise.withResolvers<void>();
      await using model = await startScriptedServer({
        turns: () => {
          asked.resolve();
          return { text: 'never heard to its end', hangAfterWrites: 2 };
        },
      });
      const env = { HALTER_DATABASE_URL: await postgres().url('exit_in_use') };
      const cwd = scratchFolder();
      const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model', '--no-sandbox'];
      startHalter(['run', ...reach, '--session', 'mine', 'go'], { cwd, env });
      await asked.promise;
      const other = await runHalter(['run', ...reach, '--session', 'mine', 'go'], { cwd, env });
      expect(other.err).toContain('open in another halter');
      expect(other.code).toBe(1);
    });

    it('a worker without its queue', PATIENT, async () => {
      const url = await postgres().url('exit_no_queue');
      // A role that may read nothing but make no schema of the queue.
      await postgres().sql('CREATE ROLE keeper LOGIN', 'exit_no_queue');
      const first = await runHalter(['sessions', 'list'], { env: { HALTER_DATABASE_URL: url } });
      expect(first.code).toBe(0);
      await postgres().sql(
        'GRANT USAGE ON SCHEMA halter TO keeper; GRANT ALL ON ALL TABLES IN SCHEMA halter TO keeper; GRANT ALL ON ALL SEQUENCES IN SCHEMA halter TO keeper',
        'exit_no_queue',
      );
      const ran = await runHalter(['worker', '--provider', 'openai', '-m', 'x'], {
        env: { HALTER_DATABASE_URL: url.replace('halter:', 'keeper:') },
      });
      expect(ran.err).toContain('queue');
      expect(ran.code).toBe(1);
    });

    it('a message on the list of `halter worker failed` whose session is gone', PATIENT, async () => {
      const url = await postgres().url('exit_failed_job');
      const storage = await openPostgres({ url });
      if (!storage.ok) throw new Error(storage.error.message);
      await using kept = Object.assign(storage.value, { [Symbol.asyncDispose]: () => storage.value.close() });
      const failed = { command: { type: 'send_message', content: 'go' }, message: 'it died', deaths: 3 } as const;
      for (const session of ['deleted', 'lost']) {
        await kept.sessions.create(session, [{ seq: 1, at: 1, type: 'user_message_added', content: 'go' }]);
        expect(await kept.jobs.fail({ ...failed, job: `${session}/1`, session })).toMatchObject({ ok: true });
      }
      const env = { HALTER_DATABASE_URL: url };
      // With its session the message is gone from the list, whoever removes it.
      expect((await runHalter(['sessions', 'delete', 'deleted'], { env })).code).toBe(0);
      expect(await kept.jobs.failed()).toMatchObject({ ok: true, value: [{ job: 'lost/1' }] });
      // As a program of before left it.
      await postgres().sql(`DELETE FROM halter.sessions WHERE id = 'lost'`, 'exit_failed_job');
      const retried = await runHalter(['worker', 'retry', 'lost'], { env });
      expect(retried).toMatchObject({ code: 1, err: expect.stringContaining('halter worker discard lost/1') });
      expect((await runHalter(['worker', 'discard', 'lost'], { env })).code).toBe(0);
      expect((await runHalter(['worker', 'discard', 'lost'], { env })).code).toBe(1);
    });
  },
);

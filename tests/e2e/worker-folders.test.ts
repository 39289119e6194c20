/** Workers of several folders on one database: each works only for the sessions of its own folder. */
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/server/index.ts';
import { openTestAgent } from '../../src/testing/test-agent.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { NO_POSTGRES, usePostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';
import { ORIGIN, TOKEN } from '../support/test-server.ts';
import { type Team, team, until } from '../support/workers.ts';

const postgres = usePostgres();
const LONG = { timeout: 120_000 };
let databases = 0;

/** A model that has each conversation write `a.txt`. */
const writers = async (): Promise<{ url: string; t: Team }> => {
  databases += 1;
  const url = await postgres().url(`folders_${databases}`);
  const t = await team(url, ({ body }) =>
    (body['messages'] as { role: string }[]).some(({ role }) => role === 'tool')
      ? { text: 'written' }
      : { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
  );
  return { url, t };
};
const WRITES = ['--allow', 'write_file'] as const;

describe.skipIf(NO_POSTGRES !== undefined)(`folders of workers${NO_POSTGRES ? ` (${NO_POSTGRES})` : ''}`, () => {
  test(
    'a worker of another folder leaves the message to one of its own, and everybody is told meanwhile',
    LONG,
    async () => {
      verifies('B6', 'B12');
      const { url, t } = await writers();
      const other = scratchFolder();
      await t.workerIn(other, ...WRITES);
      const session = await t.session('waits');
      const warned = new Promise<string>((resolve) => {
        session.subscribe((update) => {
          if (update.type === 'warning' && update.code === 'no_worker') resolve(update.message);
        });
      });
      expect(await session.send({ type: 'send_message', content: 'go' })).toEqual({ ok: true });
      expect(await warned).toContain(`halter worker -C ${t.folder}`);
      expect(await t.halter.queue?.depth()).toMatchObject({
        waiting: 1,
        running: 0,
        unserved: [{ folder: t.folder, jobs: 1 }],
      });
      const listed = await runHalter(['worker', 'failed'], { env: { HALTER_DATABASE_URL: url } });
      expect([listed.code, listed.err]).toEqual([0, expect.stringContaining(`halter worker -C ${t.folder}`)]);
      expect(session.log().some(({ type }) => type === 'user_message_added')).toBe(false);
      await t.workerIn(t.folder, ...WRITES);
      await until(session, 'run_completed');
      expect([existsSync(join(t.folder, 'a.txt')), existsSync(join(other, 'a.txt'))]).toEqual([true, false]);
      expect(await t.halter.queue?.depth()).toMatchObject({ waiting: 0, unserved: [] });
    },
  );

  test('an answer that no worker is there to take is told of as well', LONG, async () => {
    verifies('B6', 'B12');
    const { t } = await writers();
    const worker = await t.workerIn(t.folder);
    const session = await t.session('answered');
    await session.send({ type: 'send_message', content: 'go' });
    const { tool_call_id } = await until(session, 'permission_requested');
    worker.child.kill('SIGTERM');
    await worker.finished;
    const warned = new Promise<string>((resolve) => {
      session.subscribe((update) => {
        if (update.type === 'warning' && update.code === 'no_worker') resolve(update.message);
      });
    });
    const answer = { type: 'resolve_permission', tool_call_id, decision: 'allow_once' } as const;
    expect(await session.send(answer)).toEqual({ ok: true });
    expect(await warned).toContain(`halter worker -C ${t.folder}`);
  });

  test('of workers of two folders each takes its own', LONG, async () => {
    verifies('B6', 'B12');
    const { t } = await writers();
    const others = [scratchFolder(), scratchFolder()];
    await Promise.all([...others, t.folder].map((folder) => t.workerIn(folder, ...WRITES)));
    const sessions = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => t.session(id)));
    for (const session of sessions) await session.send({ type: 'send_message', content: 'go' });
    await Promise.all(sessions.map((session) => until(session, 'run_completed')));
    expect([t.folder, ...others].map((folder) => existsSync(join(folder, 'a.txt')))).toEqual([true, false, false]);
  });

  const NAMES: [string, (folder: string) => string][] = [
    ['with a slash at its end', (folder) => `${folder}/`],
    ['by a way round', (folder) => `${folder}/../${folder.split('/').at(-1)}`],
    [
      'by a link',
      (folder) => {
        const link = join(scratchFolder(), 'link');
        symlinkSync(folder, link);
        return link;
      },
    ],
  ];
  test.each(NAMES)('the folder is the same one %s', LONG, async (_, name) => {
    verifies('B6', 'B12');
    const { t } = await writers();
    await t.workerIn(name(t.folder), ...WRITES);
    const session = await t.session('same');
    await session.send({ type: 'send_message', content: 'go' });
    await until(session, 'run_completed');
    expect(existsSync(join(t.folder, 'a.txt'))).toBe(true);
  });

  test('a session of a machine where the folder is behind a link is taken where the link is named', LONG, async () => {
    verifies('B6', 'B12');
    const { url, t } = await writers();
    // The other machine: there the name is no link.
    const link = join(scratchFolder(), 'shared');
    mkdirSync(link);
    const elsewhere = await team(url, () => ({ text: 'x' }), {}, link);
    const session = await elsewhere.session('linked');
    expect(session.log().length).toBeGreaterThan(0);
    rmSync(link, { recursive: true });
    symlinkSync(t.folder, link);
    await t.workerIn(link, ...WRITES);
    await session.send({ type: 'send_message', content: 'go' });
    await until(session, 'run_completed');
    expect(existsSync(join(t.folder, 'a.txt'))).toBe(true);
  });

  test('a server of another folder that runs conversations itself refuses them', LONG, async () => {
    verifies('B6', 'B12');
    const { url, t } = await writers();
    await t.session('mine');
    const server = await openTestAgent({ folder: scratchFolder(), database: url, onWarning: () => {} });
    if (!server.ok) throw new Error(server.error.message);
    onTestFinished(() => server.value.close());
    const app = createApp({ halter: server.value, token: TOKEN, onDefect: () => {} });
    onTestFinished(() => app.close());
    const refused = await app(
      new Request(`${ORIGIN}/api/sessions/mine/commands`, {
        method: 'POST',
        headers: { host: new URL(ORIGIN).host, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'send_message', content: 'go' }),
      }),
    );
    expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code: 'other_folder' } }]);
  });
});

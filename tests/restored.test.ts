/**
 * A backup of the database is made while something runs, the old halter goes on and ends it, and the backup is restored
 * beside the same folder. What a person and the model read of it then is true: the log says nothing of what came after.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import type { Agent } from '../src/agent/create-agent.ts';
import type { Event } from '../src/core/events.ts';
import type { JsonObject } from '../src/core/json.ts';
import type { Mode } from '../src/core/policy/modes.ts';
import { detectSandbox } from '../src/sandbox/index.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { timeLimit } from './support/long.ts';
import { describePostgres, POSTGRES_PROGRAMS, usePostgres } from './support/postgres.ts';
import { scratchFolder } from './support/scratch.ts';

const postgres = usePostgres();
const run = promisify(execFile);

/** `work` is done once, before the first event that `isNow` is appended. */
const before = ({ sessions }: Agent, isNow: (event: Event) => boolean, work: () => Promise<unknown>): void => {
  let done: Promise<unknown> | undefined;
  const open = sessions.open.bind(sessions);
  vi.spyOn(sessions, 'open').mockImplementation(async (id) => {
    const opened = await open(id);
    if (!opened.ok) return opened;
    const { log } = opened.value;
    const append: typeof log.append = async (event) => {
      if (isNow(event)) done ??= work();
      await done;
      return log.append(event);
    };
    return {
      ...opened,
      value: { ...opened.value, log: { append, close: () => log.close(), holds: log.holds?.bind(log) } },
    };
  });
};

const is =
  (type: Event['type'], state?: string) =>
  (event: Event): boolean =>
    event.type === type && (state === undefined || ('state' in event && event.state === state));

const WRITE = { name: 'write_file', arguments: { path: 'b', content: 'new' } };
const COMMAND = { name: 'bash', arguments: { command: 'echo new > b' } };
const NOT_KNOWN = /restored from a backup.*cannot be known.*Look before/;
const APPLIED = /b: applied; it holds what was to be written/;

type Row = [what: string, call: { name: string; arguments: JsonObject }, at: (event: Event) => boolean, said: RegExp];
const ROWS: Row[] = [
  ['a command in a layer that runs', COMMAND, is('layer_changed', 'applying'), NOT_KNOWN],
  ['a command whose changes are being put in place', COMMAND, is('change_recorded'), NOT_KNOWN],
  ['a command whose changes were noted', COMMAND, is('layer_changed', 'applied'), APPLIED],
  ['a write that was begun', WRITE, is('change_recorded'), NOT_KNOWN],
  ['a write that was noted', WRITE, is('tool_finished'), APPLIED],
  ['a write that was allowed and not begun', WRITE, is('tool_started'), NOT_KNOWN],
  ['a write that was not judged yet', WRITE, is('policy_evaluated'), NOT_KNOWN],
];

const LIMIT = { timeout: timeLimit(60_000) };
let number = 0;

/** Plays a call to its end with a backup made in between, and gives a halter on the restored one. */
const restored = async (call: Row[1], at: Row[2], mode: Mode = 'yolo') => {
  number += 1;
  const [from, to] = [await postgres().url(`old_${number}`), await postgres().url(`restored_${number}`)];
  const folder = scratchFolder();
  const backup = join(scratchFolder(), 'backup');
  writeFileSync(join(folder, 'a'), 'old\n');
  const model = scriptedProvider([
    { calls: [{ name: 'read_file', arguments: { path: 'a' } }] },
    { calls: [call] },
    { text: 'done' },
  ]);
  const shared = { folder, mode, sandbox: true };
  const old = await assembled({ ...shared, modelProvider: model, database: from });
  const isLater = (event: Event): boolean => event.seq > 8 && at(event);
  before(old, isLater, () => run(join(POSTGRES_PROGRAMS, 'pg_dump'), ['--format=custom', `--file=${backup}`, from]));
  const session = await openedSession(old);
  session.subscribe((update) => {
    if (update.type !== 'permission_requested') return;
    const { tool_call_id } = update;
    void session.send({ type: 'resolve_permission', tool_call_id, decision: 'allow_once' });
  });
  await say(session);
  await session.close();
  expect(readFileSync(join(folder, 'b'), 'utf8')).toMatch(/^new/);
  await run(join(POSTGRES_PROGRAMS, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${to}`, backup]);
  const later = scriptedProvider([{ text: 'I see.' }, { text: 'I see.' }]);
  const halter = await assembled({ ...shared, modelProvider: later, database: to });
  return { halter, id: session.id, folder, later };
};

describePostgres('what was under way when the backup was made', () => {
  for (const goesOn of [false, true])
    for (const [what, call, at, said] of ROWS)
      test(`${what} is told as what it is, ${goesOn ? 'by a worker' : 'by one halter'}`, LIMIT, async (context) => {
        verifies('B12');
        if (call === COMMAND && (await detectSandbox()).kind !== 'bubblewrap')
          return context.skip('bubblewrap is not installed');
        const { halter, id, later } = await restored(call, at);
        const session = await openedSession(halter, { id, goesOn });
        await session.idle();
        const result = session.log().findLast((event) => event.type === 'tool_finished');
        expect(result).toMatchObject({ result: { success: false } });
        expect(JSON.stringify(result)).toMatch(said);
        expect(JSON.stringify(result)).not.toMatch(/not applied|Nothing of it is left/);
        await say(session, 'and now?');
        expect(JSON.stringify(later.requests.at(-1))).toMatch(said);
        await session.close();
        // Another one reads the same; nothing is told or done a second time.
        const again = await openedSession(halter, { id });
        expect(again.log().filter(({ type }) => type === 'tool_finished')).toHaveLength(2);
      });

  test('a question that was open stays one for the person to decide', LIMIT, async () => {
    verifies('B12');
    const { halter, id } = await restored(WRITE, is('permission_resolved'), 'ask');
    const session = await openedSession(halter, { id, goesOn: true });
    expect(
      session.log().findLast(({ type }) => type === 'permission_requested' || type === 'tool_finished'),
    ).toMatchObject({
      type: 'permission_requested',
    });
  });

  test('files that were changed since are named, and what is begun after it is told as ever', LIMIT, async () => {
    verifies('B12');
    const { halter, id, folder } = await restored(WRITE, is('tool_finished'));
    writeFileSync(join(folder, 'a'), 'newer\n');
    const session = await openedSession(halter, { id });
    await say(session, 'and now?');
    const message = session.log().findLast(({ type }) => type === 'user_message_added');
    expect(message).toMatchObject({ files_changed: [{ path: 'a' }] });
    expect(existsSync(join(folder, 'b'))).toBe(true);
  });
});

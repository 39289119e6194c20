import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { EventOf } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { importSession } from './copy-session.ts';

const BEFORE = 'old\n1\n';
const THEIRS = 'old\nhours of work\n';
const READ = { name: 'read_file', arguments: { path: 'a.txt' } };

const WRITES: [string, JsonObject][] = [
  ['write_file', { path: 'a.txt', content: 'new\n' }],
  ['replace_lines', { path: 'a.txt', line_start: 1, line_end: 1, new_content: 'new' }],
  ['insert_lines', { path: 'a.txt', line_start: 1, line_end: 1, new_content: 'new' }],
  ['edit_file', { path: 'a.txt', old_text: 'old', new_text: 'new' }],
];

type Call = { name: string; arguments: JsonObject };

/** A folder and a home; each `process` is another halter over them, in which the model makes these calls. */
const place = () => {
  const [folder, home] = [scratchFolder(), scratchFolder()];
  putFiles(folder, { 'a.txt': BEFORE });
  const process = (calls: Call[], mode: 'yolo' | 'ask' = 'yolo') => {
    const provider = scriptedProvider(calls.length > 0 ? [{ calls }, { text: 'Done.' }] : [{ text: 'Done.' }]);
    return assembled({ folder, environment: { HOME: home }, modelProvider: provider, mode }).then((halter) => ({
      halter,
      provider,
    }));
  };
  const run = async (calls: Call[], open: { id: string; fork?: boolean } = { id: 'work' }) => {
    const { halter, provider } = await process(calls);
    const session = await openedSession(halter, open);
    await say(session, 'go');
    const finished = session.log().filter(({ type }) => type === 'tool_finished') as EventOf<'tool_finished'>[];
    await session.close();
    return {
      result: finished.at(-1)?.result,
      sent: JSON.stringify(provider.requests.at(-1)?.messages),
      log: session.log(),
    };
  };
  return {
    folder,
    process,
    run,
    put: (text: string) => writeFileSync(join(folder, 'a.txt'), text),
    text: () => readFileSync(join(folder, 'a.txt'), 'utf8'),
  };
};

const CHANGED = { success: false, metadata: { reason: 'changed_since_read' } };

it.each(WRITES)('%s leaves a file alone that changed since another process read it', async (name, args) => {
  verifies('H7');
  const { run, put, text } = place();
  await run([READ]);
  put(THEIRS);
  expect((await run([{ name, arguments: args }])).result).toMatchObject(CHANGED);
  expect(text()).toBe(THEIRS);
  expect((await run([READ, { name, arguments: args }])).result).toMatchObject({ success: true });
});

it.each(WRITES)('%s leaves a file alone that changed since another process wrote it', async (name, args) => {
  const { run, put, text } = place();
  await run([READ, { name: 'write_file', arguments: { path: 'a.txt', content: 'old\nhalter\n' } }]);
  put(THEIRS);
  expect((await run([{ name, arguments: args }])).result).toMatchObject(CHANGED);
  expect(text()).toBe(THEIRS);
});

it('holds in a copy of the session, after room was made, and where it is read by a link', async () => {
  const { run, put, text, process, folder } = place();
  symlinkSync('a.txt', join(folder, 'link.txt'));
  await run([{ name: 'read_file', arguments: { path: 'link.txt' } }]);
  put(THEIRS);
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } };
  expect((await run([write], { id: 'work', fork: true })).result).toMatchObject(CHANGED);
  const { halter } = await process([]);
  const session = await openedSession(halter, { id: 'work' });
  expect(await session.send({ type: 'compact' })).toMatchObject({});
  await session.idle();
  await session.close();
  expect((await run([write])).result).toMatchObject(CHANGED);
  expect(text()).toBe(THEIRS);
});

it('knows nothing of a file that only a branch left aside has seen, nor of one in an import', async () => {
  const { run, process, put, text } = place();
  const { log } = await run([READ]);
  const { halter } = await process([]);
  const session = await openedSession(halter, { id: 'work' });
  await session.send({ type: 'branch', at_seq: 1 });
  await session.close();
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } };
  put(THEIRS);
  expect((await run([write])).result).toMatchObject({ success: true });
  expect(text()).toBe('new\n');
  const ports = {
    storage: halter.storage,
    limits: halter.limits,
    clock: { now: () => 1, monotonic: () => 1 },
  };
  const lines = log.map((event) => JSON.stringify(event)).join('\n');
  const made = await importSession(ports, { text: lines, workspace: halter.root, newId: 'brought' });
  expect(made.ok && JSON.stringify(made.value.events)).not.toContain('"files"');
});

it.each(WRITES)('%s writes over a file that was never read', async (name, args) => {
  const { run, text } = place();
  expect((await run([{ name, arguments: args }])).result).toMatchObject({ success: true });
  expect(text()).not.toBe(BEFORE);
});

it('a person who is asked sees what would be lost, and their yes counts', async () => {
  const { process, text } = place();
  const { halter } = await process([{ name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } }], 'ask');
  const session = await openedSession(halter, { id: 'work' });
  session.subscribe((update) => {
    if (update.type !== 'permission_requested') return;
    expect(update.preview?.diff).toContain('-old');
    void session.send({ type: 'resolve_permission', tool_call_id: update.tool_call_id, decision: 'allow_once' });
  });
  await say(session, 'go');
  expect(text()).toBe('new\n');
});

it('a file that the person puts into the conversation was seen', async () => {
  const { process, text } = place();
  const { halter } = await process([{ name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } }]);
  const session = await openedSession(halter, { id: 'work' });
  const { content } = await halter.userInput.expand('change @a.txt');
  await session.send({ type: 'send_message', content });
  await session.idle();
  expect(text()).toBe('new\n');
});

it('tells the model once with the next message what somebody else changed, and that it is gone', async () => {
  const { run, put, folder } = place();
  await run([READ]);
  put(THEIRS);
  const told = 'changed by somebody else: a.txt';
  expect((await run([])).sent).toContain(told);
  const again = (await run([])).sent ?? '';
  expect(again.split(told)).toHaveLength(2);
  rmSync(join(folder, 'a.txt'));
  expect((await run([])).sent).toContain('not there any more: a.txt');
});

it('what one session read, another one of the same halter did not', async () => {
  const { process, put, text } = place();
  const { halter } = await process([READ]);
  await say(await openedSession(halter, { id: 'one' }));
  put(THEIRS);
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } };
  const second = await process([write]);
  const other = await openedSession(second.halter, { id: 'two' });
  await say(other);
  expect(text()).toBe('new\n');
});

it('calls of a program for a session are held to what was read in it', async () => {
  const { process, put, text } = place();
  const { halter } = await process([]);
  const session = await openedSession(halter, { id: 'work' });
  const call = (name: string, args: JsonObject) =>
    halter.executeTool(name, args, {
      sessionId: 'work',
      ...(session as unknown as { toolState(): object }).toolState(),
    });
  expect(await call('read_file', { path: 'a.txt' })).toMatchObject({ success: true });
  await session.idle();
  put(THEIRS);
  expect(await call('write_file', { path: 'a.txt', content: 'new\n' })).toMatchObject(CHANGED);
  expect(text()).toBe(THEIRS);
});

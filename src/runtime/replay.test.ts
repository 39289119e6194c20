import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { Event, SessionFace } from '../core/events.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { type AssembleOptions, assemble, type Halter } from './assemble.ts';
import { openReplayTools } from './replay/tools.ts';
import { replaySession } from './replay.ts';
import { createToolRegistry } from './run-tool/tool-registry.ts';

let home: string;
let folder: string;
const open: Halter[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'halter-replay-home-'));
  folder = await mkdtemp(join(tmpdir(), 'halter-replay-ws-'));
});
afterEach(async () => {
  for (const halter of open.splice(0)) await halter.close();
  await rm(home, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

const start = async (turns: Parameters<typeof scriptedProvider>[0], options: Partial<AssembleOptions> = {}) => {
  const halter = await assemble({
    folder,
    environment: { HOME: home },
    platform: 'linux',
    modelProvider: scriptedProvider(turns),
    model: 'test-model',
    yolo: true,
    onWarning: () => {},
    ...options,
  });
  if (!halter.ok) throw new Error(halter.error.message);
  open.push(halter.value);
  const session = await halter.value.openSession();
  if (!session.ok) throw new Error(session.error.message);
  return session.value;
};
const say = async (session: SessionFace, content = 'go'): Promise<void> => {
  expect(await session.send({ type: 'send_message', content })).toEqual({ ok: true });
  await session.idle();
};
const call = (name: string, args: object) => ({ calls: [{ name, arguments: args as Record<string, string> }] });
const ports = { registry: createToolRegistry(BUILT_IN_TOOLS), limits: DEFAULT_LIMITS };

/** Everything that a session can come to. */
const eventful = async (): Promise<readonly Event[]> => {
  await writeFile(join(folder, 'a.txt'), 'one\n');
  const session = await start([
    call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' }),
    call('read_file', { path: 'a.txt' }),
    call('read_file', {}),
    call('no_such_tool', {}),
    call('add_task', { content: 'x' }),
    { text: 'done' },
    { text: 'again' },
    call('ls', {}),
    call('ls', {}),
    call('ls', {}),
    { text: 'other' },
  ]);
  await say(session);
  await session.send({ type: 'regenerate' });
  await session.idle();
  await say(session, 'round and round');
  await session.send({ type: 'undo' });
  await session.send({ type: 'branch', at_seq: 1 });
  await say(session, 'anew');
  return session.log();
};

test('a recorded session replays without a difference, again and again, with no model and no tool', async () => {
  verifies('B5');
  const log = await eventful();
  const first = await replaySession(log, ports);
  expect(first.difference).toBeUndefined();
  expect(first.events).toBe(log.length);
  expect(first.compared).toBeGreaterThan(10);
  expect(first.ran).toBe(0);
  expect(await replaySession(log, ports)).toEqual(first);
});

test('file tools run for real in a copy of the folder as it was, and the folder stays as it is', async () => {
  verifies('B5');
  const log = await eventful();
  await writeFile(join(folder, 'a.txt'), 'one\n');
  const tools = await openReplayTools(folder, log, {
    undoFolder: join(home, '.local/share/halter/undo'),
    limits: DEFAULT_LIMITS,
  });
  if (!tools.ok) throw new Error(tools.error.message);
  const upTo = log.findIndex(({ type }) => type === 'branch_selected');
  const report = await replaySession(log.slice(0, upTo), { ...ports, run: tools.value.run });
  await tools.value.close();
  expect(report.difference).toBeUndefined();
  expect(report.ran).toBeGreaterThanOrEqual(3);
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
});

test('shows the first difference: another result, another schema, another limit', async () => {
  verifies('B5');
  const log = await eventful();
  await writeFile(join(folder, 'a.txt'), 'one\nand more\n');
  const tools = await openReplayTools(folder, log, { undoFolder: join(home, 'none'), limits: DEFAULT_LIMITS });
  if (!tools.ok) throw new Error(tools.error.message);
  const other = await replaySession(log, { ...ports, run: tools.value.run });
  await tools.value.close();
  expect(other.difference).toMatchObject({ type: 'tool_finished', what: expect.stringContaining('edit_file') });

  const stricter = BUILT_IN_TOOLS.map((tool) =>
    tool.name === 'add_task'
      ? defineTool({
          name: 'add_task',
          description: tool.description,
          risk: 'safe',
          parameters: {
            type: 'object',
            properties: { content: { type: 'string', maxLength: 0 } },
            required: ['content'],
          },
          run: () => 'x',
        })
      : tool,
  );
  const refused = await replaySession(log, { ...ports, registry: createToolRegistry(stricter) });
  expect(refused.difference).toMatchObject({ type: 'policy_evaluated', what: 'the arguments of add_task are refused' });
  expect(refused.notes).toHaveLength(1);

  const [first, ...rest] = log;
  const limited = { ...first, limits: { ...DEFAULT_LIMITS, iterations: 2 } } as Event;
  expect((await replaySession([limited, ...rest], ports)).difference).toMatchObject({
    what: 'this could not happen now',
  });
});

test('replays runs that were stopped, cancelled or denied', async () => {
  verifies('B5');
  const ids = Array.from({ length: 12 }, (_, index) =>
    call('ls', { path: index % 2 === 0 ? '.' : './', max_entries: index + 1 }),
  );
  const session = await start([...ids], { maxIterations: 3, yolo: false, deny: ['read_file'] });
  await say(session);
  expect(session.log().at(-1)).toMatchObject({ type: 'run_stopped', reason: 'limit' });
  const gate = Promise.withResolvers<void>();
  const denied = await start([call('read_file', { path: 'x' }), { text: 'well', gate: gate.promise }], {
    yolo: false,
    deny: ['read_file'],
  });
  const begun = new Promise<void>((resolve) => {
    denied.subscribe((update) => void (update.type === 'iteration_completed' && resolve()));
  });
  await denied.send({ type: 'send_message', content: 'go' });
  await begun;
  await denied.send({ type: 'cancel' });
  await denied.idle();
  for (const log of [session.log(), denied.log()]) {
    const report = await replaySession(log, ports);
    expect(report.difference).toBeUndefined();
    expect(report.events).toBe(log.length);
  }
});

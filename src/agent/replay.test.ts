import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { Event } from '../core/events.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { systemClock } from '../io/clock.ts';
import { scriptedProvider } from '../testing/index.ts';
import type { TestAgentOptions } from '../testing/test-agent.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createToolRegistry } from './loop/run-tool/tool-registry.ts';
import { openReplayTools } from './replay/tools.ts';
import { replaySession } from './replay.ts';
import { openToolState } from './session/tool-state.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = scratchFolder();
  folder = scratchFolder();
});

const start = async (turns: Parameters<typeof scriptedProvider>[0], options: Partial<TestAgentOptions> = {}) =>
  openedSession(
    await assembled({
      folder,
      environment: { HOME: home },
      modelProvider: scriptedProvider(turns),
      mode: 'yolo',
      ...options,
    }),
  );
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
  // The model was shown no lengths, so it was shown the same tools.
  expect(refused.notes).toEqual([]);
  const reworded = BUILT_IN_TOOLS.map((tool) => (tool.name === 'ls' ? { ...tool, description: 'Other words.' } : tool));
  const shown = await replaySession(log, { ...ports, registry: createToolRegistry(reworded) });
  expect(shown.notes).toEqual([expect.stringContaining('they differ from the list of tools, at ls on')]);

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
  const session = await start([...ids], { maxIterations: 3, mode: 'ask', deny: ['read_file'] });
  await say(session);
  expect(session.log().at(-1)).toMatchObject({ type: 'run_stopped', reason: 'limit' });
  const gate = Promise.withResolvers<void>();
  const denied = await start([call('read_file', { path: 'x' }), { text: 'well', gate: gate.promise }], {
    mode: 'ask',
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

test('the prompts that would be sent now are those that were sent, also after a compaction, in a small window and with short results', async () => {
  verifies('B4', 'B5');
  const turns = [
    call('ls', {}),
    { text: 'one' },
    call('get_current_time', {}),
    { text: 'two' },
    { text: 'so' },
    { text: 'The person wanted words.' },
    { text: 'three' },
    { text: 'four' },
  ];
  for (const options of [
    {},
    { results: 'summary' as const },
    { modelProvider: scriptedProvider(turns, { models: [{ id: 'test-model', context_length: 8_192 }] }) },
  ]) {
    const session = await start(turns, options);
    for (const content of [
      `what files are here? ${'long '.repeat(1_000)}`,
      `what time is it? ${'long '.repeat(900)}`,
      'and?',
    ])
      await say(session, content);
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    for (const content of ['say three', 'write a file']) await say(session, content);
    const log = session.log();
    expect(log.some(({ type }) => type === 'context_compacted')).toBe(true);
    const prompts = log.flatMap((event) => (event.type === 'assistant_message_added' ? [event.prompt] : []));
    expect(prompts.every((prompt) => prompt !== undefined)).toBe(true);
    // Only what is new is kept of each prompt.
    expect(prompts[1]).toMatchObject({ kept: 2, digests: [expect.any(String), expect.any(String)] });
    expect((await replaySession(log, ports)).difference).toBeUndefined();
  }
});

test('knows the tool that finds what was left out, and compares no call of a tool that is not here', async () => {
  verifies('B5');
  const heron = defineTool({
    name: 'heron',
    description: 'x',
    risk: 'safe',
    parameters: { type: 'object' },
    run: () => 'y',
  });
  const turns = [
    { text: 'one' },
    { text: 'two' },
    { text: 'notes' },
    call('search_session', { query: 'heron-17' }),
    call('search_session', {}),
    call('heron', {}),
    call('no_such_tool', {}),
    { text: 'found' },
  ];
  const session = await start(turns, {
    plugins: { tools: [heron] } as unknown as NonNullable<TestAgentOptions['plugins']>,
  });
  for (const content of [`The host is heron-17. ${'long '.repeat(1_500)}`, 'and?']) await say(session, content);
  expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
  await say(session, 'Which host?');
  const log = session.log();
  const results = log.flatMap((event) => (event.type === 'tool_finished' ? [event.result.success] : []));
  expect(results).toEqual([true, true, false]);
  const report = await replaySession(log, ports);
  expect(report.difference).toBeUndefined();
  expect(report.notes.join(' ')).toContain('Calls of heron were not compared');
  expect(report.notes.join(' ')).not.toContain('search_session');
});

test('a session that a call from outside began keeps what its prompts begin with, and replays without a difference', async () => {
  verifies('B4', 'B5');
  await writeFile(join(folder, 'AGENTS.md'), 'Say heron.\n');
  const open = async () =>
    assembled({
      folder,
      environment: { HOME: home },
      modelProvider: scriptedProvider([{ text: 'one' }, { text: 'two' }]),
      mode: 'yolo',
    });
  const agent = await open();
  const { sessions, root } = agent;
  const outside = await openToolState(
    { sessions, folder: [root, root], limits: DEFAULT_LIMITS, clock: systemClock },
    's1',
  );
  if (!outside.ok) throw new Error(outside.error.message);
  const metadata = { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 };
  const result = { success: true, data: 'x', error_message: null, error_type: 'none', metadata } as const;
  outside.value.record({ name: 'ls', arguments: {}, result });
  await outside.value.close();
  const session = await openedSession(agent, { id: 's1' });
  await say(session, 'hello');
  await session.close();
  // It begins the same, though the folder says something else by now.
  await writeFile(join(folder, 'AGENTS.md'), 'Say fox.\n');
  const again = await openedSession(await open(), { id: 's1' });
  await say(again, 'and again');
  const log = again.log();
  expect(log.filter(({ type }) => type === 'prompt_begun')).toHaveLength(1);
  const prompts = log.flatMap((event) => (event.type === 'assistant_message_added' ? [event.prompt] : []));
  expect(prompts[1]?.digests[0]).toBe(prompts[0]?.digests[0]);
  expect((await replaySession(log, ports)).difference).toBeUndefined();
  await again.close();
});

test('names the first message of a prompt that would be another one now', async () => {
  verifies('B4', 'B5');
  await writeFile(join(folder, 'a.txt'), 'one\n');
  const session = await start([call('read_file', { path: 'a.txt' }), { text: 'done' }]);
  await say(session);
  const log = session.log();
  const said = log.map((event): Event => (event.type === 'user_message_added' ? { ...event, content: 'stop' } : event));
  expect((await replaySession(said, ports)).difference).toMatchObject({
    type: 'assistant_message_added',
    what: "message 2 of the prompt (the person's)",
    recorded: 'another text',
    now: expect.stringContaining('stop'),
  });
  const read = log.map(
    (event): Event =>
      event.type === 'tool_finished' ? { ...event, result: { ...event.result, data: 'two\n' } } : event,
  );
  expect((await replaySession(read, ports)).difference).toMatchObject({
    what: 'message 4 of the prompt (the result of read_file)',
    now: expect.stringContaining('two'),
  });
  // A record of before prompts were kept says nothing of them.
  const old = said.map((event): Event => {
    if (event.type !== 'assistant_message_added') return event;
    const { prompt: _, ...rest } = event;
    return rest;
  });
  expect((await replaySession(old, ports)).difference).toBeUndefined();
});

test.each([
  ['a small window', { contextLength: 8_192 }],
  ['a large window', { contextLength: 131_072 }],
  ['tools that were named', { contextLength: 8_192, tools: ['read_file', 'ls'] }],
  ['no tools', { contextLength: 8_192, noTools: true }],
])('says nothing of tools that are as they were, and compares what the person said: %s', async (_name, options) => {
  verifies('B5');
  const turns = [{ text: 'one' }, { text: 'two' }, { text: 'notes' }, { text: 'three' }];
  const searched = [
    { text: 'one' },
    { text: 'two' },
    { text: 'notes' },
    call('search_session', { query: 'a' }),
    { text: '' },
  ];
  for (const all of 'noTools' in options ? [turns] : [turns, searched]) {
    const session = await start(all, options);
    for (const content of [`The host is heron-17. ${'long '.repeat(1_500)}`, 'and?']) await say(session, content);
    const before = await replaySession(session.log(), ports);
    expect(before).toMatchObject({ notes: [] });
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    await say(session, 'Which host?');
    const log = session.log();
    const report = await replaySession(log, ports);
    expect(report).toMatchObject({ notes: [] });
    expect(report.difference).toBeUndefined();
    const other = log.map(
      (event): Event =>
        event.type === 'user_message_added' && event.content === 'Which host?' ? { ...event, content: 'stop' } : event,
    );
    expect((await replaySession(other, ports)).difference?.what).toContain("(the person's)");
    await session.close();
  }
});

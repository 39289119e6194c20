/** One vocabulary of events: the same scripted run, followed by a program, on the command line and over HTTP. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtinTools, createHarness } from '../../src/index.ts';
import { type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { sentEvents } from '../support/sent-events.ts';
import { serving } from '../support/serving.ts';

type Told = Record<string, unknown> & { type: string };
type Scene = { folder: string; home: string; baseUrl: string };

/** The names of the table in docs/reference/events.md. */
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/reference/events.md'), 'utf8');
const [, TABLE = ''] = /\| type \| fields \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(PAGE) ?? [];
const documented = new Set(
  TABLE.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)),
);
const OF_THE_LIBRARY = new Set(['tool_call_delta', 'partial_output']);

const scene = async (turns: readonly ScriptedServerTurn[]): Promise<Scene> => {
  // Prompts differ in their instructions, so the server says one size for all.
  const counted = turns.map((turn) => ({ usage: { prompt_tokens: 100, completion_tokens: 5 }, ...turn }));
  const server = await startScriptedServer({ models: [{ id: 'm' }], turns: counted });
  onTestFinished(() => server.close());
  const folder = scratchFolder();
  putFiles(folder, { 'hello.txt': 'Good day.\n' });
  return { folder, home: scratchFolder(), baseUrl: server.openaiUrl };
};

const iterated = async ({ folder, baseUrl }: Scene): Promise<Told[]> => {
  const harness = createHarness({
    model: { name: 'm', provider: 'openai', baseUrl, describe: true },
    prompt: { size: 'standard' },
    tools: builtinTools,
    workspace: folder,
    io: { onWarning: () => {} },
  });
  const told: Told[] = [];
  try {
    for await (const event of harness.chat('Go')) told.push({ ...event });
  } catch {
    // How it ended is told by `turn_end`.
  }
  await harness.close();
  return told;
};

const CHOICE = ['--provider', 'openai', '-m', 'm', '--base-url'];

const printed = async ({ folder, home, baseUrl }: Scene): Promise<Told[]> => {
  const flags = [...CHOICE, baseUrl, '--on-ask', 'deny', '--format', 'stream-json'];
  return (await runHalter(['run', 'Go', ...flags], { cwd: folder, home })).lines() as Told[];
};

const served = async ({ folder, home, baseUrl }: Scene): Promise<Told[]> => {
  const running = await serving([...CHOICE, baseUrl], { cwd: folder, home });
  const { id } = (await (await running.call('POST', '/api/sessions', {})).json()) as { id: string };
  const stream = await running.call('GET', `/api/sessions/${id}/events`);
  await running.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'Go' });
  const told: Told[] = [];
  for await (const { data } of sentEvents(stream)) {
    told.push(data as Told);
    if (data['type'] === 'permission_request') {
      const { tool_call_id } = data;
      const deny = { type: 'resolve_permission', tool_call_id, decision: 'deny' };
      await running.call('POST', `/api/sessions/${id}/commands`, deny);
    }
    if (data['type'] === 'turn_end') break;
  }
  // Asked to end, it would wait for the reader of its events.
  running.child.kill('SIGKILL');
  await running.finished;
  return told;
};

/** What differs from one run to the next: times, places, ids, and how a text was cut into deltas. */
const VARYING = new Set([
  'at',
  'seq',
  'session_id',
  'workspace',
  'seconds',
  'prompt_seconds',
  'timestamp',
  'execution_time_ms',
]);
const PLACES = /http:\/\/127\.0\.0\.1:\d+/g;
const steady = (told: readonly Told[]): Told[] => {
  const events: Told[] = [];
  for (const event of told) {
    const text = JSON.stringify(event, (key, value) => (VARYING.has(key) ? undefined : value));
    const plain = JSON.parse(text.replaceAll(PLACES, 'somewhere')) as Told & { delta?: string };
    const last = events.at(-1);
    if (plain.delta !== undefined && last?.type === plain.type)
      last['delta'] = `${String(last['delta'])}${plain.delta}`;
    else events.push(plain);
  }
  return events;
};
/** A denial tells the model who denied it, and the ids of questions count what else the log holds. */
const ofWhoAnswers = (event: Told): Told =>
  event.type === 'permission_request'
    ? { ...event, id: 'permission' }
    : event.type === 'tool_result' && JSON.stringify(event).includes('permission_denied')
      ? { type: event.type, id: event['id'], name: event['name'] }
      : event.type === 'session'
        ? { type: 'session', tools: [...(event['tools'] as string[])].sort() }
        : event;
const comparable = (told: readonly Told[]): Told[] =>
  steady(told.filter(({ type }) => documented.has(type) && type !== 'waiting')).map(ofWhoAnswers);

const read = (name: string): ScriptedServerTurn => ({
  reasoning: 'I look.',
  calls: [{ id: `call_${name}`, name: 'get_file_tree', arguments: { path: name } }],
});
const RUNS: Record<string, { turns: readonly ScriptedServerTurn[]; ends: string; holds: readonly string[] }> = {
  'an answer after a call': {
    turns: [read('.'), { text: 'One file.', reasoning: 'So.' }],
    ends: 'answered',
    holds: ['session', 'model_start', 'reasoning_delta', 'tool_call', 'tool_result', 'usage', 'text_delta'],
  },
  'a call in text, and one that is denied': {
    turns: [
      { text: '<tool_call>{"name": "list_tasks", "arguments": {}}</tool_call>' },
      { calls: [{ id: 'call_w', name: 'write_file', arguments: { path: 'a.txt', content: 'x\n' } }] },
      { text: 'I may not.' },
    ],
    ends: 'answered',
    holds: ['permission_request', 'permission_resolved'],
  },
  'calls that cannot be used': {
    turns: Array.from({ length: 3 }, (_, index) => ({
      calls: [{ id: `call_${index}`, name: 'read_file', arguments: { start_line: 1 } }],
    })),
    ends: 'error',
    holds: ['tool_call', 'tool_result', 'error'],
  },
  'a limit': {
    turns: Array.from({ length: 20 }, (_, index) => ({
      calls: [{ id: `call_${index}`, name: 'add_task', arguments: { content: `Step ${index}` } }],
    })),
    ends: 'limit',
    holds: ['task_changed', 'limit'],
  },
  'a model that cannot be used': {
    turns: [{ status: 400, body: '{"error": {"message": "no"}}' }],
    ends: 'model_unusable',
    holds: ['error'],
  },
};

describe('what happens in a run', () => {
  for (const [name, { turns, ends, holds }] of everyNth(Object.entries(RUNS), 2)) {
    it(`has the same names, fields and order for a program, in stream-json and over HTTP: ${name}`, async () => {
      verifies('K1', 'L6');
      const [one, two, three] = await Promise.all([scene(turns), scene(turns), scene(turns)]);
      const told = { iterator: await iterated(one), lines: await printed(two), stream: await served(three) };
      const wanted = comparable(told.lines);
      // A session goes on after a limit when somebody says so; a program gets a last answer instead.
      const offered = ends === 'limit' ? wanted.filter(isNoLastAnswer(wanted)).map(withoutAnswer) : wanted;
      expect(wanted.map(({ type }) => type)).toEqual(expect.arrayContaining([...holds]));
      expect(wanted.at(-1)).toMatchObject({ type: 'turn_end', exit_reason: ends });
      expect(comparable(told.iterator)).toEqual(wanted);
      const streamed = comparable(told.stream).map(withoutModel);
      expect(ends === 'limit' ? streamed.map(withoutAnswer) : streamed).toEqual(offered);
      for (const { type, at } of told.iterator) {
        expect([...documented, ...OF_THE_LIBRARY]).toContain(type);
        expect(at).toBeTypeOf('number');
      }
    });
  }
});

/** What stands between the last result and the limit. */
const isNoLastAnswer = (told: readonly Told[]) => {
  const from = told.findLastIndex(({ type }) => type === 'tool_result');
  const to = told.findIndex(({ type }) => type === 'limit');
  return (_event: Told, index: number): boolean => index <= from || index >= to;
};
const withoutAnswer = (event: Told): Told =>
  event.type === 'turn_end' ? { type: event.type, exit_reason: event['exit_reason'] } : event;

/** The stream of a session says in its first line also which model it began with. */
const withoutModel = (event: Told): Told => {
  if (event.type !== 'session') return event;
  const { model: _model, ...rest } = event;
  return rest;
};

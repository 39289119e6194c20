/** Each document's numbers and forms, played against a scripted model that calls for ever. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { SessionFace } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelRequest } from '../core/model-port.ts';
import { findPreset, type PresetName } from '../core/presets.ts';
import { scriptedProvider } from '../testing/index.ts';
import { assemble } from './assemble.ts';

let home: string;
let folder: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'halter-preset-'));
  folder = await mkdtemp(join(tmpdir(), 'halter-preset-folder-'));
  await writeFile(join(folder, 'a.txt'), 'x\n');
});
afterEach(async () => {
  await rm(home, { recursive: true });
  await rm(folder, { recursive: true });
});

type TurnData = { text?: string; calls?: { name: string; arguments: JsonObject }[] };
type Turn = (number: number) => TurnData;
/** First this tool, then other calls each time, so that it is the limit that ends it. */
const first =
  (name: string): Turn =>
  (n) => {
    const other: JsonObject = { content: `${n}` };
    return { calls: [n === 0 ? { name, arguments: {} } : { name: 'add_task', arguments: other }] };
  };
const play = async (
  preset: PresetName,
  turn: Turn,
): Promise<{ requests: readonly ModelRequest[]; log: ReturnType<SessionFace['log']> }> => {
  const provider = scriptedProvider((_, number) => turn(number));
  const halter = await assemble({
    folder,
    preset,
    environment: { HALTER_WEB_SEARCH_URL: 'http://127.0.0.1:9', HOME: home, PATH: process.env['PATH'] },
    platform: 'linux',
    modelProvider: provider,
    model: 'test-model',
    yolo: true,
    onWarning: () => {},
  });
  if (!halter.ok) throw new Error(halter.error.message);
  const session = await halter.value.openSession({ keep: false });
  if (!session.ok) throw new Error(session.error.message);
  await session.value.send({ type: 'send_message', content: 'What files are here?' });
  await session.value.idle();
  await halter.value.close();
  return { requests: provider.requests, log: session.value.log() };
};

type Case = { turn: Turn; offered: string; result: RegExp };
const CASES: Record<PresetName, Case> = {
  zodollama: {
    turn: first('get_file_tree'),
    offered: '',
    result: /^\{"success":true,"data":"\[\\"a\.txt\\"\]"/,
  },
  'local-harness': {
    turn: first('ls'),
    offered: '',
    result: /^\{"success":true,"data":".*a\.txt/,
  },
  'llama-chat': {
    turn: (n) => ({ text: `[TOOL_CALLS]bash[ARGS]{"command": "ls; echo ${n}"}` }),
    offered: '[AVAILABLE_TOOLS]',
    result: /\[TOOL_RESULTS\][\s\S]*a\.txt[\s\S]*\[\/TOOL_RESULTS\]/,
  },
  'zoo-keeper': {
    turn: (n) => ({ text: `{"name": "ls", "arguments": {"max_entries": ${n + 1}}}` }),
    offered: '"name"',
    result: /a\.txt/,
  },
  edison: {
    turn: () => ({ text: '{"tool": "system_stats", "args": {}}' }),
    offered: '"tool"',
    result: /Tool 1 \[system_stats\]: \[system_stats\] results: cpu_percent: [^|]*\|/,
  },
};

test.each(Object.keys(CASES) as PresetName[])('%s: its limits, its call shape, its result form', async (name) => {
  verifies('Z14', 'L2', 'L6', 'K5', 'E5', 'E7', 'E8');
  const { turn, offered, result } = CASES[name];
  const preset = findPreset(name);
  const { requests, log } = await play(name, turn);
  expect(requests).toHaveLength(preset?.limits.iterations ?? 0);
  expect(log.findLast((event) => event.type === 'run_stopped')).toMatchObject({ code: 504 });
  const [first, second] = requests;
  expect(String(first?.messages[0]?.content)).toContain(offered);
  expect(first?.tools.length === 0).toBe(preset?.toolMode === 'injected');
  if (preset?.tools) for (const tool of first?.tools ?? []) expect(preset.tools).toContain(tool.function.name);
  const last = second?.messages.at(-1);
  expect(last?.role).toBe(preset?.toolMode === 'injected' ? 'user' : 'tool');
  expect(String(last?.content)).toMatch(result);
});

test('edison runs one call a step and corrects invalid arguments once', async () => {
  verifies('E8');
  const { requests, log } = await play('edison', () => ({ text: '{"tool": "web_search", "args": {}}' }));
  expect(requests).toHaveLength(2);
  expect(log.findLast((event) => event.type === 'run_stopped')).toMatchObject({ code: 503 });
});

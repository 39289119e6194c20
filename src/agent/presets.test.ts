/** Each document's numbers and forms, played against a scripted model that calls for ever. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import type { SessionFace } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelRequest } from '../core/model-port.ts';
import { findPreset, type PresetName } from '../core/presets.ts';
import { scriptedProvider } from '../testing/index.ts';

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
  const folder = scratchFolder();
  putFiles(folder, { 'a.txt': 'x\n' });
  const halter = await assembled({
    folder,
    preset,
    environment: { HALTER_WEB_SEARCH_URL: 'http://127.0.0.1:9', PATH: process.env['PATH'] },
    modelProvider: provider,
    mode: 'yolo',
  });
  const session = await openedSession(halter, { keep: false });
  await say(session, 'What files are here?');
  return { requests: provider.requests, log: session.log() };
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
    result: /Tool 1 \[system_stats\]: results: cpu_percent: [^|]*\|/,
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
  expect(first?.tools_in_text === true).toBe(preset?.toolMode === 'injected');
  if (preset?.tools) for (const tool of first?.tools ?? []) expect(preset.tools).toContain(tool.function.name);
  const last = second?.messages.at(-1);
  expect(last?.role).toBe(preset?.toolMode === 'injected' ? 'user' : 'tool');
  expect(String(last?.content)).toMatch(result);
});

test.each([
  ['edison', /one of these tools at a time/, /one or more|Independent/],
  ['zoo-keeper', /one or more of these tools/, /one call in a message/],
] as const)('the prompt of %s offers as many calls in a step as are made', async (preset, says, never) => {
  const { requests } = await play(preset, () => ({ text: 'Done.' }));
  const prompt = String(requests[0]?.messages[0]?.content);
  expect(prompt).toMatch(says);
  expect(prompt).not.toMatch(never);
});

test('edison runs one call a step and corrects invalid arguments once', async () => {
  verifies('E8');
  const { requests, log } = await play('edison', () => ({ text: '{"tool": "web_search", "args": {}}' }));
  expect(requests).toHaveLength(2);
  expect(log.findLast((event) => event.type === 'run_stopped')).toMatchObject({ code: 503 });
});

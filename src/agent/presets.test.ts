/** Each document's numbers and forms, played against a scripted model that calls for ever. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import type { SessionFace } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelRequest } from '../core/model-port.ts';
import { findPreset, type PresetName, presetNames } from '../core/presets.ts';
import { scriptedProvider } from '../testing/index.ts';
import { openTestAgent, type TestAgentOptions } from '../testing/test-agent.ts';

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

type Way = Pick<TestAgentOptions, 'dialect' | 'toolStrategy'>;
const WAYS: Way[] = [{ dialect: 'native' }, { toolStrategy: 'native' }, { dialect: 'native', toolStrategy: 'auto' }];
const told = async (options: Way & { preset?: PresetName }, turns: Parameters<typeof scriptedProvider>[0]) => {
  const provider = scriptedProvider(turns);
  const folder = scratchFolder();
  putFiles(folder, { 'a.txt': 'x\n' });
  const halter = await assembled({ folder, ...options, modelProvider: provider, mode: 'yolo' });
  const session = await openedSession(halter, { keep: false });
  const warnings: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warnings.push(update.code);
  });
  await say(session, 'What files are here?');
  return { requests: provider.requests, log: session.log(), warnings };
};

test.each(
  [...presetNames, undefined].flatMap((preset) => WAYS.map((way) => [preset ?? 'no preset', way, preset] as const)),
)('%s with %j: the tools go in the field of the server, and a text that is a call is one', async (_, way, preset) => {
  verifies('Z14', 'L2');
  const tool = preset === 'llama-chat' ? 'bash' : preset === 'edison' ? 'system_stats' : 'get_current_time';
  const args = tool === 'bash' ? { command: 'ls' } : {};
  const written = `<tool_call>\n${JSON.stringify({ name: tool, arguments: args })}\n</tool_call>`;
  const { requests, log } = await told({ ...way, ...(preset ? { preset } : {}) }, [
    { text: written },
    { text: 'Done.' },
    { text: 'Done.' },
  ]);
  expect(requests[0]?.tools.map((one) => one.function.name)).toContain(tool);
  expect(requests[0]).not.toHaveProperty('tools_in_text');
  expect(String(requests[0]?.messages[0]?.content)).not.toMatch(/\[AVAILABLE_TOOLS\]|<tools>|"args":/);
  expect(log.filter(({ type }) => type === 'tool_finished')).toHaveLength(1);
});

test.each(WAYS)('%j: where the server refuses tools, that is said, and what it writes is read', async (way) => {
  verifies('Z16');
  const error = { code: 'tools_unsupported', message: 'does not support tools' } as const;
  const written = '<tool_call>\n{"name": "get_file_tree", "arguments": {}}\n</tool_call>';
  const { requests, log, warnings } = await told({ ...way, preset: 'zodollama' }, [
    { error },
    { text: written },
    { text: 'Done.' },
  ]);
  expect(warnings).toContain('tools_injected');
  expect(requests[1]).toMatchObject({ tools: [], tools_in_text: true });
  expect(log.filter(({ type }) => type === 'tool_finished')).toHaveLength(1);
});

test.each(['text', 'led'] as const)(
  'the dialect native beside the tool strategy %s is refused',
  async (toolStrategy) => {
    const opened = await openTestAgent({ folder: scratchFolder(), dialect: 'native', toolStrategy, environment: {} });
    expect(opened).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('leave one of them out') },
    });
  },
);

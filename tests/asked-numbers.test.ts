/** A question shows the numbers of a call as the model wrote them, wherever it is shown. */
import { expect, it, onTestFinished } from 'vitest';
import { createTranslator } from '../src/acp/updates.ts';
import type { ToolCall } from '../src/core/message.ts';
import { createHarness, defineTool } from '../src/index.ts';
import { CallView } from '../src/terminal/transcript/call-view.ts';
import { inlineJson } from '../src/terminal/transcript/json-view.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { shownArguments } from '../web/src/decision/question.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const COMMAND = '{"command":"touch x","timeout_ms":';
/** How the model wrote it; what a question says beside its values. */
const ROWS: [text: string, written: string | undefined][] = [
  [`${COMMAND}1e4}`, `${COMMAND}1e4}`],
  [`${COMMAND}10000.0}`, `${COMMAND}10000.0}`],
  [`${COMMAND}1.0E+4}`, `${COMMAND}1.0E+4}`],
  [`${COMMAND}10000}`, undefined],
];
const PRESETS = [undefined, 'llama-chat'] as const;
const turnsOf = (text: string, preset: string | undefined) => [
  preset === undefined
    ? { calls: [{ id: 'a', name: 'bash', arguments: text }] }
    : { text: `[TOOL_CALLS]bash[ARGS]${text}` },
  { text: 'Done.' },
];

it.each(ROWS)('on the command line: %s', async (text, written) => {
  verifies('B11');
  for (const preset of PRESETS) {
    const model = await startScriptedServer({ turns: turnsOf(text, preset) as never });
    onTestFinished(() => model.close());
    const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
    const flags = preset === undefined ? [] : ['--preset', preset];
    const ran = await runHalter(['run', 'go', ...reach, ...flags, '--format', 'stream-json']);
    const asked = ran.lines().find(({ type }) => type === 'permission_request');
    expect(asked).toMatchObject({ arguments: { timeout_ms: 10_000 } });
    expect(asked?.['written'], preset).toBe(written);
  }
});

it.each(ROWS)('over HTTP: %s', async (text, written) => {
  verifies('B11');
  for (const preset of PRESETS) {
    const turns = turnsOf(text, 'as text');
    const server = await testServer((_request, number) => (turns[number] ?? { text: 'Done.' }) as never, { preset });
    const reply = await server.json<{ permission_requests: { written?: string }[] }>('POST', '/api/chat', {
      message: 'go',
      mode: 'agent',
    });
    expect(reply.permission_requests[0]).toMatchObject({ arguments: { timeout_ms: 10_000 } });
    expect(reply.permission_requests[0]?.written, preset).toBe(written);
  }
});

const BASH = defineTool({
  name: 'bash',
  description: 'Runs a line',
  risk: 'high',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string' },
      timeout_ms: { type: 'integer' },
      background: { type: 'boolean', default: false },
    },
    required: ['command'],
  },
  run: () => 'ran',
});

it.each(ROWS)('in the library: %s', async (text, written) => {
  verifies('B11');
  const model = await startScriptedServer({ turns: turnsOf(text, undefined) as never });
  onTestFinished(() => model.close());
  const asked: (string | undefined)[] = [];
  const harness = createHarness({
    model: 'test-model',
    provider: 'openai',
    baseUrl: model.openaiUrl,
    workspace: scratchFolder(),
    storage: 'memory',
    tools: [BASH],
    onPermission: (request) => {
      asked.push(request.written);
      return 'deny';
    },
  });
  onTestFinished(() => harness.close());
  await harness.chat('go');
  // What runs has defaults in it besides.
  const whole = written?.replace(/}$/, ',"background":false}');
  expect(asked).toEqual([whole]);
});

it.each(ROWS)('in an editor, the page and the terminal: %s', (text, written) => {
  verifies('B11');
  const args = JSON.parse(text) as ToolCall['arguments'];
  const call: ToolCall = {
    id: 'a',
    name: 'bash',
    arguments: args,
    source: 'native',
    repairs: [],
    ...(written === undefined ? {} : { written }),
  };
  const number = /:([^:]*)}$/.exec(text)?.[1] ?? '';

  const translator = createTranslator({ root: '/w', tools: [], sandbox: 'off', live: true } as never);
  const message = { role: 'assistant', content: '', tool_calls: [call] };
  translator.translate({ type: 'assistant_message_added', seq: 1, at: 0, message } as never);
  const rule = { tool: 'bash' };
  const event = { type: 'permission_requested', seq: 2, at: 0, tool_call_id: 'a', risk: 'high', rule };
  expect(JSON.stringify(translator.question(event as never).call.content)).toContain(
    written === undefined ? 'Sandbox: off' : JSON.stringify(written).slice(1, -1),
  );

  const page = shownArguments(call);
  expect(page.map(({ text: shown }) => shown).join('\n')).toContain(number);

  const view = new CallView(call, undefined);
  expect(inlineJson(view.arguments)).toContain(`"timeout_ms": ${number}`);
});

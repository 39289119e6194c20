/** Servers that drop messages from the front of a prompt and say nothing, in conversations of short messages. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { scriptedProvider } from '../../../testing/index.ts';

const textOf = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages ?? []);
const sizeOf = (messages: readonly ModelMessage[], { tools }: ModelRequest): number =>
  Math.round(
    estimateTokens(
      JSON.stringify(messages.map(({ role, content }) => [role, content])) +
        (tools.length > 0 ? JSON.stringify(tools) : ''),
    ) * 0.9,
  );

/** As Ollama does: the instructions stay, and the oldest messages go until the rest fits. */
const truncated = (request: ModelRequest, window: number): readonly ModelMessage[] => {
  let from = 1;
  const rest = (): ModelMessage[] => [...request.messages.slice(0, 1), ...request.messages.slice(from)];
  while (sizeOf(rest(), request) > window && from < request.messages.length - 1) from += 1;
  return rest();
};

const start = async (window: number, told: number | undefined) => {
  let cut = 0;
  const scripted = scriptedProvider(
    (request) => {
      const read = truncated(request, window);
      if (read.length < request.messages.length) cut += 1;
      const isNotes = textOf(request).includes('Write notes for yourself');
      return {
        text: isNotes ? 'no' : 'Yes, that is so, and here is a little more about it.',
        usage: { prompt_tokens: sizeOf(read, request), completion_tokens: 14 },
      };
    },
    { models: [{ id: 'test-model', ...(told === undefined ? {} : { context_length: told }) }] },
  );
  const session = await openedSession(await assembled({ modelProvider: scripted, mode: 'yolo' }));
  const warned: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning' && update.code === 'prompt_truncated') warned.push(update.message);
  });
  return { session, scripted, warned, cut: () => cut };
};

describe.each([
  [2_048, undefined],
  [2_048, 32_768],
  [4_096, undefined],
  [4_096, 131_072],
])('a window of %i tokens, told as %s', (window, told) => {
  it('is noticed by short messages, said once, learned, and nothing the person said is lost', async () => {
    verifies('B7');
    const { session, scripted, warned, cut } = await start(window, told);
    const turns = window === 2_048 ? 40 : 120;
    for (let at = 0; at < turns; at += 1) await say(session, `Message ${at}: the number is ${1_000 + at * 7}.`);
    expect(warned).toHaveLength(1);
    expect(cut()).toBeLessThanOrEqual(8);
    expect(cut()).toBeGreaterThan(0);
    const last = textOf(scripted.requests.at(-1));
    // The smallest window has no room for all of them.
    const first = window === 2_048 ? Math.floor(turns / 3) : 0;
    for (const at of [first, first + 1, Math.floor(turns / 2), turns - 2])
      expect(last).toContain(`the number is ${1_000 + at * 7}.`);
    const made = session.log().flatMap((event) => (event.type === 'context_compacted' ? [event.report] : []));
    // The log says why room is made for less than was told.
    expect(made.map((report) => report?.window_learned)).toContain('cut');
  });
});

it('a session with tools switched off now and then is not suspected', async () => {
  const { session, warned } = await start(131_072, 131_072);
  for (let at = 0; at < 30; at += 1) {
    const extras = at % 6 > 2 ? { tools: 'off' as const } : {};
    await session.send({ type: 'send_message', content: `Message ${at}: the number is ${at}.`, ...extras });
    await session.idle();
  }
  expect(warned).toEqual([]);
});

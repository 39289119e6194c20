/** Servers that cut a prompt at an odd size and say nothing: known at the second such request, whichever way they cut. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { everyNth, inTurn, timeLimit } from '../../../../tests/support/long.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import type { OpenSession } from '../../session.ts';

const SHOWN_TOKENS = 128;
const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const CUTS = {
  /** As llama.cpp's and vLLM's `truncate_prompt_tokens`. */
  exactly: (_sizes: number[], window: number) => window,
  /** As Ollama: the first message stays, and the oldest others go until the rest fits. */
  messages: ([first = 0, ...rest]: number[], window: number) => {
    let sum = first + rest.reduce((all, one) => all + one, 0);
    for (const one of rest.slice(0, -1)) {
      if (sum <= window) break;
      sum -= one;
    }
    return Math.min(sum, window);
  },
  /** As a context that is shifted: half of what it holds goes. */
  halves: (sizes: number[], window: number) => {
    let sum = sizes.reduce((all, one) => all + one, 0);
    while (sum > window) sum -= Math.floor(window / 2) + 1;
    return sum;
  },
} as const;

const sizeOf = (messages: readonly ModelMessage[], ratio: number): number =>
  Math.round(estimateTokens(JSON.stringify(messages.map(({ role, content }) => [role, content]))) * ratio);

type Cut = keyof typeof CUTS;
type Server = { window: number; told: number | undefined; cut: Cut; ratio: number };
type Played = { cuts: number /** So many requests were cut when it was said. */; warnedAfter: number | undefined };

const play = async (
  { window, told, cut, ratio }: Server,
  messages: readonly string[],
  isAnew = false,
): Promise<Played> => {
  let cuts = 0;
  let warnedAfter: number | undefined;
  const scripted = scriptedProvider(
    (request: ModelRequest) => {
      const tools = request.tools.length > 0 ? Math.round(estimateTokens(JSON.stringify(request.tools)) * ratio) : 0;
      const sizes = request.messages.map((message) => sizeOf([message], ratio));
      const whole = sizes.reduce((all, one) => all + one, tools);
      const read = whole <= window ? whole : CUTS[cut]([tools + (sizes[0] ?? 0), ...sizes.slice(1)], window);
      // A cut of a few words is none that a count could show.
      if (read < whole - SHOWN_TOKENS) cuts += 1;
      const isNotes = JSON.stringify(request.messages).includes('Write notes for yourself');
      return { text: isNotes ? 'no' : 'Yes, that is so.', usage: { prompt_tokens: read, completion_tokens: 14 } };
    },
    { models: [{ id: 'test-model', ...(told === undefined ? {} : { context_length: told }) }] },
  );
  const shared = {
    modelProvider: scripted,
    mode: 'yolo',
    folder: scratchFolder(),
    environment: { HOME: scratchFolder() },
  } as const;
  const follow = (session: OpenSession) =>
    session.subscribe((update) => {
      if (update.type === 'warning' && update.code === 'prompt_truncated') warnedAfter ??= cuts;
    });
  let agent = await assembled(shared);
  let session = await openedSession(agent);
  follow(session);
  for (const message of messages) {
    if (isAnew) {
      const { id } = session;
      await session.close();
      await agent.close();
      agent = await assembled(shared);
      session = await openedSession(agent, { id });
      follow(session);
    }
    await say(session, message);
  }
  return { warnedAfter, cuts };
};

const SPEECHES = {
  short: { count: 200, at: (at: number) => `Message ${at}: the number is ${1_000 + at * 7}. ${WORDS.repeat(2)}` },
  medium: { count: 40, at: (at: number) => `Message ${at}: ${WORDS.repeat(30)}` },
  long: { count: 16, at: (at: number) => `Message ${at}: ${WORDS.repeat(at % 2 === 0 ? 10 : 160)}` },
  'one paste': { count: 6, at: (at: number) => (at === 2 ? WORDS.repeat(1_500) : `Message ${at}: and now?`) },
} as const;
type Speech = keyof typeof SPEECHES;
const CUT_WAYS = Object.keys(CUTS) as Cut[];
const PLAYS = Object.keys(SPEECHES).flatMap((speech) =>
  CUT_WAYS.flatMap((cut) =>
    [undefined, 32_768].flatMap((told) =>
      [3_001, 4_096, 5_333].map((window) => ({ speech: speech as Speech, cut, told, window })),
    ),
  ),
);
/** Cuts that leave different counts take up to two more requests until it is seen that the counts do not grow. */
const SEEN_AFTER = { exactly: 2, messages: 4, halves: 4 } satisfies Record<Cut, number>;

const messagesOf = (speech: Speech): string[] =>
  Array.from({ length: SPEECHES[speech].count }, (_, at) => SPEECHES[speech].at(at));

const expectSeen = ({ warnedAfter, cuts }: Played, most: number): void => {
  if (cuts < most && warnedAfter === undefined) return;
  expect(warnedAfter).toBeLessThanOrEqual(most);
};

const LONG = { timeout: timeLimit(300_000) };
const RATIOS = [0.8, 1.25] as const;
/** Every kind of message, of cut, of window and of what is told is in it; usually with one ratio in turn. */
const ROWS = everyNth(PLAYS, 23).map((row, index) => ({ ...row, ratios: inTurn(RATIOS, index % 2, 2) }));
it.each(ROWS)('$speech messages, cut $cut at $window tokens, told as $told', LONG, async ({ ratios, ...row }) => {
  verifies('B7');
  for (const ratio of ratios) expectSeen(await play({ ...row, ratio }, messagesOf(row.speech)), SEEN_AFTER[row.cut]);
});

it.each(
  everyNth(
    PLAYS.filter(({ speech, told }) => speech !== 'short' && told !== undefined),
    11,
  ),
)('in a process for each message: $speech messages, cut $cut at $window tokens', async (row) => {
  verifies('B7');
  expectSeen(await play({ ...row, ratio: 1.25 }, messagesOf(row.speech), true), SEEN_AFTER[row.cut]);
});

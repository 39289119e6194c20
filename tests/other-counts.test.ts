/** What a server counted of another request (a reminder, one under a schema) is not how full the window is, on any surface. */
import { expect, it } from 'vitest';
import { createTranslator } from '../src/acp/updates.ts';
import { contextReport } from '../src/agent/loop/window/report.ts';
import type { Event } from '../src/core/events.ts';
import { contextUse, lastCounted } from '../src/core/window.ts';
import { Activity } from '../src/terminal/app/activity.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { reduce } from '../web/src/state/reduce.ts';
import { EMPTY_VIEW } from '../web/src/state/view.ts';
import { verifies } from './requirements.ts';

const answered = (seq: number, prompt_tokens: number, isOther: boolean): Event => ({
  type: 'assistant_message_added',
  seq,
  at: seq,
  message: {
    role: 'assistant',
    content: 'ok',
    tool_calls: [],
    finish: 'stop',
    usage: { prompt_tokens, completion_tokens: 0, seconds: 1 },
  },
  prompt: { kept: 0, digests: [], ...(isOther ? { other_usage: true as const } : {}) },
});
const log = (isOther: boolean): Event[] => [
  { type: 'user_message_added', seq: 1, at: 1, content: 'Hello.' },
  answered(2, 7_000, false),
  { type: 'user_message_added', seq: 3, at: 3, content: 'And now?' },
  answered(4, 3_000, isOther),
];

const inTerminal = (events: readonly Event[]): number => {
  const activity = new Activity();
  for (const event of events) activity.apply(event, event.seq);
  const view = { width: 200, theme: createTheme({}), now: 0, frame: 0 };
  const footer = activity.footer(view, { mode: 'ask', model: 'm', contextLength: 10_000, sandbox: 'sandbox' });
  return Number(/([\d.]+)k of/.exec(footer)?.[1]) * 1_000;
};
const inEditor = (events: readonly Event[]): unknown => {
  const options = { tools: [], root: '/', sandbox: '', contextTokens: 10_000, replay: false };
  const translator = createTranslator(options);
  const told = events.flatMap((event) => translator.translate(event));
  return told.findLast((update) => 'used' in update);
};

it.each<[string, (events: readonly Event[]) => unknown, (tokens: number) => unknown]>([
  ['sessions show and HTTP', (events) => contextUse(events)?.tokens, (tokens) => tokens],
  ['the last count', (events) => lastCounted(events)?.prompt_tokens, (tokens) => tokens],
  [
    'halter context',
    (events) =>
      contextReport({ sessionId: 's', events, model: 'm', contextTokens: 10_000, schemas: [], system: '' } as never)
        .counted_tokens,
    (tokens) => tokens,
  ],
  ['the terminal', inTerminal, (tokens) => tokens],
  ['the page', (events) => reduce(EMPTY_VIEW, events, 0).use?.tokens, (tokens) => tokens],
  ['an editor', inEditor, (used) => ({ sessionUpdate: 'usage_update', used, size: 10_000 })],
])('%s', (_name, shown, expected) => {
  verifies('B7');
  expect(shown(log(false))).toEqual(expected(3_000));
  expect(shown(log(true))).toEqual(expected(7_000));
});

/** The parts of an answer that are written while it comes change nothing of what anybody reads, on any surface. */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { createTranslator } from '../src/acp/updates.ts';
import { createStreamLines } from '../src/agent/loop/call-model/stream-lines.ts';
import type { Event, EventBody, SessionUpdate } from '../src/core/events.ts';
import { exportSession } from '../src/core/export-session.ts';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';
import { projectForModel } from '../src/core/project.ts';
import { branches, messageTree } from '../src/core/session-tree.ts';
import { statisticsOf } from '../src/core/statistics.ts';
import { fold } from '../src/core/step.ts';
import { transcriptOf } from '../src/core/transcript.ts';
import { messagesOf } from '../src/harness/history.ts';
import { createSessionLines } from '../src/server/session-lines.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { Transcript } from '../src/terminal/transcript.ts';
import { reduce } from '../web/src/state/reduce.ts';
import { EMPTY_VIEW } from '../web/src/state/view.ts';
import { verifies } from './requirements.ts';

const said = (content: string, finish: 'stop' | 'cancelled'): EventBody => ({
  type: 'assistant_message_added',
  message: { role: 'assistant', content, tool_calls: [], finish },
});
const part = (text: string, begins?: true): EventBody => ({
  type: 'answer_streamed',
  text,
  ...(begins ? { reasoning: 'Hm.', begins } : {}),
});
/** An answer, another one to the same message, and one that was stopped. */
const BODIES: readonly EventBody[] = [
  { type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'm' },
  { type: 'user_message_added', content: 'go' },
  part('One ', true),
  part('two '),
  said('One two three.', 'stop'),
  { type: 'run_completed', sources: [] },
  { type: 'branch_selected', at_seq: 2, model: 'm', run: true },
  part('Other', true),
  said('Other words.', 'stop'),
  { type: 'run_completed', sources: [] },
  { type: 'user_message_added', content: 'and now' },
  part('Half', true),
  { type: 'run_cancelled' },
  said('Half of', 'cancelled'),
];
const WITH = BODIES.flatMap((body, index): SessionUpdate[] => {
  const fact: Event = { seq: index + 1, at: index, ...body };
  if (body.type === 'user_message_added') return [fact, { type: 'model_started', model: 'm', iteration: 1 }];
  return body.type === 'answer_streamed' ? [{ type: 'text_delta', delta: body.text }, fact] : [fact];
});
const WITHOUT = WITH.filter(({ type }) => type !== 'answer_streamed');
const factsIn = (updates: readonly SessionUpdate[]): Event[] => updates.filter((update) => update.seq !== undefined);

/** Of what was kept, and of what is seen while it happens. */
const KEPT: Readonly<Record<string, (events: readonly Event[]) => unknown>> = {
  'the state': (events) => fold(DEFAULT_LIMITS, events),
  'the model': (events) => projectForModel(events, { system: '', results: 'full', summaryCharacters: 900 }),
  'the library': messagesOf,
  'the branches': (events) => [branches(events), messageTree(events)],
  statistics: (events) => statisticsOf(events, String),
  'sessions show': transcriptOf,
  'an export': (events) => [exportSession(events, 'markdown'), exportSession(events, 'html')],
};
const LIVE: Readonly<Record<string, (updates: readonly SessionUpdate[]) => unknown>> = {
  'stream-json': (updates) => {
    const lines = createStreamLines();
    return [updates.flatMap((update) => lines.add(update, 0)), lines.ended(), lines.answer()];
  },
  'the stream of the server': (updates) => {
    const lines = createSessionLines({ id: 's', limits: DEFAULT_LIMITS, tools: () => [] });
    return updates.flatMap((update) => lines.add(update, 0));
  },
  'the page': (updates) => {
    const views = updates.map((_, index) => reduce(EMPTY_VIEW, updates.slice(0, index + 1), 0).items);
    return views.filter((view, index) => !isDeepStrictEqual(view, views[index - 1]));
  },
  'the terminal': (updates) => {
    const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
    const transcript = new Transcript(theme, []);
    const view = { width: 60, theme, now: 0, frame: 0 };
    transcript.endPast();
    const seen = updates.map((update) => {
      transcript.apply(update, 0);
      const kept = transcript.take(view);
      return [...kept, ...transcript.live(view, 40, kept)].join('\n');
    });
    return seen.filter((screen, index) => screen !== seen[index - 1]);
  },
  'an editor': (updates) =>
    [true, false].map((replay) => {
      const translator = createTranslator({ tools: [], root: '/w', sandbox: 'none', contextTokens: undefined, replay });
      return updates.flatMap((update) => translator.translate(update));
    }),
};

it.each([
  ...Object.entries(KEPT).map(
    ([name, read]) => [name, (updates: readonly SessionUpdate[]) => read(factsIn(updates))] as const,
  ),
  ...Object.entries(LIVE),
])('%s', (_name, read) => {
  verifies('B5');
  expect(read(WITH)).toEqual(read(WITHOUT));
});

import { afterEach, expect, it, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { said } from '../../../tests/support/event-bodies.ts';
import { steepness } from '../../../tests/support/processor-time.ts';
import type { EventBody } from '../events.ts';
import type { ModelMessage } from '../message.ts';
import { planCompaction } from './compaction.ts';
import { pastedLines } from './own-words.ts';
import { messageTokens } from './tokens.ts';

afterEach(() => vi.restoreAllMocks());

const LINES = 2_000;
const KINDS = {
  log: (at: number) => `2026-01-02 10:00:${at % 60} INFO worker-${at % 7} took ${at % 97} ms for customer ${at % 311}`,
  prose: (at: number) => `Then the keeper number ${at} said that the ship ${at * 7} was late by ${at % 13} hours.`,
};
type Kind = keyof typeof KINDS;
const pasteOf = (kind: Kind, lines: number): string =>
  Array.from({ length: lines }, (_, at) => KINDS[kind](at)).join('\n');

const answer = (content: string): EventBody => ({
  type: 'assistant_message_added',
  message: { role: 'assistant', content, tool_calls: [], finish: 'stop' },
});

it.each(Object.keys(KINDS) as Kind[])(
  'cuts a long paste into sentences once, however many plans are made: %s',
  (kind) => {
    verifies('B7');
    const talk = Array.from({ length: 8 }, (_, at) => [
      said(`Thing ${at}: ${`foxes run over hill ${at} and dogs. `.repeat(60)}`),
      answer('Yes.'),
    ]);
    const bodies = [said('See this.'), answer('Where?'), said(pasteOf(kind, LINES)), answer('Yes.'), ...talk.flat()];
    const events = [...bodies, said('And now?')].map((body, index) => ({ seq: index + 1, at: 0, ...body }));
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    const size = (messages: readonly ModelMessage[]): number =>
      messages.reduce((sum, message) => sum + messageTokens(message), 0);
    const plan = planCompaction(events, {
      projection: { system: 'Be short.', results: 'full', summaryCharacters: 900 },
      size,
      targetTokens: 1_500,
      limitTokens: 3_000,
      retainedCharacters: 4_000,
      wordsTokens: 3_000,
      trace: () => undefined,
      tasks: [],
    });
    expect(plan?.after).toBeLessThan(4_000);
    expect(segment.mock.calls.length).toBeLessThan(LINES * 1.5);
  },
);

it('finds pasted rows in a time that grows with their number', async () => {
  expect(await steepness(4_000, (lines) => pastedLines(pasteOf('log', lines)))).toBeUndefined();
});

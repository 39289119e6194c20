import { describe, expect, it } from 'vitest';
import type { Event, EventBody } from './events.ts';
import type { Usage } from './message.ts';
import { mergeStatistics, statisticsOf } from './statistics.ts';

const log = (...bodies: [at: number, EventBody][]): Event[] =>
  bodies.map(([at, body], index) => ({ seq: index + 1, at, ...body }));
const started = (extra: object = {}): EventBody =>
  ({ type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'a/one', ...extra }) as EventBody;
const answer = (usage?: Usage, calls: { id: string; repairs?: object[] }[] = []): EventBody =>
  ({
    type: 'assistant_message_added',
    message: {
      role: 'assistant',
      content: 'x',
      finish: 'stop',
      tool_calls: calls.map((call) => ({ name: 'ls', arguments: {}, ...call })),
      ...(usage ? { usage } : {}),
    },
  }) as EventBody;
const dayOf = (at: number): string => `day ${Math.floor(at / 100)}`;

describe('what models did', () => {
  it('is told by model and day, with what was computed on branches that were left', () => {
    const rows = statisticsOf(
      log(
        [100, started()],
        [
          101,
          answer({ prompt_tokens: 1_000, cached_tokens: 600, completion_tokens: 50, seconds: 3, prompt_seconds: 1 }),
        ],
        [102, { type: 'model_changed', model: 'b/two' }],
        [103, answer({ prompt_tokens: 10, completion_tokens: 5, seconds: 1 })],
        [104, { type: 'branch_selected', at_seq: 1, model: 'a/one' }],
        [205, answer({ prompt_tokens: 100, cached_tokens: 0, completion_tokens: 10, seconds: 2, prompt_seconds: 1.5 })],
      ),
      dayOf,
    );
    expect(rows.map(({ day, model, answers }) => [day, model, answers])).toEqual([
      ['day 1', 'a/one', 1],
      ['day 1', 'b/two', 1],
      ['day 2', 'a/one', 1],
    ]);
    expect(rows[0]).toMatchObject({
      prompt_tokens: 1_000,
      told_prompt_tokens: 1_000,
      cached_tokens: 600,
      completion_tokens: 50,
      read_tokens: 400,
      read_seconds: 1,
      write_tokens: 50,
      write_seconds: 2,
    });
    // Whose server says neither what it had nor how long it read is in no share and in no speed.
    expect(rows[1]).toMatchObject({ prompt_tokens: 10, told_prompt_tokens: 0, read_seconds: 0, write_seconds: 0 });
  });

  it('counts a call that was mended once, and those that were sent back', () => {
    const rows = statisticsOf(
      log(
        [1, started()],
        [2, answer(undefined, [{ id: 'c1', repairs: [{}, {}] }, { id: 'c2' }, { id: 'c3' }])],
        [3, policy('c1')],
        [4, policy('c2')],
        [5, { type: 'arguments_rejected', tool_call_id: 'c3', result: {} } as unknown as EventBody],
      ),
      dayOf,
    );
    expect(rows).toMatchObject([{ answers: 1, calls: 3, repaired_calls: 2, rejected_calls: 1 }]);
  });

  it('leaves to another session what was copied from it', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, seconds: 1 };
    const rows = statisticsOf(
      log([1, started({ forked_from: { session_id: 'o', seq: 2 } })], [2, answer(usage)], [3, answer(usage)]),
      dayOf,
    );
    expect(rows).toMatchObject([{ answers: 1 }]);
  });

  it('is added up over sessions, newest day first', () => {
    const one = statisticsOf(log([1, started()], [2, answer()]), dayOf);
    const two = statisticsOf(log([101, started()], [102, answer()]), dayOf);
    const merged = mergeStatistics([one, two, one]);
    expect(merged.map(({ day, answers }) => [day, answers])).toEqual([
      ['day 1', 1],
      ['day 0', 2],
    ]);
    expect(one[0]?.answers).toBe(1);
  });
});

const policy = (id: string): EventBody =>
  ({
    type: 'policy_evaluated',
    tool_call_id: id,
    verdict: 'allow',
    risk: 'low',
    exclusive: false,
    arguments: {},
    because: 'a rule',
    repairs: [{}],
  }) as unknown as EventBody;

import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event, EventBody } from '../events.ts';
import { takenUp } from './taken-up.ts';

const log = (...texts: readonly (readonly [said: string, answer: string])[]): Event[] =>
  texts
    .flatMap(([said, content]): EventBody[] => [
      { type: 'user_message_added', content: said },
      {
        type: 'assistant_message_added',
        message: { role: 'assistant', content, tool_calls: [], finish: 'stop' },
      },
    ])
    .map((body, index) => ({ seq: index + 1, at: 0, ...body }));
const LONG =
  'Please go through the whole of the module now, and tell me in order what each of its functions is there for.';
const ROUTINE = 'The change is small. It keeps the signature, and leaves the callers as they are.';

describe('what the person took up of an answer', () => {
  it.each([
    [
      'Yes, take B.',
      'I see two ways. Option A: round each line. Option B: sum first in BigInt, then banker rounding. I would take B.',
      ['Option B: sum first in BigInt, then banker rounding.', 'I would take B.'],
    ],
    ['ok', `${ROUTINE} ${ROUTINE} ${ROUTINE} Shall I call it heron-17 from now on?`, ['heron-17']],
    [
      'Да, второй.',
      'Есть два пути. Первый быстрый. Второй точный: сумма в BigInt. Я бы взял второй.',
      ['сумма в BigInt'],
    ],
    ['好的，用第二种。', '有两种方法。第一种很快。第二种使用整数分。我建议第二种。', ['第二种使用整数分']],
    [
      'Where it says limit_xq9, yes.',
      `${ROUTINE} The loop compares limit_xq9 with the wrong sign.`,
      ['limit_xq9 with'],
    ],
  ])('stays with what was said to it: %s', (said, answer, kept) => {
    verifies('B7');
    const routine = Array.from({ length: 12 }, () => [LONG, ROUTINE] as const);
    const events = log(...routine, [LONG, answer], [said, ROUTINE], ...routine);
    const [line = '', ...more] = takenUp(events, 1_000);
    expect(more).toEqual([]);
    expect(line).toContain(JSON.stringify(said));
    for (const text of kept) expect(line).toContain(text);
    expect(line.length).toBeLessThan(400);
  });

  it('is nothing of messages that speak for themselves, and never more than there is room for', () => {
    expect(takenUp(log(...Array.from({ length: 9 }, () => [LONG, ROUTINE] as const)), 1_000)).toEqual([]);
    const yes = Array.from({ length: 60 }, (_, at) => ['Yes.', `Shall I take number ${at}?`] as const);
    const lines = takenUp(log(...yes), 500);
    expect(lines.join('').length).toBeLessThanOrEqual(500);
    expect(lines.at(-1)).toContain('number 58?');
    expect(takenUp([], 500)).toEqual([]);
  });
});

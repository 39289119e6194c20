import { expect, it } from 'vitest';
import { answerOnce } from './answer-once.ts';
import type { Command } from './events.ts';

const answered = async (takes: boolean): Promise<Command[]> => {
  const sent: Command[] = [];
  const send = async (command: Command) => {
    sent.push(command);
    return takes || sent.length > 1 ? ({ ok: true } as const) : ({ ok: false, message: 'no rule covers it' } as const);
  };
  await answerOnce({ send }, 'c1', { decision: 'remember' }, { tool: 'bash' });
  return sent;
};

it('sends an answer that is taken as it is', async () => {
  expect(await answered(true)).toEqual([
    { type: 'resolve_permission', tool_call_id: 'c1', decision: 'remember', rule: { tool: 'bash' } },
  ]);
});

it('is a no where the answer is refused, since nobody is asked again', async () => {
  expect((await answered(false)).slice(1)).toEqual([
    { type: 'leave_unanswered', tool_call_id: 'c1', reason: expect.stringContaining('no rule covers it') },
  ]);
});

import { expect, it } from 'vitest';
import type { Event, EventBody } from '../../../src/core/events.ts';
import { branches } from '../../../src/core/session-tree.ts';
import { answersAt } from './answers.ts';

const log = (...bodies: EventBody[]): Event[] => bodies.map((body, index) => ({ seq: index + 1, at: index, ...body }));
const answer = (content: string, extra: object = {}): EventBody =>
  ({
    type: 'assistant_message_added',
    message: { role: 'assistant', content, tool_calls: [], finish: 'stop', ...extra },
  }) as EventBody;
const call = { id: 'c', name: 'ls', arguments: {} };

it('compares whole answers, with the model and the cost of each, and nothing that was said later', () => {
  const events = log(
    { type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'a/one' },
    { type: 'user_message_added', content: 'What?' },
    answer('I look.', { tool_calls: [call], usage: { prompt_tokens: 1, completion_tokens: 3, seconds: 1 } }),
    answer('The first.', { usage: { prompt_tokens: 1, completion_tokens: 4, seconds: 2 } }),
    { type: 'run_completed', sources: [] },
    { type: 'user_message_added', content: 'And then?' },
    answer('Something else.'),
    { type: 'run_completed', sources: [] },
    { type: 'model_changed', model: 'b/two' },
    { type: 'branch_selected', at_seq: 2, model: 'b/two', run: true },
    answer('The second.'),
    { type: 'run_completed', sources: [] },
    { type: 'branch_selected', at_seq: 2, model: 'b/two' },
    answer('In my words.', { edited: true }),
    { type: 'run_completed', sources: [] },
  );
  const [point] = branches(events);
  if (point === undefined) throw new Error('there is no branch');
  expect(answersAt(events, point)).toMatchObject([
    { model: 'a/one', text: 'I look.\n\nThe first.', calls: 1, tokens: 7, seconds: 3, isCurrent: false },
    { model: 'b/two', text: 'The second.', calls: 0, isCurrent: false },
    { text: 'In my words.', isEdited: true, isCurrent: true },
  ]);
});

import { describe, expect, it } from 'vitest';
import type { Event, EventBody } from './events.ts';
import { transcriptOf } from './transcript.ts';

const answer = (finish: 'stop' | 'cancelled' | 'disconnected', content: string): EventBody => ({
  type: 'assistant_message_added',
  message: { role: 'assistant', content, tool_calls: [], finish },
});
const read = (bodies: readonly EventBody[]): string[] =>
  transcriptOf(bodies.map((body, index): Event => ({ seq: index + 1, at: 0, ...body }))).map(({ text }) => text);

describe('a session as a person reads it', () => {
  it.each([
    [
      'halter was ended',
      {
        type: 'run_stopped',
        reason: 'error',
        name: 'Interrupted',
        message: 'halter was ended in the middle of this run.',
      },
      'disconnected',
      'halter was ended in the middle of this run.',
    ],
    ['the person stopped it', { type: 'run_cancelled' }, 'cancelled', 'Ended by the person.'],
  ] as const)(
    'has what was there of an answer before the words that say why it broke off: %s',
    (_name, end, finish, words) => {
      const asked: EventBody = { type: 'user_message_added', content: 'Tell me.' };
      const next: EventBody = { type: 'user_message_added', content: 'And now?' };
      expect(read([asked, end, answer(finish, 'Half an ans'), next, answer('stop', 'All.')])).toEqual([
        'Tell me.',
        'Half an ans',
        words,
        'And now?',
        'All.',
      ]);
      expect(read([asked, end, next])).toEqual(['Tell me.', words, 'And now?']);
    },
  );
});

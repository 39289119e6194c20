/**
 * What was shown of an answer that nobody finished. Its text is written while it comes; the whole answer takes the place of
 * these parts, and after a crash they are what is left of it.
 */
import type { Event, EventBody } from './events.ts';

/** How a request to the model ends to which no answer comes any more: in what was shown of one, else in why there is none. */
export const brokenOff = (path: readonly Event[], message: string, code = 'cancelled'): EventBody => {
  const { text, reasoning } = shownPart(path);
  if (text.trim() === '') return { type: 'model_failed', code, message };
  return {
    type: 'assistant_message_added',
    message: {
      role: 'assistant',
      content: text,
      ...(reasoning.trim() === '' ? {} : { reasoning: reasoning.trim() }),
      tool_calls: [],
      finish: 'disconnected',
    },
  };
};

/** Such an end of a run stands in the log before the last words of the answer that it broke off, and is read after them. */
export const endsBeforeLastWords = (event: Event): boolean =>
  event.type === 'run_cancelled' ||
  (event.type === 'run_stopped' && (event.name === 'Interrupted' || event.name === 'max_time'));

/** What was written of the answer that the path ends in. */
const shownPart = (path: readonly Event[]): { text: string; reasoning: string } => {
  const text: string[] = [];
  const reasoning: string[] = [];
  for (let place = path.length - 1; place >= 0; place -= 1) {
    const event = path[place] as Event;
    if (event.type === 'assistant_message_added' || event.type === 'model_failed') break;
    if (event.type !== 'answer_streamed') continue;
    text.push(event.text);
    reasoning.push(event.reasoning ?? '');
    if (event.begins) break;
  }
  return { text: text.reverse().join(''), reasoning: reasoning.reverse().join('') };
};

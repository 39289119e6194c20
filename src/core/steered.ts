import type { Event } from './events.ts';

/** Something was said to the run that no answer has read yet, so an answer in words does not end it. */
export const isSteered = (path: readonly Event[]): boolean => {
  const last = path.findLast(({ type }) => type === 'assistant_message_added' || type === 'user_message_added');
  return last?.type === 'user_message_added' && last.steers === true;
};

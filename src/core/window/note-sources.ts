/** What the notes of a model are held against: what was really said and returned in the conversation. */
import type { Event } from '../events.ts';
import { writtenText } from '../message.ts';
import type { Result } from './checked-notes/found.ts';
import type { NoteSources } from './checked-notes.ts';
import { exchangesIn } from './exchanges.ts';
import { pastedLines } from './own-words.ts';

export const noteSources = (log: readonly Event[]): NoteSources => ({
  exchanges: exchangesIn(log),
  byModel: log.flatMap((event) =>
    event.type === 'assistant_message_added' && !event.message.by_halter ? [event.message.content] : [],
  ),
  results: resultsIn(log),
});

/** Also why a call failed, and what the person pasted. */
const resultsIn = (log: readonly Event[]): Result[] => {
  const called = new Map<string, string>();
  const results: Result[] = [];
  for (const event of log) {
    if (event.type === 'assistant_message_added')
      for (const { id, name, arguments: args } of event.message.tool_calls)
        called.set(id, `${name} ${JSON.stringify(args)}`);
    else if (event.type === 'tool_finished') {
      const { data, error_message: why } = event.result;
      results.push({ call: called.get(event.tool_call_id) ?? '', text: `${data ?? ''}\n${why ?? ''}` });
    } else if (event.type === 'user_message_added')
      results.push({ call: '', text: [...pastedLines(writtenText(event.content))].join('\n') });
  }
  return results;
};

/** What the notes of a model are held against: what was really said, done and returned in the conversation. */
import type { Event } from '../events.ts';
import { type ModelMessage, messageText } from '../message.ts';
import type { NoteSources } from './checked-notes.ts';
import { decisionsIn } from './decisions.ts';
import { exchangesIn } from './exchanges.ts';
import { withoutNotes } from './notes.ts';

/** `read`: the messages that the notes were written of. `focus`: what the person wants kept now. */
export const noteSources = (
  log: readonly Event[],
  read: readonly ModelMessage[],
  focus: string | undefined,
): NoteSources => {
  const wanted = focus ? [focus] : [];
  const decided = decisionsIn(log).map(({ text }) => text);
  const byPerson = [...saidByPerson(log), ...decided.reverse(), ...wanted];
  const byModel = log.flatMap((event) =>
    event.type === 'assistant_message_added' && !event.message.by_halter ? [event.message.content] : [],
  );
  const decisions = [...decided, ...wanted].map((said) => ({
    said,
    answer: '',
    before: '',
    chosenAgain: undefined,
    isCorrection: false,
  }));
  const { failed, ...done } = callsIn(log);
  return {
    read: [...read.map(textOf), ...failed, ...wanted],
    said: [...byPerson, ...byModel],
    byPerson,
    byModel,
    exchanges: [...exchangesIn(log), ...decisions],
    ...done,
    failed,
  };
};

const saidByPerson = (log: readonly Event[]): string[] =>
  log.flatMap((event) => (event.type === 'user_message_added' ? [messageText(event.content)] : []));

/** Those that ran and did what they were to do; of the others what they returned alone. */
const callsIn = (log: readonly Event[]): { calls: string[]; results: string[]; failed: string[] } => {
  const called = new Map<string, string>();
  const calls: string[] = [];
  const results: string[] = [];
  const failed: string[] = [];
  for (const event of log) {
    if (event.type === 'assistant_message_added')
      for (const { id, name, arguments: args } of event.message.tool_calls)
        called.set(id, `${name} ${JSON.stringify(args)}`);
    else if (event.type === 'tool_finished') {
      const { success, data, error_message: why } = event.result;
      if (success) calls.push(called.get(event.tool_call_id) ?? '');
      if (success) results.push(data ?? '');
      else failed.push(`${data ?? ''}\n${why ?? ''}`);
    }
  }
  return { calls, results, failed };
};

/** All that it was told, also what it asked of its tools; what notes said before proves nothing. */
const textOf = (message: ModelMessage): string =>
  message.role === 'assistant'
    ? `${message.content}\n${JSON.stringify(message.tool_calls)}`
    : withoutNotes(messageText(message.content));

/** What a list shows of a session, kept on its row and brought up to date with each event. */
import type { Event } from '../../core/events.ts';
import { writtenText } from '../../core/message.ts';
import { followFacts } from '../session-format.ts';
import { firstWords } from '../session-summary.ts';

export type SummaryColumns = {
  updatedAt: number;
  messageCount: number;
  /** The name that the person gave it. */
  name: string;
  /** Undefined: as it was. */
  firstWords: string | undefined;
  model: string | undefined;
  workspace: string | undefined;
};

export type Summary = {
  /** What the row says with this event, before it is kept. */
  with(event: Event): SummaryColumns;
  /** It is kept. */
  add(event: Event): SummaryColumns;
};

/** PostgreSQL's text holds no NUL. Only a list shows these. */
const plain = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

export const createSummary = (events: readonly Event[] = []): Summary => {
  const facts = followFacts(events);
  let hasWords = events.some((event) => wordsOf(event) !== '');
  const summary: Summary = {
    with(event) {
      const { messageCount, title } = facts.with(event);
      const words = hasWords ? '' : wordsOf(event);
      const named = event.type === 'session_started' || event.type === 'model_changed' ? event.model : undefined;
      return {
        updatedAt: Math.round(event.at),
        messageCount,
        name: plain(title),
        firstWords: words === '' ? undefined : plain(words),
        model: named === undefined ? undefined : plain(named),
        workspace: event.type === 'session_started' ? plain(event.workspace) : undefined,
      };
    },
    add(event) {
      const columns = summary.with(event);
      facts.add(event);
      hasWords ||= columns.firstWords !== undefined;
      return columns;
    },
  };
  return summary;
};

const wordsOf = (event: Event): string =>
  event.type === 'user_message_added' ? firstWords(writtenText(event.content)) : '';

/** Everything of conversations in memory, for one process and no longer than it: nothing is read and nothing is written. */
import type { Event } from '../core/events.ts';
import { writtenText } from '../core/message.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { PolicyStore, SessionStore, SessionSummary, StoredRule } from '../core/storage-port.ts';
import { createPinsInMemory, type PinStore } from './pins.ts';
import { createResultFiles, type ResultFiles } from './result-files.ts';
import { checkSessionId, followFacts } from './session-format.ts';
import { firstWords } from './session-summary.ts';
import { createUndoFiles, type UndoFiles } from './undo-files.ts';

export type MemoryStorage = {
  readonly sessions: SessionStore;
  readonly policies: PolicyStore;
  readonly pins: PinStore;
  readonly undo: UndoFiles;
  results(session: string): ResultFiles;
  copyKept(from: string, to: string): Promise<void>;
  close(): Promise<void>;
};

export const createMemoryStorage = (): MemoryStorage => {
  const rules: StoredRule[] = [];
  const results = new Map<string, ResultFiles>();
  const resultsOf = (session: string): ResultFiles => {
    const kept = results.get(session) ?? createResultFiles(undefined);
    results.set(session, kept);
    return kept;
  };
  return {
    sessions: createMemorySessions((id) => results.delete(id)),
    policies: {
      path: 'memory',
      load: async (workspace) => ({ rules: rules.filter((rule) => rule.workspace === workspace), warnings: [] }),
      async add(rule) {
        rules.push(rule);
        return succeed(undefined);
      },
      async remove({ tool, pattern, workspace }) {
        const others = rules.filter(
          (rule) => rule.tool !== tool || rule.pattern !== pattern || rule.workspace !== workspace,
        );
        rules.splice(0, rules.length, ...others);
        return succeed(undefined);
      },
    },
    pins: createPinsInMemory(),
    undo: createUndoFiles(),
    results: resultsOf,
    async copyKept(from, to) {
      const kept = results.get(from);
      if (kept !== undefined) results.set(to, kept);
    },
    async close() {},
  };
};

const createMemorySessions = (onRemoved: (id: string) => void): SessionStore => {
  const logs = new Map<string, Event[]>();
  const open = new Set<string>();
  return {
    async open(id) {
      const checked = checkSessionId(id);
      if (!checked.ok) return checked;
      if (open.has(id)) return failure('io_error', `The session ${id} is open already`, 'in_use');
      open.add(id);
      const events = logs.get(id) ?? [];
      logs.set(id, events);
      return succeed({
        events: [...events],
        warnings: [],
        log: {
          async append(event) {
            events.push(event);
            return succeed(undefined);
          },
          async close() {
            open.delete(id);
          },
        },
      });
    },
    async create(id, events) {
      const checked = checkSessionId(id);
      if (!checked.ok) return checked;
      if (logs.has(id)) return failure('io_error', `There is a session ${id} already`, 'exists');
      logs.set(id, [...events]);
      return succeed(undefined);
    },
    ids: async () => succeed([...logs.keys()]),
    async read(id) {
      const events = logs.get(id);
      return events === undefined ? unknown(id) : succeed({ events: [...events], warnings: [] });
    },
    async list({ workspace, alias, limit } = {}) {
      const listed = [...logs].flatMap(([id, events]): SessionSummary[] => summaryOf(id, events));
      const wanted = listed.filter(
        (summary) => workspace === undefined || [workspace, alias].includes(summary.workspace),
      );
      return succeed(wanted.sort((one, other) => other.updated_at - one.updated_at).slice(0, limit));
    },
    async remove(id) {
      if (open.has(id)) return failure('io_error', `The session ${id} is open`, 'in_use');
      if (!logs.delete(id)) return unknown(id);
      onRemoved(id);
      return succeed(undefined);
    },
  };
};

const unknown = (id: string): Outcome<never> => failure('not_found', `There is no session ${id}`);

/** Empty where nothing was said or done in it yet. */
const summaryOf = (id: string, events: readonly Event[]): SessionSummary[] => {
  const [first] = events;
  const last = events.at(-1);
  if (first?.type !== 'session_started' || last === undefined) return [];
  const facts = followFacts(events.slice(0, -1));
  const { messageCount, title } = facts.add(last);
  const message = events.find((event) => event.type === 'user_message_added');
  const words = message?.type === 'user_message_added' ? firstWords(writtenText(message.content)) : '';
  return [
    {
      id,
      title: title || words,
      workspace: first.workspace,
      model: first.model,
      created_at: first.at,
      updated_at: last.at,
      message_count: messageCount,
    },
  ];
};

/** What a call that no model made shares with a session: its tasks, and what the conversation says about such a call. */
import type { Event, EventBody, EventOf, SessionFace } from '../../core/events.ts';
import { SESSION_VERSION } from '../../core/events.ts';
import { knownFiles } from '../../core/known-files.ts';
import type { Limits } from '../../core/limits.ts';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import { followStanding, type Standing } from '../../core/policy/overrides.ts';
import type { Clock, Tasks } from '../../core/ports.ts';
import { type FolderNames, refusedHere } from '../../core/session-folder.ts';
import type { SessionStore } from '../../core/storage-port.ts';
import { createTasks } from '../loop/run-tool/tasks.ts';
import { SessionFacts } from './session-facts.ts';

export type ToolState = {
  tasks: Tasks;
  standing: Standing;
  /** What was read and written in it, by a model or for it. */
  known: ReadonlyMap<string, string>;
  /** Keeps such a call and its result in the session's log. */
  record(call: Omit<EventOf<'tool_called'>, 'type'>): void;
};

/** A session that is open here. */
export type HasToolState = { toolState(): ToolState };
export const hasToolState = (face: SessionFace): face is SessionFace & HasToolState => 'toolState' in face;

export type ToolStatePorts = {
  sessions: Pick<SessionStore, 'open'>;
  /** The workspace. */
  folder: FolderNames;
  limits: Limits;
  clock: Clock;
  /** Told of each event that was added. */
  onEvent?(event: Event): void;
};

/**
 * Of a session that nobody has open; where there is none, it begins. No model is looked for. `close` waits for what was
 * added to be kept, and says where it could not be.
 */
export const openToolState = async (
  { sessions, folder, limits, clock, onEvent }: ToolStatePorts,
  id: string,
): Promise<Outcome<ToolState & { close(): Promise<Outcome<void>> }>> => {
  const opened = await sessions.open(id);
  if (!opened.ok) return opened;
  const { log, events } = opened.value;
  const facts = new SessionFacts(limits, events);
  const kept: Promise<Outcome<void>>[] = [];
  const add = (body: EventBody): void => {
    const prepared = facts.prepare(body, clock.now());
    if (prepared === undefined) return;
    facts.apply(prepared);
    kept.push(log.append(prepared.event));
    onEvent?.(prepared.event);
  };
  const refused = notUsable(id, facts, folder);
  if (refused !== undefined) {
    await log.close();
    return { ok: false, error: refused };
  }
  if (events.length === 0) {
    add({ type: 'session_started', version: SESSION_VERSION, session_id: id, workspace: folder[0], model: '', limits });
  }
  const closing = async (): Promise<Outcome<void>> => {
    const outcomes = await Promise.all(kept);
    await log.close();
    return outcomes.find(({ ok }) => !ok) ?? succeed(undefined);
  };
  let closed: Promise<Outcome<void>> | undefined;
  return succeed({
    tasks: createTasks(
      () => facts.state.tasks,
      (task) => add({ type: 'task_changed', task }),
    ),
    record: (call) => add({ type: 'tool_called', ...call }),
    known: knownFiles(facts.path, { outside: true }),
    // An answer that was given in an earlier life of the session counts no more.
    standing: followStanding(events.at(-1)?.seq ?? 0)(facts.path),
    close() {
      closed ??= closing();
      return closed;
    },
  });
};

const notUsable = (id: string, { events, state }: SessionFacts, folder: FolderNames): Failure | undefined => {
  const elsewhere = refusedHere(events, id, folder);
  if (elsewhere !== undefined) return elsewhere;
  if (state.phase === 'idle') return undefined;
  const message = `A run of the session ${id} broke off. Go on with it first, or end it: \`halter run --session ${id}\`.`;
  return failure('validation_failed', message).error;
};

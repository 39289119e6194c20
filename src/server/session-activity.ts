/** What goes on in all sessions, for one stream: which run, which wait for the person, and that the list is another one. */
import type { PermissionRequest } from '../agent/loop/call-model/stream-lines.ts';
import type { SessionUpdate } from '../core/events.ts';
import { SERVER_LIMITS } from './limits.ts';
import type { LiveSession, SessionReader } from './live-session.ts';
import { createBroadcast } from './stream-budget.ts';

/** Of one session that is open in this server. */
export type SessionState = {
  id: string;
  running: boolean;
  /** The permission request that is open. */
  permission_request: PermissionRequest | null;
  /** MCP servers that wait for an answer of the person. */
  server_questions: number;
};

const encoder = new TextEncoder();
const frameOf = (type: 'session_state' | 'sessions_changed' | 'ready', data: object): Uint8Array =>
  encoder.encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);

export const stateOf = (session: LiveSession): SessionState => ({
  id: session.id,
  running: session.state().phase !== 'idle',
  permission_request: session.permissionRequest() ?? null,
  server_questions: session.serverQuestions().length,
});

const isAtRest = ({ running, permission_request, server_questions }: SessionState): boolean =>
  !running && permission_request === null && server_questions === 0;

/** Facts after which a list of sessions reads otherwise. */
const IN_LIST: ReadonlySet<SessionUpdate['type']> = new Set([
  'session_started',
  'user_message_added',
  'session_renamed',
  'model_changed',
  'run_completed',
  'run_stopped',
  'run_cancelled',
]);

export class SessionActivity {
  readonly #broadcast = createBroadcast<SessionReader>();
  /** What was told last of each session that is not at rest. */
  readonly #states = new Map<string, string>();
  readonly #watch: (onChange: () => void) => () => void;
  #stopWatching: (() => void) | undefined;
  #telling: NodeJS.Timeout | undefined;
  /** Another number whenever the list reads otherwise, or may: while nobody listens it is not watched. */
  #list = Date.now();

  /** `watch` hears of sessions that others begin, write or remove; it is used while somebody listens. */
  constructor(watch: (onChange: () => void) => () => void) {
    this.#watch = watch;
  }

  /** After an update of a session that is open here. */
  note(session: LiveSession, update: SessionUpdate): void {
    if (update.seq === undefined) return;
    if (IN_LIST.has(update.type)) this.listChanged();
    this.#tell(stateOf(session));
  }

  /** A session is gone from this server. */
  forget(id: string): void {
    this.#tell({ id, running: false, permission_request: null, server_questions: 0 });
    this.listChanged();
  }

  listChanged(): void {
    if (this.#broadcast.readers.size === 0) return;
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#list += 1;
      this.#broadcast.add(frameOf('sessions_changed', { list: this.#list }));
    }, SERVER_LIMITS.listChangeMs);
  }

  /** Tells what is not at rest, then every change. Returns how to stop. */
  follow(reader: SessionReader): () => void {
    this.#broadcast.flush();
    if (this.#broadcast.readers.size === 0) this.#list += 1;
    for (const state of this.#states.values()) reader.send(frameOf('session_state', JSON.parse(state) as SessionState));
    reader.send(frameOf('ready', { list: this.#list }));
    this.#broadcast.readers.add(reader);
    this.#stopWatching ??= this.#watch(() => this.listChanged());
    return () => {
      this.#broadcast.readers.delete(reader);
      if (this.#broadcast.readers.size > 0) return;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    };
  }

  close(): void {
    clearTimeout(this.#telling);
    this.#broadcast.flush();
    for (const reader of [...this.#broadcast.readers]) reader.end();
    this.#stopWatching?.();
  }

  #tell(state: SessionState): void {
    const told = JSON.stringify(state);
    if (this.#states.get(state.id) === told) return;
    if (isAtRest(state)) {
      if (!this.#states.delete(state.id)) return;
    } else this.#states.set(state.id, told);
    this.#broadcast.add(frameOf('session_state', state));
  }
}

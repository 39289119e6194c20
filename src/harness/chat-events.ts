/** What a chat's iterator yields: the events of `stream-json`, as they come, kept until someone reads them. */
import {
  type PermissionRequest,
  type RunProblem,
  type StreamEvent,
  stampEvent,
} from '../agent/loop/call-model/stream-event.ts';
import type { StreamLines } from '../agent/loop/call-model/stream-lines.ts';
import type { SessionUpdate } from '../core/events.ts';
import type { JsonValue } from '../core/json.ts';
import type { PartialOutput } from './partial-output.ts';
import { createQueue } from './update-queue.ts';

/** What comes of a chat while it runs, in the words of `stream-json`. `at` is milliseconds since 1970. */
export type ChatEvent =
  | StreamEvent
  /** Arguments of a call as the model writes them, not looked at yet. The call itself is `tool_call`. */
  | { type: 'tool_call_delta'; at: number; index: number; name?: string; arguments_delta: string }
  /** As much of the value as there is, where the message was sent with a schema. Not checked yet. */
  | { type: 'partial_output'; at: number; output: JsonValue };

export type SessionFacts = { session_id: string; workspace: string; tools: string[] };

export type ChatEvents = {
  begin(session: SessionFacts, words: ChatWords): void;
  hear(update: SessionUpdate): void;
  /** The answer is not what was asked for. */
  reject(problem: RunProblem): void;
  end(): void;
  next(): ChatEvent | undefined;
  /** There is no further one. */
  over(): boolean;
  /** Until there is another one, or will be none. */
  wait(): Promise<void>;
};

/** What a session's updates become. */
export type ChatWords = {
  lines: StreamLines;
  /** Reads the value that the answer is. */
  output?: PartialOutput | undefined;
  /** Of a question that a page answers. */
  approvalIdOf(question: PermissionRequest): string | undefined;
};

type Heard = { at: number; update: SessionUpdate };

export const createChatEvents = (now: () => number = Date.now): ChatEvents => {
  const heard = createQueue<Heard>();
  let session: SessionFacts | undefined;
  let words: ChatWords | undefined;
  let rejected: RunProblem | undefined;
  let ready: ChatEvent[] = [];
  let read = 0;
  let hasBegun = false;
  let isTold = false;

  /** Put into words only when they are read: a chat that is just awaited needs none. */
  const eventsOf = ({ at, update }: Heard): ChatEvent[] => {
    const part = words?.output?.hear(update);
    const told = inWords(update, at);
    return part === undefined ? told : [...told, { type: 'partial_output', at, output: part }];
  };
  const inWords = (update: SessionUpdate, at: number): ChatEvent[] => {
    if (update.type === 'tool_call_delta') {
      const { type, index, name, arguments_delta } = update;
      return [{ type, at, index, ...(name === undefined ? {} : { name }), arguments_delta }];
    }
    return words?.lines.add(update, at).map(withApprovalId) ?? [];
  };
  const withApprovalId = (event: StreamEvent): StreamEvent => {
    const id = event.type === 'permission_request' ? words?.approvalIdOf(event) : undefined;
    return id === undefined ? event : ({ ...event, approval_id: id } as StreamEvent);
  };
  const endOf = (id: string): ChatEvent[] => {
    const end = words?.lines.turnEnd(id);
    if (end === undefined) return [];
    if (rejected === undefined) return [stampEvent(end, now())];
    const events = [
      { type: 'error' as const, ...rejected },
      { ...end, exit_reason: 'error' as const, error: rejected },
    ];
    return events.map((event) => stampEvent(event, now()));
  };
  const take = (): ChatEvent | undefined => {
    const event = ready[read];
    read += 1;
    if (read >= ready.length) {
      ready = [];
      read = 0;
    }
    return event;
  };
  return {
    begin(opened, given) {
      session = opened;
      words = given;
    },
    hear: (update) => heard.push({ at: update.seq === undefined ? now() : update.at, update }),
    reject(problem) {
      rejected = problem;
    },
    end: heard.end,
    next() {
      if (session && !hasBegun) {
        hasBegun = true;
        return stampEvent({ type: 'session', ...session }, now());
      }
      while (ready.length === 0) {
        const next = heard.next();
        if (next) ready = eventsOf(next);
        else if (!heard.over() || isTold || session === undefined) return undefined;
        else {
          isTold = true;
          ready = endOf(session.session_id);
        }
      }
      return take();
    },
    over: () => heard.over() && ready.length === 0 && (isTold || session === undefined),
    wait: heard.wait,
  };
};

/** What a page answered, and the run that goes on with it. */
import type { SessionUpdate } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';

/** What a page said to a question: `fromUIMessages` gives them. */
export type CallApproval = {
  /** `approval_id` of the question. */
  id: string;
  tool_call_id: string;
  /** Only `true` runs the call. */
  approved: boolean;
  /** Of a denial, for the model. */
  reason?: string | undefined;
};

/** A run of an earlier request that goes on, from the calls that waited for answers of a page. */
export type GoingOn = {
  /** Those that the page allowed, by their ids, with the arguments that it allowed. */
  allowed: ReadonlyMap<string, JsonObject>;
  /** How many events there were before the answer whose calls waited. */
  from: number;
  /** For the session, which begins with the run. */
  hears(update: SessionUpdate): void;
  /** All that was heard, with what was decided of the calls that do not run before it. */
  follow(hear: (update: SessionUpdate) => void): () => void;
  /** The session did not open: the answers still count. */
  release(): void;
};

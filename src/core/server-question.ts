/** What a server of the Model Context Protocol wants of the person, and what the person says to it. */
import type { JsonObject, JsonSchema } from './json.ts';

export type ServerQuestion = {
  question_id: string;
  /** The name under which the person knows the server. */
  server: string;
  /** Why it asks, in its own words; nothing in it is hidden from sight. */
  message: string;
  /** Asked during this call, where that is known. */
  tool_call_id?: string;
} & (
  | { kind: 'form'; fields: JsonSchema }
  /** An address for the person's browser: halter never fetches it, and opens it only where the person says so. */
  | { kind: 'url'; url: string }
  /** The model is to answer `prompt`. */
  | { kind: 'sampling'; prompt: string; system?: string; max_tokens: number }
  /** What the model said to that, before the server gets it. */
  | { kind: 'sampling_answer'; answer: string; model: string }
);

/** `accept` sends `content` (the form's values), lets the model answer, or sends its answer; the others send nothing. */
export type ServerAnswer = { action: 'accept'; content?: JsonObject } | { action: 'decline' | 'cancel' };

/** Where a question comes up: during a call, which may be one of a session. */
export type QuestionPlace = { session?: string; call?: string };

type WithoutId<Q> = Q extends unknown ? Omit<Q, 'question_id' | 'tool_call_id'> : never;
/** As a server puts it, before it has an id. */
export type NewServerQuestion = WithoutId<ServerQuestion>;

/** Those of a log that nobody answered yet, oldest first. */
export const openQuestions = (events: readonly { type: string }[]): ServerQuestion[] => {
  const open = new Map<string, ServerQuestion>();
  for (const event of events as readonly QuestionEvent[]) {
    if (event.type === 'server_asked') open.set(event.question.question_id, event.question);
    if (event.type === 'server_answered') open.delete(event.question_id);
  }
  return [...open.values()];
};

type QuestionEvent =
  | { type: 'server_asked'; question: ServerQuestion }
  | { type: 'server_answered'; question_id: string };

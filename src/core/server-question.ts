/** What a server of the Model Context Protocol wants of the person, and what the person says to it. */
import { checkValue } from '../schema/index.ts';
import { isObject, type JsonObject, type JsonSchema } from './json.ts';
import { fits, isAbsent, jsonRecord } from './option-kinds.ts';
import { failure, type Outcome, succeed } from './outcome.ts';
import { shown } from './shown-value.ts';

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

/**
 * The answer of a program to a question, where it is one; otherwise what is wrong with it. Only the documented actions count,
 * and a yes counts with the content that its question takes.
 */
export const parseServerAnswer = (question: ServerQuestion, given: unknown): Outcome<ServerAnswer> => {
  const { action, content } = (isObject(given) ? given : {}) as { action?: unknown; content?: unknown };
  if (action === 'decline' || action === 'cancel') return succeed({ action });
  if (action !== 'accept')
    return failure('validation_failed', `action must be accept, decline or cancel, not ${shown(action ?? given)}`);
  if (isAbsent(content)) return checked(question, { action });
  if (!fits(jsonRecord, content)) return failure('validation_failed', 'content must be an object of JSON values');
  return checked(question, { action, content: content as JsonObject });
};

const checked = (question: ServerQuestion, answer: ServerAnswer & { action: 'accept' }): Outcome<ServerAnswer> => {
  const problem = answerProblem(question, answer);
  return problem === undefined ? succeed(answer) : failure('validation_failed', problem);
};

/** Why an answer cannot be sent: a form's values have to be what the form says, and words in place of a prompt are text. */
export const answerProblem = (question: ServerQuestion, answer: ServerAnswer): string | undefined => {
  if (answer.action !== 'accept' || question.kind === 'url') return undefined;
  const { content = {} } = answer;
  if (question.kind !== 'form') {
    const { text } = content;
    return isAbsent(text) || typeof text === 'string' ? undefined : `content.text must be a text, not ${shown(text)}`;
  }
  const [issue] = checkValue(question.fields, content);
  return issue === undefined ? undefined : `The form is not filled in as it has to be: ${issue.path} ${issue.message}`;
};

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

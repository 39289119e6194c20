/**
 * The one parser of an answer to a permission request. Every boundary through which an answer enters uses it: callbacks of
 * programs, commands of surfaces, editors, MCP clients, logs. Only the documented values allow; anything else denies and
 * is named.
 */
import { failure, type Outcome, succeed } from './outcome.ts';
import { thrownText } from './thrown-text.ts';

/** The four answers to a permission request (Z8). */
export const PERMISSION_DECISIONS = ['allow_once', 'session', 'remember', 'deny'] as const;
export type PermissionDecision = (typeof PERMISSION_DECISIONS)[number];

/** An answer with the reason that reaches the model where it is a denial. */
export type PermissionReply = { decision: PermissionDecision; reason?: string };

/** `unanswered`: a program asked and gave none of the answers, so that nobody said no; `reason` says what it gave. */
export type ParsedReply = PermissionReply & { unanswered?: true };

/** Whether a decision lets the call run. Unknown values, as a log of another program may hold them, do not. */
export const allowsCall = (decision: unknown): boolean =>
  decision === 'allow_once' || decision === 'session' || decision === 'remember';

export const parseDecision = (value: unknown): Outcome<PermissionDecision> => {
  const known = PERMISSION_DECISIONS.find((decision) => decision === value);
  return known === undefined ? failure('validation_failed', unknownDecision(value)) : succeed(known);
};

/** `'allow_once'` or `{ decision: 'allow_once', reason? }`; everything else is a denial whose reason names the value. */
export const parseReply = (answer: unknown): ParsedReply => {
  if (typeof answer !== 'object' || answer === null) return decided(answer, undefined);
  const { decision, reason, ...further } = answer as Record<string, unknown>;
  const [unknown] = Object.keys(further);
  if (decision !== 'deny' && unknown !== undefined) {
    return denied(`the permission answer has an unknown field ${described(unknown)}`);
  }
  if (decision !== 'deny' && reason !== undefined && typeof reason !== 'string') {
    return denied(`the reason of the permission answer is ${described(reason)} and not text`);
  }
  return decided(decision, typeof reason === 'string' && reason !== '' ? reason : undefined);
};

/** Asks and parses the answer. A callback that fails is not a yes. */
export const askForReply = async <Question>(
  ask: (question: Question) => unknown,
  question: Question,
): Promise<ParsedReply> => {
  try {
    return parseReply(await ask(question));
  } catch (error) {
    return denied(`the permission callback failed: ${thrownText(error)}`);
  }
};

/** The sentence for an answer that is none of the known ones. */
export const unknownDecision = (value: unknown, known: readonly string[] = PERMISSION_DECISIONS): string =>
  `the permission answer was ${described(value)}, which is none of ${known.join(', ')}`;

const decided = (decision: unknown, reason: string | undefined): ParsedReply => {
  const parsed = parseDecision(decision);
  if (!parsed.ok) return denied(parsed.error.message);
  return reason === undefined ? { decision: parsed.value } : { decision: parsed.value, reason };
};

const denied = (reason: string): ParsedReply => ({ decision: 'deny', reason, unanswered: true });

const SHOWN_CHARACTERS = 80;

const described = (value: unknown): string => {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_CHARACTERS));
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
  } catch {
    return 'an object';
  }
};

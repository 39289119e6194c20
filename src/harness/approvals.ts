/**
 * Answers that a page gives to questions of an earlier request. Whatever a page sends back may be made up, so each question
 * has an id that only the holder of the secret can make, and that holds for one call with its arguments. Without one no
 * call of a history runs, whatever its tool is.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../core/json.ts';
import type { ToolCall } from '../core/message.ts';
import { deniedByFault, deniedByPerson } from '../core/policy/refusal-words.ts';
import { referencesIn } from '../core/tool/result-reference.ts';
import { failedResult, type ToolResult } from '../core/tool-result.ts';
import { HARNESS_LIMITS } from './limits.ts';
import type { CallApproval } from './page-answers.ts';

type AskedCall = Pick<ToolCall, 'id' | 'name' | 'arguments'>;

/** `WHEN.NONCE.PROOF`: the same question put twice has two ids, so that a yes counts once. */
export const approvalId = (secret: string, call: AskedCall, now: number): string => {
  const begin = `${Math.floor(now).toString(36)}.${randomBytes(12).toString('base64url')}`;
  return `${begin}.${proofOf(secret, begin, call)}`;
};

const proofOf = (secret: string, begin: string, { id, name, arguments: args }: AskedCall): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['halter-approval-1', begin, id, name, args], inOrder))
    .digest('base64url');

/** Whatever order the fields come back in. */
const inOrder = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value;

/** Ids that were answered in this process, the oldest first. They are forgotten when they are too old to count. */
const answered = new Map<string, number>();

/** Whether it is the id of a question about this call, which nobody has answered here yet. */
const problemWith = (secret: string, id: unknown, call: AskedCall, now: number): string | undefined => {
  if (typeof id !== 'string') return NOT_ASKED;
  const [when = '', nonce = '', proof = '', ...more] = id.split('.');
  const expected = Buffer.from(proofOf(secret, `${when}.${nonce}`, call));
  const given = Buffer.from(proof);
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return NOT_ASKED;
  if (now - Number.parseInt(when, 36) > HARNESS_LIMITS.approvalMs) return 'the question is too old';
  return answered.has(id) ? 'the question was answered before' : undefined;
};
const NOT_ASKED = 'this call, with these arguments, was never asked about';

const markAnswered = (id: string, now: number): void => {
  for (const [old, at] of answered) {
    if (answered.size < HARNESS_LIMITS.approvalsKept && now - at <= HARNESS_LIMITS.approvalMs) break;
    answered.delete(old);
  }
  answered.set(id, now);
};

/** Decides about the open calls of a history: which of them may run, and what the others come to. */
export class Approvals {
  readonly #secret: string;
  readonly #given = new Map<string, CallApproval>();
  readonly #now: number;
  readonly #marked: string[] = [];

  constructor(secret: string, given: readonly CallApproval[], now: number) {
    this.#secret = secret;
    for (const answer of given) this.#given.set(answer.tool_call_id, answer);
    this.#now = now;
  }

  /** Undefined where the person allowed this call; else what it comes to. Each answer counts for one call. */
  resultFor(call: AskedCall): ToolResult | undefined {
    const answer = this.#given.get(call.id);
    this.#given.delete(call.id);
    if (answer === undefined) return denied(UNANSWERED);
    const { id, approved, reason } = answer;
    if (approved === false)
      return failedResult(deniedByPerson(reason || undefined), 'permission_denied', { reason: 'person' });
    if (approved !== true) return denied(deniedByFault('the answer was neither yes nor no'));
    const problem = problemWith(this.#secret, id, call, this.#now);
    if (problem !== undefined) return denied(deniedByFault(problem));
    markAnswered(id, this.#now);
    this.#marked.push(id);
    return undefined;
  }

  /** What they allowed was never begun. */
  release(): void {
    for (const id of this.#marked.splice(0)) answered.delete(id);
  }
}

const UNANSWERED = 'Not run: the person was asked about this call and has not answered.';
const denied = (words: string): ToolResult => failedResult(words, 'permission_denied');

/** What the model reads of a call until the page has an answer. */
export const WAITS = 'Not run yet: the person is asked about this call.';
/** Its arguments would be other ones once the page has sent the results back. */
export const REFERS =
  'the person can only be asked about values that stand in the call, and this one takes an earlier result. Call it again with the value itself';

export const refersElsewhere = (call: ToolCall): boolean => referencesIn(call).length > 0;

/** Whether what is asked about now is what the person said yes to. */
export const isSameCall = (approved: JsonObject | undefined, asked: JsonObject): boolean =>
  approved !== undefined && isDeepStrictEqual(approved, asked);

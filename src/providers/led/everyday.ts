/**
 * What people ask every day of a folder, for models too small to choose well: a count, a version, the history, the
 * tests. A plan makes the exact call, or says what is beyond such a model. It knows halter's own tools by name and is
 * used only where they are offered; everything else is left to the gate.
 */
import type { ModelMessage, ToolMessage } from '../../core/message.ts';
import { outputOf } from '../../core/tool/no-output.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { aboutPlan } from './everyday/about.ts';
import { arithmeticAnswer } from './everyday/arithmetic.ts';
import { asksToExplain, changingPlan, explainPlan, newFilePlan, toldWhat } from './everyday/beyond.ts';
import { type Brought, broughtIn, broughtPlan, withoutOpening } from './everyday/brought.ts';
import { documentPlan } from './everyday/documents.ts';
import { foreignPlan } from './everyday/foreign.ts';
import { gitPlan } from './everyday/git.ts';
import { listingPlan } from './everyday/listing.ts';
import { lookingPlan } from './everyday/looking.ts';
import type { CallPlan, Plan } from './everyday/plan.ts';
import { authorPlan, licensePlan } from './everyday/project.ts';
import { commandPlan, testsPlan } from './everyday/running.ts';
import { lookUpPlan, toldByText } from './folder/look-up.ts';
import { whyNotInText } from './folder/told.ts';
import { isTold } from './free-talk.ts';
import { asSchema } from './grammar.ts';
import { describeFailure, joinAnswer, quoteResult } from './steps/answer.ts';

/** The tools of a folder, each with an argument of its own: tools of another program may have the same names. */
const OWN: readonly (readonly [name: string, argument: string])[] = [
  ['read_file', 'path'],
  ['grep_search', 'pattern'],
];
/** Tools that a small model is not trusted to choose by itself: they change files, run things or leave the machine. */
const NOT_CHOSEN: ReadonlySet<string> = new Set(
  'write_file edit_file replace_lines insert_lines bash write_job stop_job generate_image rag_search code_graph web_search'.split(
    ' ',
  ),
);

export const isEveryday = (tools: readonly ToolSchema[]): boolean =>
  OWN.every(([name, argument]) =>
    tools.some(
      ({ function: tool }) => tool.name === name && Object.hasOwn(asSchema(tool.parameters['properties']), argument),
    ),
  );

export const mayChoose = (tool: ToolSchema): boolean => !NOT_CHOSEN.has(tool.function.name);

/** A text that came along is asked about; a new file may be given its text in that way. */
const broughtOf = (request: string): Brought | undefined =>
  newFilePlan(request) === undefined ? broughtIn(request) : undefined;

export const everydayPlan = (given: string): Plan | undefined => {
  const request = withoutOpening(given);
  const brought = broughtOf(request);
  if (brought === undefined) return besideNote(request) ?? planOf(request);
  const { question, text, ofFolder } = brought;
  if (ofFolder) return planOf(request) ?? planOf(question);
  return (
    sumPlan(question) ??
    aboutPlan(question) ??
    broughtPlan(brought) ??
    commandPlan(question) ??
    testsPlan(question) ??
    changingPlan(question) ??
    toldByText(question, text) ??
    planOf(question)
  );
};

/** "Remember to run the tests", "keep in mind that src is the root, now list the files": what is asked beside it. */
const besideNote = (request: string): Plan | undefined => {
  const begun = /^(?:(?:please|and|so|ok(?:ay)?),? )*(?:remember|memori[sz]e|keep in mind)\b/i.exec(request)?.[0];
  if (begun === undefined) return undefined;
  const noted = request.slice(begun.length).trimStart();
  const asked = /^to\s/i.test(noted) ? noted.slice('to '.length) : noted.split(/[,.;]\s|\s(?=now\b|then\b)/).at(-1);
  const plain = asked?.trim().replace(/^(?:(?:and|so|now|then|please) )+/i, '');
  return plain === undefined || plain === noted ? undefined : planOf(plain);
};

const sumPlan = (request: string): Plan | undefined => {
  const sum = arithmeticAnswer(request);
  return sum === undefined ? undefined : { kind: 'say', text: sum };
};

const planOf = (request: string): Plan | undefined =>
  sumPlan(request) ??
  aboutPlan(request) ??
  commandPlan(request) ??
  foreignPlan(request) ??
  testsPlan(request) ??
  licensePlan(request) ??
  authorPlan(request) ??
  documentPlan(request) ??
  newFilePlan(request) ??
  changingPlan(request) ??
  gitPlan(request) ??
  explainPlan(request) ??
  listingPlan(request) ??
  lookingPlan(request);

/** A plan, and the result that answers it where there is one already. */
export type Standing = { plan: Plan; answer?: ToolMessage };

/** Where a plan of several steps stands: each result of this turn leads on to the next, and the last is the answer. */
export const standingOf = (begun: Plan, results: readonly ToolMessage[]): Standing => {
  let plan = begun;
  for (const result of results) {
    if (plan.kind !== 'call' || plan.next === undefined || !result.result.success) return { plan, answer: result };
    plan = plan.next(outputOf(result.result));
  }
  return { plan };
};

export const planAfter = (request: string, results: readonly ToolMessage[]): Standing | undefined => {
  const plan = everydayPlan(request);
  return plan === undefined ? undefined : standingOf(plan, results);
};

/** The last result of a plan, as a person reads it. */
export const planAnswer = (plan: CallPlan, answer: ToolMessage): string => {
  const output = outputOf(answer.result).replace(/^(?:[ \t]*\n)+/, '');
  const { success, metadata } = answer.result;
  const meant = plan.explain?.(output, success);
  if (meant !== undefined) return meant;
  const command = plan.call.arguments['command'];
  if (metadata.reason === 'exit_code' && command !== undefined) {
    const ended = `\`${command}\` ended with exit code ${metadata.exit_code}`;
    return output === '' ? `${ended} and printed nothing.` : joinAnswer(`${ended}:`, quoteResult(output));
  }
  if (!success) return describeFailure(answer);
  return output.trim() === '' && plan.nothing !== undefined
    ? plan.nothing
    : joinAnswer(plan.opening, quoteResult(output));
};

/** The results since the person's last message. */
export const resultsOfTurn = (messages: readonly ModelMessage[]): ToolMessage[] =>
  messages
    .slice(messages.findLastIndex((message) => message.role === 'user') + 1)
    .filter((message): message is ToolMessage => message.role === 'tool');

/** Nothing fits: words of the model's own would be made up, so the files are looked at. */
export const lookUpOf = (given: string): Plan => {
  const request = withoutOpening(given);
  const brought = broughtOf(request);
  if (brought?.ofFolder === false) return notInText(brought);
  return isTold(request.trim()) ? { kind: 'say', text: 'Understood.' } : lookUpPlan(request);
};

const notInText = ({ question, text }: Brought): Plan => {
  const what = toldWhat(question) ?? (asksToExplain(question) ? 'explain or judge' : undefined);
  return what === undefined ? whyNotInText(question, text) : { kind: 'decline', what };
};

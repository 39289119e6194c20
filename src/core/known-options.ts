/**
 * Options by name, for a program that has no compiler: one that is misspelt, or a text in place of a list, would not hold,
 * and a rule least of all. What is wrong is told with the whole path to it.
 */

import { fits, type Kind, type OptionKinds, objectOf, type Problem, record, text } from './option-kinds.ts';
import { failure, type Outcome, succeed } from './outcome.ts';
import { shown } from './shown-value.ts';
import { didYouMean, nearest } from './tool/nearest-names.ts';

/** Checks the names of options, and what they are; `group` is what has them. */
export const checkNames = (given: object, known: OptionKinds, group?: string): Outcome<void> =>
  checkKind(given, objectOf(known), group);

/** Checks one value; `group` is who takes it. */
export const checkKind = (given: unknown, kind: Kind, group?: string): Outcome<void> =>
  outcomeOf(kind.problem(given), group);

const outcomeOf = (problem: Problem | undefined, group?: string): Outcome<void> => {
  if (problem === undefined) return succeed(undefined);
  const path = problem.path.replace(/^\./, '');
  if (path === '' && group !== undefined && 'wanted' in problem)
    return failure('validation_failed', `${group} takes ${problem.wanted}, not ${shown(problem.value)}.`);
  const of = group === undefined ? '' : ` of ${group}`;
  if (!('unknown' in problem)) {
    const { known = [], value, wanted } = problem;
    const guess = typeof value === 'string' ? didYouMean(value, known) : '';
    return failure('validation_failed', `${path}${of} must be ${wanted}, not ${shown(value)}.${guess}`);
  }
  return unknownOption(problem, path, group);
};

/** What other libraries call an option that is here under another name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  system: 'systemPrompt of createHarness',
  instructions: 'systemPrompt of createHarness',
  maxSteps: 'limits: { iterations } of createHarness',
  maxTurns: 'limits: { iterations } of createHarness',
  temperature: 'sampling: { temperature }',
  topP: 'sampling: { top_p }',
  seed: 'sampling: { seed }',
  maxTokens: 'sampling: { max_tokens }',
  maxOutputTokens: 'sampling: { max_tokens }',
  abortSignal: 'signal of chat()',
  output: 'schema of chat()',
  baseURL: 'baseUrl of createHarness',
};

const guessOf = (name: string, known: readonly string[], inside: (name: string) => string): string => {
  const near = nearest(name, known).map(inside);
  if (near.length > 0) return ` Did you mean ${near.join(' or ')}?`;
  return Object.hasOwn(ELSEWHERE, name) ? ` Here it is ${ELSEWHERE[name]}.` : '';
};

/** Other libraries take tools as an object with their names. */
const looksLikeTool = (value: unknown): boolean =>
  fits(record, value) && fits(text, (value as { description?: unknown }).description);

const unknownOption = (
  { unknown, known, value }: Extract<Problem, { unknown: string }>,
  path: string,
  group: string | undefined,
): Outcome<never> => {
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const guess =
    path === 'tools' && looksLikeTool(value)
      ? ` Tools are given as a list: tools: [${unknown}].`
      : guessOf(unknown, known, inside);
  const place = group === undefined ? 'There is no option' : `${group} has no`;
  return failure('validation_failed', `${place} "${inside(unknown)}".${guess} The names are: ${known.join(', ')}.`);
};

/** How often a call that is shown runs, and how often one that is meant has to be asked for again, over answers of all kinds. */
import { expect, test } from 'vitest';
import { createParser, readAnswer, type ToolDefinition } from '../src/dialects/index.ts';
import { MEANT, NOTATIONS, SAMPLES } from './meant-and-shown.ts';
import { verifies } from './requirements.ts';

const tools: ToolDefinition[] = [
  { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
];
const isTool = (name: string): boolean => name === 'read_file';

/** `asked`: the model is, once. `told`: the person is, and the text stays as it is. */
type Fate = 'made' | 'asked' | 'told' | 'silent';

const fateOf = (whole: string): Fate => {
  const parser = createParser({ dialect: 'auto', tools });
  const events = [...parser.push(whole)];
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole };
  const judged = readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect: 'auto', reads: 'auto' });
  if (judged.written.parts.some(({ kind }) => kind === 'call')) return 'made';
  if (judged.isReturned || judged.held || judged.written.parts.length > 0) return 'asked';
  return judged.warning ? 'told' : 'silent';
};

const ROWS = Object.entries(NOTATIONS);
/** How many of the answers have each fate. */
const fatesOf = (answers: readonly string[], call: string): Record<Fate, number> => {
  const counts = { made: 0, asked: 0, told: 0, silent: 0 };
  for (const answer of answers) counts[fateOf(answer.replace('@', () => call))] += 1;
  return counts;
};
const shown = SAMPLES.map(([, answer]) => answer);
/** Nothing is said behind the call, so the words before it decide. */
const cut = shown.map((answer) => answer.slice(0, answer.indexOf('@') + 1));
const meant = MEANT.map(([, answer]) => answer);

test.each(ROWS)('of 60 calls that are shown none runs, and none is silent: %s', (_notation, call) => {
  verifies('K5', 'L4');
  for (const answers of [shown, cut]) expect(fatesOf(answers, call)).toMatchObject({ made: 0, silent: 0 });
});

test.each(ROWS)('of 60 calls that are meant 37 are made at once, and none is lost: %s', (_notation, call) => {
  verifies('K5', 'L4');
  const { made, told, silent } = fatesOf(meant, call);
  expect({ lost: told + silent, isOften: made >= 37 }).toEqual({ lost: 0, isOften: true });
});

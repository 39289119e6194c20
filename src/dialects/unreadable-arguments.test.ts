/** A whole answer that is a call to nobody is no answer where its arguments cannot be read either, in its own notation and in none. */
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, dialectNames, readAnswer, renderCall } from './index.ts';

const tools = [{ name: 'ls', description: 'Lists.', parameters: { type: 'object', properties: { path: {} } } }];
const isTool = (name: string): boolean => name === 'ls';
/** `native` leaves calls to the server. */
const DIALECTS = dialectNames().filter((name) => name !== 'native');
const DEEP = '['.repeat(300) + ']'.repeat(300);

const written = (dialect: string, value: string): string =>
  renderCall(dialect, { id: 'call_1', name: 'erase_disk', arguments: { path: 'VALUE' } }).replace(
    /"VALUE"|VALUE/,
    () => value,
  );
const judged = (text: string, dialect: string) => {
  const parser = createParser({ dialect, tools });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  return readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect, reads: dialect });
};
/** It goes back to the model, or the person is told of it. */
const isNoticed = ({ written: { parts }, isReturned, warning, held }: ReturnType<typeof judged>): boolean =>
  isReturned === true || warning !== undefined || held !== undefined || parts.some(({ kind }) => kind === 'call');

it.each(DIALECTS)('in %s', (dialect) => {
  verifies('L4');
  const others = ['auto', 'llama3-function', 'plain-json'];
  const lost = [dialect, ...others].filter((reads) =>
    [written(dialect, '[[['), written(dialect, DEEP)].some((text) => !isNoticed(judged(text, reads))),
  );
  expect(lost).toEqual([]);
});

it.each(DIALECTS)('in %s, words beside it make it an answer where no notation was named', (dialect) => {
  verifies('L4');
  const texts = [`To erase, write ${written(dialect, '[[[')} and wait.`, `Never write ${written(dialect, DEEP)}.`];
  for (const text of texts) expect(judged(text, 'auto').isReturned).toBeUndefined();
});

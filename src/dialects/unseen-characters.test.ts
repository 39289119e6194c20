import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { createParser, dialectNames, type JudgedAnswer, readAnswer, renderCall } from './index.ts';

const TOOLS = [
  { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
] as const;
const UNSEEN = ['\u200b', '\u202e', '\u{e0041}', '\ufe0f'];
const CALL = { id: 'call_1', name: 'read_file', arguments: { path: 'a.txt' } };

const judged = (text: string, dialect: string): JudgedAnswer => {
  const tools = TOOLS as never;
  const parser = createParser({ dialect, tools });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  const isTool = (name: string): boolean => name === 'read_file';
  const context = { tools, isTool, mayGuess: () => false, dialect, reads: dialect };
  return readAnswer(answer, context as never);
};

const isSilent = (text: string, dialect: string): boolean => {
  const { written, held, warning } = judged(text, dialect);
  return written.parts.length === 0 && held === undefined && warning === undefined;
};

const NAMES = [...dialectNames()].filter((name) => name !== 'auto' && name !== 'native');

it.each(NAMES)('a character that cannot be seen makes no call of %s a silent text', (dialect) => {
  verifies('L3');
  const text = renderCall(dialect, CALL as never);
  const places = everyNth(
    [...text].map((_, at) => at),
    37,
  );
  const silent = UNSEEN.flatMap((unseen) =>
    places.flatMap((at) => {
      const changed = text.slice(0, at) + unseen + text.slice(at);
      return [dialect, 'auto']
        .filter((named) => isSilent(changed, named))
        .map((named) => `${named} ${JSON.stringify(changed)}`);
    }),
  );
  expect(silent).toEqual([]);
});

/** What becomes of it: a call that is made or goes back, one that the model is asked about, one that is told, or nothing. */
const rankOf = (text: string, dialect: string): number => {
  const { written, held, warning } = judged(text, dialect);
  return written.parts.length > 0 ? 3 : held !== undefined ? 2 : warning !== undefined ? 1 : 0;
};

it.each(NAMES)('nor does it hide a call of %s to a tool that is not there', (dialect) => {
  verifies('L3');
  const text = renderCall(dialect, { ...CALL, name: 'erase_disk' } as never);
  const places = everyNth(
    [...text].map((_, at) => at),
    37,
  );
  const hidden = [dialect, 'auto'].flatMap((named) => {
    const before = rankOf(text, named);
    return UNSEEN.flatMap((unseen) => places.map((at) => text.slice(0, at) + unseen + text.slice(at)))
      .filter((changed) => rankOf(changed, named) < before)
      .map((changed) => `${named} ${JSON.stringify(changed)}`);
  });
  expect(hidden).toEqual([]);
});

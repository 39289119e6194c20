import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { createParser, dialectNames, readAnswer, renderCall } from './index.ts';

const TOOLS = [
  { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
] as const;
const UNSEEN = ['\u200b', '\u202e', '\u{e0041}', '\ufe0f'];
const CALL = { id: 'call_1', name: 'read_file', arguments: { path: 'a.txt' } };

const isSilent = (text: string, dialect: string): boolean => {
  const tools = TOOLS as never;
  const parser = createParser({ dialect, tools });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  const isTool = (name: string): boolean => name === 'read_file';
  const context = { tools, isTool, mayGuess: () => false, dialect, reads: dialect };
  const { written, held, warning } = readAnswer(answer, context as never);
  return written.parts.length === 0 && held === undefined && warning === undefined;
};

const NAMES = [...dialectNames()].filter((name) => name !== 'auto' && name !== 'native');

it.each(NAMES)('a character that cannot be seen makes no call of %s a silent text', (dialect) => {
  verifies('L3');
  const text = renderCall(dialect, CALL as never);
  const places = everyNth(
    [...text].map((_, at) => at),
    7,
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

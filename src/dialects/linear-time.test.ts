/** Whatever is repeated, twice the text takes twice the work: counted in steps of the engine, not in seconds. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inTurn } from '../../tests/support/long.ts';
import { createParser, dialectNames, readAnswer } from './index.ts';

const tools = [{ name: 'write_file', parameters: { type: 'object', properties: { content: { type: 'string' } } } }];

const BEGINNINGS = [
  '',
  '<think>',
  '```\n',
  '<tool_call>{"name": "write_file", "arguments": {"content": ',
  '<tool_call>\n<function=write_file>\n<parameter=content>\n',
  '[TOOL_CALLS]write_file[ARGS]{"content": "',
];
const REPEATED = [
  '<tool_call>',
  '<tool_call>{',
  '<tool_call>```\n',
  '<tool_call>[',
  '<tool_call>{"name":"write_file"}',
  '<function=write_file>',
  '</function> ',
  '[TOOL_CALLS]a',
  '[TOOL_CALLS][{',
  '```\n',
  '`<tool_call>{"name":"x"}</tool_call>` ',
  '{"name": "write_file"}, ',
  '<invoke name="write_file">',
  '>>>write_file\n',
  '<|channel|>',
  ' ',
  '{',
  '"',
  '\\',
];
/** Behind it all: nothing, what is no call, what closes it. */
const ENDS = ['', '1', '</tool_call>'];
const SMALL = 4_000;
const TIMES = 4;

/** Characters that the parser looks at, told by the text it asks for: `charCodeAt` is where all reading goes through. */
const work = (dialect: string, text: string, readsAnswer = false): number => {
  let looked = 0;
  const original = String.prototype.charCodeAt;
  const counting = function (this: string, index: number): number {
    looked++;
    return original.call(this, index);
  };
  String.prototype.charCodeAt = counting;
  try {
    const parser = createParser({ dialect, tools });
    const events = parser.push(text);
    const { events: last, result } = parser.end();
    const context = { tools, isTool: (name: string) => name === 'write_file', mayGuess: () => false };
    if (readsAnswer)
      readAnswer(
        { events: [...events, ...last], result, text: result.content, whole: text },
        { ...context, dialect, reads: dialect },
      );
  } finally {
    String.prototype.charCodeAt = original;
  }
  return looked;
};

const PAIRS = BEGINNINGS.flatMap((beginning) =>
  REPEATED.flatMap((part) => ENDS.map((end) => ({ beginning, part, end }))),
);
/** Usually each dialect is given its share of the pairs: so many dialects have each pair between them. */
const SHARES = 24;

test.each(dialectNames().map((name, index) => [name, index % SHARES] as const))(
  '%s reads any repetition in linear time',
  (dialect, share) => {
    verifies('L10');
    for (const { beginning, part, end } of inTurn(PAIRS, share, SHARES)) {
      const text = (size: number): string => beginning + part.repeat(Math.ceil(size / part.length)) + end;
      const small = work(dialect, text(SMALL));
      const large = work(dialect, text(SMALL * TIMES));
      expect(large, JSON.stringify([beginning, part, end])).toBeLessThan(small * TIMES * 1.5 + 10_000);
    }
  },
);

/** Usually each part is read in one of the two, in turn. */
const READS = ['auto', 'plain-json'].map((dialect, turn) => [dialect, turn] as const);

test.each(READS)('what an answer in %s holds is found in linear time', (dialect, turn) => {
  const parts = [...REPEATED, '{"a": ', '- {"name": "x", "arguments": {}}\n', 'write_file(', 'write_file[ARGS]{"a": '];
  for (const part of inTurn(parts, turn, READS.length)) {
    const text = (size: number): string => `So: ${part.repeat(Math.ceil(size / part.length))}`;
    const small = work(dialect, text(SMALL), true);
    const large = work(dialect, text(SMALL * TIMES), true);
    expect(large, JSON.stringify(part)).toBeLessThan(small * TIMES * 1.5 + 100_000);
  }
});

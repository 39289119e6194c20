import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { MCP_LIMITS } from '../limits.ts';
import { createMessageLines } from './message-lines.ts';

const read = (pieces: readonly string[]) => {
  const lines: string[] = [];
  let tooLong = 0;
  const output = createMessageLines(
    (line) => lines.push(line),
    () => {
      tooLong += 1;
    },
  );
  for (const piece of pieces) output.push(piece);
  return { lines, tooLong };
};

it('gives the lines of a server, wherever its output was cut', () => {
  verifies('B10');
  fc.assert(
    fc.property(fc.array(fc.constantFrom('{"a":1}', '\n', ' ', 'INFO up', '[', '\r', 'é', '{')), (pieces) => {
      expect(read(pieces)).toEqual({ lines: pieces.join('').split('\n').slice(0, -1), tooLong: 0 });
    }),
  );
});

it('keeps of a line that is no message what is shown of it, and ends at a message that is longer than any may be', () => {
  verifies('B10');
  const block = 'x'.repeat(64 * 1024);
  const log = read([...Array.from({ length: 400 }, () => block), '\n{"a":1}\n']);
  expect(log).toEqual({ lines: ['x'.repeat(MCP_LIMITS.mcpLastWordsCharacters), '{"a":1}'], tooLong: 0 });
  const message = read(['{"a":"', ...Array.from({ length: 400 }, () => block), '"}\n{"b":1}\n']);
  expect(message).toEqual({ lines: [], tooLong: 1 });
});

import { StdinBuffer } from '@earendil-works/pi-tui/dist/stdin-buffer.js';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { SplitPaste } from './split-paste.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';

/** What is handed on of a stream that comes in these pieces, where the terminal has given up waiting between them. */
const handedOn = (pieces: readonly string[]): string[] => {
  const taken: string[] = [];
  const paste = new SplitPaste({ take: (data) => void taken.push(data), after: () => () => undefined });
  const buffer = new StdinBuffer();
  const give = (data: string): void => paste.next(data);
  buffer.on('data', give);
  buffer.on('paste', (content: string) => give(`${START}${content}${END}`));
  for (const piece of pieces) {
    buffer.process(piece);
    for (const rest of buffer.flush()) give(rest);
  }
  return taken;
};

const STREAM = `x${START}one\rtwo 🎉\x1b[31m\r${END}y`;
const WHOLE = ['x', `${START}one\rtwo 🎉\x1b[31m\r${END}`, 'y'];
describe('a paste that comes in pieces', () => {
  it('is one paste wherever it is cut, however long the rest takes', () => {
    verifies('Z19');
    const wrong: string[] = [];
    for (let first = 1; first < STREAM.length; first += 1) {
      for (let second = first; second < STREAM.length; second += 1) {
        const pieces = [STREAM.slice(0, first), STREAM.slice(first, second), STREAM.slice(second)];
        // Right behind its first character it is the key Esc, which acts at once.
        const isEscape = [first, second].includes(STREAM.indexOf(START) + 1);
        const taken = handedOn(pieces).filter((each) => !(isEscape && each === '\x1b'));
        if (JSON.stringify(taken) !== JSON.stringify(WHOLE)) wrong.push(JSON.stringify([pieces, taken]));
      }
    }
    expect(wrong.slice(0, 5), `${wrong.length} of them`).toEqual([]);
  });

  it.each([
    ['Esc', ['\x1b'], ['\x1b']],
    ['Esc and a letter', ['\x1b', 'a'], ['\x1b', 'a']],
    ['Esc and a bracket and a letter', ['\x1b', '[', 'a'], ['\x1b', '[', 'a']],
    ['a key', ['\x1b[A'], ['\x1b[A']],
    ['a key in pieces', ['\x1b[', '2', '~'], ['\x1b[2', '~']],
    ['another key in pieces', ['\x1b[20', '~'], ['\x1b[20', '~']],
    ['text that looks like it', ['[', '2', '0', '0', '~'], ['[', '2', '0', '0', '~']],
  ])('%s is as it was', (_what, pieces, expected) => {
    expect(handedOn(pieces).join('')).toBe(expected.join(''));
  });

  it('gives up a beginning that nothing follows', () => {
    const taken: string[] = [];
    const waits: (() => void)[] = [];
    const paste = new SplitPaste({
      take: (data) => void taken.push(data),
      after: (_ms, then) => {
        waits.push(then);
        return () => undefined;
      },
    });
    paste.next('\x1b[20');
    expect(taken).toEqual([]);
    waits.at(-1)?.();
    paste.next('a');
    expect(taken).toEqual(['\x1b[20', 'a']);
  });
});

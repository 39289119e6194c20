/** Of what a process wrote before it ended, the words that tell why. */
import { beginningOf } from '../../core/cut-text.ts';

/** A line of a stack, the marks below a faulty one, and the line that the engine says its version in. */
const BESIDE = /^\s*(?:at\s.+|File ".*", line \d+.*|[\^~]+|Node\.js v[\d.]+|throw .*|node:internal\/.*)\s*$/;
/** Where a program says what went wrong. */
const REASON =
  /^(?:Uncaught )?(?:[\w.]*(?:Error|Exception|Panic|Interrupt)\b(?:\s\[\w+\])?:|thread '.*' panicked|panic:|fatal:|error:)/i;

/** From the last line that names a fault, without its stack; where none does, the last lines that fit, whole. */
export const tellingWords = (text: string, characters: number): string => {
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !BESIDE.test(line));
  const at = lines.findLastIndex((line) => REASON.test(line));
  if (at >= 0) return cut(lines.slice(at).join('\n'), characters);
  let from = lines.length;
  let room = characters;
  while (from > 0 && (lines[from - 1] as string).length + 1 <= room) {
    from -= 1;
    room -= (lines[from] as string).length + 1;
  }
  return from === lines.length ? cut(lines.at(-1) ?? '', characters) : lines.slice(from).join('\n');
};

const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : `${beginningOf(text, characters - 1)}…`;

/** The lines of a server's output: messages, and what is none. A flood of either costs no more than one message may. */
import { MCP_LIMITS } from '../limits.ts';

export type MessageLines = { push(text: string): void };

/** A message is a JSON object (or, in old versions of the protocol, a list of them). */
const MAY_BE_MESSAGE = /^\s*(?:[{[]|$)/;

/** Calls `onTooLong` once, for a message that is longer than any may be, and takes nothing after it. */
export const createMessageLines = (onLine: (line: string) => void, onTooLong: () => void): MessageLines => {
  let pieces: string[] = [];
  let held = 0;
  let isOver = false;

  /** Of a line that is no message, as much is kept as is ever shown. */
  const mostOf = (start: string): number =>
    MAY_BE_MESSAGE.test(start) ? MCP_LIMITS.mcpMessageCharacters : MCP_LIMITS.mcpLastWordsCharacters;
  const hold = (piece: string): void => {
    if (piece === '') return;
    const most = mostOf(pieces[0] ?? piece);
    if (held + piece.length > most && most === MCP_LIMITS.mcpMessageCharacters) {
      isOver = true;
      pieces = [];
      onTooLong();
      return;
    }
    const kept = piece.slice(0, Math.max(0, most - held));
    held += kept.length;
    // A piece that is cut out of a long one would keep all of it in memory.
    if (kept !== '') pieces.push(kept.length < piece.length ? Buffer.from(kept).toString() : kept);
  };
  const close = (): void => {
    const line = pieces.join('');
    pieces = [];
    held = 0;
    onLine(line);
  };
  return {
    push(text) {
      let start = 0;
      while (!isOver) {
        const end = text.indexOf('\n', start);
        hold(end === -1 ? text.slice(start) : text.slice(start, end));
        if (end === -1 || isOver) return;
        close();
        start = end + 1;
      }
    },
  };
};

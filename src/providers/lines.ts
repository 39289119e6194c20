/**
 * Cuts a stream of text into lines, however it was cut before. Only new text is searched, so a line of many packets
 * costs no more than its length.
 */
export type LineSplitter = {
  /** False when a line grew past the limit. */
  push(chunk: string): boolean;
  /** Hands on a last line that no newline closed. */
  end(): void;
};

export const createLineSplitter = (onLine: (line: string) => void, maxCharacters: number): LineSplitter => {
  let pending = '';
  const handOn = (line: string): void => {
    onLine(line.charCodeAt(line.length - 1) === 0x0d ? line.slice(0, -1) : line);
  };
  return {
    push: (chunk) => {
      let start = 0;
      let newline = chunk.indexOf('\n');
      while (newline !== -1) {
        const piece = chunk.slice(start, newline);
        if (pending === '') {
          handOn(piece);
        } else {
          const line = pending + piece;
          pending = '';
          handOn(line);
        }
        start = newline + 1;
        newline = chunk.indexOf('\n', start);
      }
      if (start < chunk.length) pending += start === 0 ? chunk : chunk.slice(start);
      return pending.length <= maxCharacters;
    },
    end: () => {
      if (pending === '') return;
      const line = pending;
      pending = '';
      handOn(line);
    },
  };
};

/**
 * What is typed before the app has the screen: the terminal would write it behind whatever stands there. It is kept, unseen,
 * for who reads the terminal next; Ctrl+C ends the program as ever.
 */
import type { Readable } from 'node:stream';

const CTRL_C = 0x03;

export type TypedAhead = {
  /** From here on the terminal is as it was, and what was typed can be read from it. */
  release(): void;
};

type Input = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

export const keepTypedAhead = (input: Input, interrupt: () => void): TypedAhead => {
  if (!input.isTTY || input.setRawMode === undefined) return { release: () => {} };
  const kept: Buffer[] = [];
  const keep = (data: Buffer | string): void => {
    const bytes = Buffer.from(data as string);
    if (bytes.includes(CTRL_C)) interrupt();
    else kept.push(bytes);
  };
  let isHeld = true;
  input.setRawMode(true);
  input.on('data', keep);
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      input.off('data', keep);
      input.pause();
      input.setRawMode?.(false);
      if (kept.length > 0) input.unshift(Buffer.concat(kept));
    },
  };
};

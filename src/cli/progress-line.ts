/** One line on standard error that is written over: how far something is. Says nothing where nobody looks. */
import { sanitizeLine } from '../terminal/sanitize.ts';
import { type Output, paintTo } from './io.ts';

export type ProgressLine = {
  show(text: string, fraction?: number): void;
  clear(): void;
};

/** What is being waited for, said where that takes longer than a moment. */
export type Waiting = { for(words: string): void; end(): void };

export const sayingWhatTakesLong = (line: ProgressLine, afterMs: number): Waiting => {
  let words = '';
  let isSaid = false;
  const timer = setTimeout(() => {
    isSaid = true;
    line.show(words);
  }, afterMs).unref();
  return {
    for(next) {
      words = next;
      if (isSaid) line.show(words);
    },
    end() {
      clearTimeout(timer);
      isSaid = false;
    },
  };
};

const BAR_CHARACTERS = 24;
const CLEAR = '\r\u001b[K';

const bar = (fraction: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * BAR_CHARACTERS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CHARACTERS - full)} ${Math.round(fraction * 100)} %`;
};

export const progressLine = (output: Output): ProgressLine => {
  let shown = '';
  return {
    show(text, fraction) {
      if (!output.isTTY) return;
      const line = [sanitizeLine(text), ...(fraction === undefined ? [] : [bar(fraction)])].join('  ');
      const cut = line.slice(0, Math.max(1, output.columns - 1));
      if (cut === shown) return;
      shown = cut;
      paintTo(output, `${CLEAR}${cut}`);
    },
    clear() {
      if (shown === '') return;
      shown = '';
      paintTo(output, CLEAR);
    },
  };
};

import { cut, widthOf } from '../text.ts';
import type { View } from '../transcript/items.ts';

/** `end` stays, and so does what stops it, where the words are longer than the line; without one the words come first. */
export type TurningLine = { words: string; end?: string; stops: boolean };

/** Something that goes on, and what stops it. */
export const turningLine = ({ width, theme, frame }: View, { words, end, stops }: TurningLine): string => {
  const spinner = theme.accent(theme.marks.spinner[frame % theme.marks.spinner.length]!);
  const stop = stops ? '   Esc stops' : '';
  const kept = end === undefined ? 0 : widthOf(end) + widthOf(stop);
  const text = cut(words, width - 2 - kept) + (end ?? '');
  const room = width - 2 - widthOf(text) - widthOf(stop);
  return `${spinner} ${text}${room >= 0 ? theme.dim(stop) : ''}`;
};

/** What a line that is drawn again and again shows last. Pure. */
import { withoutEnd } from './without-end.ts';

/**
 * Of each line what stands behind its last carriage return, as a screen shows it, without what was erased. A return at the very end stays: what
 * comes next starts the line again, or ends it. So a text may come in pieces: `redrawn(redrawn(a) + b)` is `redrawn(a + b)`.
 */
export const redrawn = (text: string): string => {
  if (!text.includes('\r') && !text.includes('\u001B[')) return text;
  const lines = text.split('\n');
  return lines
    .map((given, index) => {
      const line = erased(given);
      const drawn = withoutEnd(line, /\r/);
      const isOpen = index === lines.length - 1 && drawn.length < line.length;
      return `${drawn.slice(drawn.lastIndexOf('\r') + 1)}${isOpen ? '\r' : ''}`;
    })
    .join('\n');
};

const WHOLE_LINE = ['\u001B[2K', '\r\u001B[K', '\r\u001B[0K'];
const TO_ITS_END = /\u001B\[0?K/g;

/** What is left of a line behind the last sequence that erased the whole of it, without those that erase its end. */
const erased = (line: string): string => {
  if (!line.includes('\u001B[')) return line;
  const from = Math.max(0, ...WHOLE_LINE.map((mark) => endOf(line, mark)));
  return line.slice(from).replace(TO_ITS_END, '');
};

const endOf = (line: string, mark: string): number => {
  const last = line.lastIndexOf(mark);
  return last === -1 ? 0 : last + mark.length;
};

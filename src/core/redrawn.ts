/** What a line that is drawn again and again shows last. Pure. */
import { withoutEnd } from './without-end.ts';

/**
 * Of each line what stands behind its last carriage return, as a screen shows it. A return at the very end stays: what
 * comes next starts the line again, or ends it. So a text may come in pieces: `redrawn(redrawn(a) + b)` is `redrawn(a + b)`.
 */
export const redrawn = (text: string): string => {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n');
  return lines
    .map((line, index) => {
      const drawn = withoutEnd(line, /\r/);
      const isOpen = index === lines.length - 1 && drawn.length < line.length;
      return `${drawn.slice(drawn.lastIndexOf('\r') + 1)}${isOpen ? '\r' : ''}`;
    })
    .join('\n');
};

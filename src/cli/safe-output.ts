/**
 * What commands print on a terminal. `write` makes every control character visible, whoever it is from, so that no command
 * has to remember it. What halter paints goes through `paint`; whoever calls that has made the text in it safe. The
 * terminal app and ACP write to their streams by themselves.
 */
import { sanitizeText } from '../terminal/sanitize.ts';
import type { Io, Output } from './io.ts';

export const forTerminal = (io: Io): Io => ({ ...io, stdout: safeOutput(io.stdout), stderr: safeOutput(io.stderr) });

const safeOutput = (output: Output): Output => ({
  write: (text) => output.write(output.isTTY ? sanitizeText(text) : text),
  paint: (text) => output.write(text),
  gone: output.gone,
  get isTTY() {
    return output.isTTY;
  },
  get columns() {
    return output.columns;
  },
});

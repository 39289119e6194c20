/** An address as a code that a phone reads from the screen. */
import qrcode from 'qrcode-generator';

/** Rows of dark and light squares, without the light edge that it needs round it. */
export const qrSquares = (text: string): boolean[][] => {
  const code = qrcode(0, 'L');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (_, column) => code.isDark(row, column)),
  );
};

const EDGE = 2;
const BLOCKS: Readonly<Record<string, string>> = { '00': '█', '01': '▀', '10': '▄', '11': ' ' };

/** Two rows a line. Light squares are drawn, so that it can be read on a dark screen; a light one inverts it, which phones read too. */
export const qrLines = (text: string): string[] => {
  const squares = qrSquares(text);
  const size = squares.length + 2 * EDGE;
  const isDark = (row: number, column: number): string => (squares[row - EDGE]?.[column - EDGE] ? '1' : '0');
  return Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_, column) => BLOCKS[isDark(2 * line, column) + isDark(2 * line + 1, column)]).join(
      '',
    ),
  );
};

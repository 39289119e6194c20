/** Screens of a terminal as one moving SVG: text stays text, colours are the sixteen of a dark terminal. */
export type Frame = { /** A screen with its SGR sequences. */ text: string; seconds: number };

const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const PADDING = 16;
const FONT_SIZE = 14;
const FOREGROUND = '#d5d9e0';
const BACKGROUND = '#16181d';
const COLOURS = ['#4b5263', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#abb2bf'];

/** What is behind the lines of a diff, of the 256 colours. */
const TINTS: Readonly<Record<number, string>> = { 22: '#1e3a24', 52: '#46202a' };

type Style = { colour: string; tint: string | undefined; bold: boolean; dim: boolean; italic: boolean };
const PLAIN: Style = { colour: FOREGROUND, tint: undefined, bold: false, dim: false, italic: false };

const styled = (style: Style, codes: readonly number[]): Style => {
  // `48;5;22`: a colour of the 256, which is no list of attributes.
  if (codes[0] === 48) return { ...style, tint: TINTS[codes[2] ?? -1] };
  let next = style;
  for (const code of codes) {
    if (code === 0) next = PLAIN;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 3) next = { ...next, italic: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next = { ...next, italic: false };
    else if (code >= 30 && code <= 37) next = { ...next, colour: COLOURS[code - 30] as string };
    else if (code >= 90 && code <= 97) next = { ...next, colour: COLOURS[code - 90] as string };
    else if (code === 49) next = { ...next, tint: undefined };
    else if (code === 39) next = { ...next, colour: FOREGROUND };
  }
  return next;
};

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const span = (text: string, column: number, style: Style): string => {
  if (text.trim() === '') return '';
  const attributes = [
    `x="${(PADDING + column * CELL_WIDTH).toFixed(1)}"`,
    style.colour === FOREGROUND ? '' : `fill="${style.colour}"`,
    style.bold ? 'font-weight="bold"' : '',
    style.italic ? 'font-style="italic"' : '',
    style.dim ? 'opacity="0.6"' : '',
  ].filter((attribute) => attribute !== '');
  return `<tspan ${attributes.join(' ')}>${escapeXml(text)}</tspan>`;
};

const tinted = (colour: string, column: number, columns: number, row: number): string =>
  `<rect x="${(PADDING + column * CELL_WIDTH).toFixed(1)}" y="${PADDING + row * LINE_HEIGHT}" width="${(columns * CELL_WIDTH).toFixed(1)}" height="${LINE_HEIGHT}" fill="${colour}"/>`;

const drawLine = (line: string, row: number): string => {
  let style = PLAIN;
  let column = 0;
  const spans: string[] = [];
  const tints: string[] = [];
  for (const part of line.split(/(\u001b\[[\d;:]*m)/)) {
    if (part.startsWith('\u001b[')) {
      style = styled(style, part.slice(2, -1).split(/[;:]/).map(Number));
    } else {
      spans.push(span(part, column, style));
      if (style.tint !== undefined && part !== '') tints.push(tinted(style.tint, column, [...part].length, row));
      column += [...part].length;
    }
  }
  const drawn = spans.join('');
  return drawn === ''
    ? ''
    : `${tints.join('')}<text y="${PADDING + (row + 1) * LINE_HEIGHT - 4}" xml:space="preserve">${drawn}</text>`;
};

export const drawFrames = (frames: readonly Frame[], columns: number, rows: number): string => {
  const width = Math.ceil(columns * CELL_WIDTH + 2 * PADDING);
  const height = rows * LINE_HEIGHT + 2 * PADDING;
  const total = frames.reduce((sum, frame) => sum + frame.seconds, 0);
  let from = 0;
  const drawn = frames.map(({ text, seconds }, index) => {
    const [start, end] = [(from / total) * 100, ((from + seconds) / total) * 100];
    from += seconds;
    const last = index === frames.length - 1;
    const keys = `@keyframes f${index}{0%{visibility:${index === 0 ? 'visible' : 'hidden'}}${start.toFixed(3)}%{visibility:visible}${last ? '' : `${end.toFixed(3)}%{visibility:hidden}`}100%{visibility:${last ? 'visible' : 'hidden'}}}`;
    const lines = text.split('\n').slice(0, rows).map(drawLine).join('');
    return {
      style: `${keys}#f${index}{animation:f${index} ${total.toFixed(2)}s step-end infinite${last ? '' : ';visibility:hidden'}}`,
      group: `<g id="f${index}">${lines}</g>`,
    };
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="halter in a terminal: a failing test is read, mended after a question that shows the change, and run again">`,
    `<style>text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${FOREGROUND}}`,
    // Whoever wants no motion sees the last screen.
    `${drawn.map(({ style }) => style).join('')}@media (prefers-reduced-motion:reduce){g{animation:none!important}}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    ...drawn.map(({ group }) => group),
    '</svg>',
    '',
  ].join('\n');
};

/**
 * Mathematics in a text: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` where it can be nothing else. It is taken out before
 * Markdown reads the text, which would take `*`, `_` and `\\` in it for its own. Pure, and linear in the text.
 */
export type Formula = {
  /** Without its delimiters. */
  tex: string;
  display: boolean;
  /** As it was written. */
  source: string;
};

/** Stand around the number of a formula in the text that Markdown reads. Private characters; a text that has them keeps them. */
const OPEN = '\ue000';
const CLOSE = '\ue001';
export const PLACE = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');

/** Of one formula. */
const FORMULA_CHARACTERS = 4_000;
const PAIRS: readonly { open: string; close: string; display: boolean }[] = [
  { open: '\\(', close: '\\)', display: false },
  { open: '\\[', close: '\\]', display: true },
  { open: '$$', close: '$$', display: true },
];

/** Prices, variables of a shell and other things that begin with a dollar are no mathematics. */
const isFormula = (tex: string): boolean =>
  !/^\s|\s$|\n\s*\n/.test(tex) &&
  (/[\\^_=<>+]/.test(tex) ||
    /^[A-Za-z]$|^-?\d+(?:[.,]\d+)?[a-z]?$|^[a-z]\([a-z0-9, ]{1,20}\)$|^[a-z](?:, ?[a-z]){1,5}$|^[a-z] ?[-*/] ?\w$/i.test(
      tex,
    ));

const inlineAt = (text: string, at: number): Formula | undefined => {
  if (/[\w$\\]/.test(text[at - 1] ?? '')) return undefined;
  const line = text.slice(at + 1, at + 1 + FORMULA_CHARACTERS);
  const end = /(?<!\\)\$/.exec(line)?.index;
  if (end === undefined || end === 0 || /[\w$]/.test(line[end + 1] ?? '')) return undefined;
  const tex = line.slice(0, end);
  return isFormula(tex) ? { tex, display: false, source: `$${tex}$` } : undefined;
};

const formulaAt = (text: string, at: number): Formula | undefined => {
  for (const { open, close, display } of PAIRS) {
    if (!text.startsWith(open, at)) continue;
    const from = at + open.length;
    const end = text.slice(from, from + FORMULA_CHARACTERS).indexOf(close);
    const tex = end < 0 ? '' : text.slice(from, from + end);
    if (tex.trim() === '' || (!display && /\n\s*\n/.test(tex))) return undefined;
    return { tex, display, source: open + tex + close };
  }
  return text[at] === '$' ? inlineAt(text, at) : undefined;
};

/** The end of what begins with these backquotes, and the place behind them where nothing ends them. */
const afterCode = (text: string, at: number): number => {
  const [marks = ''] = /^`+/.exec(text.slice(at, at + 100)) ?? [];
  const from = at + marks.length;
  const rest = text.slice(from);
  const end = new RegExp(`(?<!\`)${marks}(?!\`)`).exec(rest)?.index;
  return end === undefined ? from : from + end + marks.length;
};

export const takeFormulas = (text: string): { text: string; formulas: readonly Formula[] } => {
  if (!/[$\\]/.test(text) || text.includes(OPEN)) return { text, formulas: [] };
  const formulas: Formula[] = [];
  let read = '';
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const character = text[at];
    const formula = character === '$' || character === '\\' ? formulaAt(text, at) : undefined;
    if (formula) {
      read += `${text.slice(from, at)}${OPEN}${formulas.length}${CLOSE}`;
      formulas.push(formula);
      at += formula.source.length;
      from = at;
    } else if (character === '`') at = afterCode(text, at);
    else at += character === '\\' ? 2 : 1;
  }
  return { text: read + text.slice(from), formulas };
};

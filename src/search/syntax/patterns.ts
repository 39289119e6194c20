/**
 * The patterns of `language-queries.ts`, written in tree-sitter's query language, matched on columns. Only what stands
 * there is understood: nodes, fields, fields that must be absent, `_`, choices between nodes, captures and `#eq?`.
 */
import type { Language as TreeLanguage } from 'web-tree-sitter';
import type { NodeColumns } from './node-columns.ts';

type Step = {
  /** Types of node; empty: any that has a name. */
  symbols: readonly number[];
  /** The field that it stands in; 0 is any. */
  field: number;
  /** Place among the pattern's captures; -1 is none. */
  capture: number;
  absent: readonly number[];
  inside: readonly Step[];
};
type Pattern = { root: Step; captures: readonly string[]; equals: readonly { capture: number; text: string }[] };

export type Patterns = {
  /** By the type of the outermost node. */
  bySymbol: readonly (readonly Pattern[] | undefined)[];
};

/** The rows that a pattern's captures are, in the order of their names. It is used again for the next match. */
export type OnMatch = (captures: readonly string[], rows: Int32Array) => void;

const TOKEN = /\s+|[()[\]]|[\w.]+:|![\w.]+|@[\w.]+|#eq\?|"[^"]*"|[\w.]+/y;

const tokensOf = (text: string): string[] => {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) throw new Error(`A pattern cannot be read from ${text.slice(from, from + 40)}`);
    if (token.trim() !== '') tokens.push(token);
  }
  return tokens;
};

export const readPatterns = (language: TreeLanguage, text: string): Patterns => {
  const tokens = tokensOf(text);
  let at = 0;
  const symbolOf = (name: string): number => {
    const symbol = language.idForNodeType(name, true);
    if (symbol === null) throw new Error(`${language.name} has no node ${name}`);
    return symbol;
  };
  const fieldOf = (name: string): number => {
    const field = language.fieldIdForName(name);
    if (field === null) throw new Error(`${language.name} has no field ${name}`);
    return field;
  };

  let captures: string[] = [];
  let equals: { capture: number; text: string }[] = [];
  const placeOf = (name: string): number => {
    if (!captures.includes(name)) captures.push(name);
    return captures.indexOf(name);
  };
  const readPredicate = (): void => {
    const [name = '', value = '', close] = tokens.slice(at + 2, at + 5);
    if (close !== ')') throw new Error(`#eq? takes a capture and a text, not ${name} ${value} ${close}`);
    equals.push({ capture: placeOf(name.slice(1)), text: value.slice(1, -1) });
    at += 5;
  };
  const readStep = (): Step => {
    const field = tokens[at]?.endsWith(':') ? fieldOf((tokens[at++] as string).slice(0, -1)) : 0;
    const open = tokens[at++];
    const step = open === '[' ? readChoice(field) : open === '(' ? readNode(field) : undefined;
    if (step === undefined) throw new Error(`${open} begins no node`);
    const capture = tokens[at]?.startsWith('@') ? placeOf((tokens[at++] as string).slice(1)) : -1;
    return { ...step, capture };
  };
  const readChoice = (field: number): Step => {
    const symbols: number[] = [];
    while (tokens[at] !== ']') symbols.push(...readStep().symbols);
    at += 1;
    return { symbols, field, capture: -1, absent: [], inside: [] };
  };
  const readNode = (field: number): Step => {
    const name = tokens[at++] as string;
    const absent: number[] = [];
    const inside: Step[] = [];
    while (tokens[at] !== ')') {
      const token = tokens[at];
      if (token === undefined) throw new Error(`${name} is not closed`);
      if (token.startsWith('!')) {
        absent.push(fieldOf(token.slice(1)));
        at += 1;
      } else if (token === '(' && tokens[at + 1] === '#eq?') readPredicate();
      else inside.push(readStep());
    }
    at += 1;
    return { symbols: name === '_' ? [] : [symbolOf(name)], field, capture: -1, absent, inside };
  };

  const bySymbol: (Pattern[] | undefined)[] = [];
  while (at < tokens.length) {
    captures = [];
    equals = [];
    const pattern: Pattern = { root: readStep(), captures, equals };
    for (const symbol of pattern.root.symbols) {
      bySymbol[symbol] ??= [];
      bySymbol[symbol].push(pattern);
    }
  }
  return { bySymbol };
};

/** More captures than any pattern has. */
const CAPTURES = 8;

/** Every way in which a pattern fits is a match, in the order of their outermost nodes. */
export const matchPatterns = ({ bySymbol }: Patterns, columns: NodeColumns, text: string, onMatch: OnMatch): void => {
  const { count, symbol, field, start, end, after } = columns;
  const rows = new Int32Array(CAPTURES).fill(-1);

  const hasField = (row: number, wanted: number): boolean => {
    for (let child = row + 1; child < (after[row] as number); child = after[child] as number) {
      if (field[child] === wanted) return true;
    }
    return false;
  };
  const fits = ({ symbols, absent }: Step, row: number): boolean => {
    if (symbols.length > 0 && !symbols.includes(symbol[row] as number)) return false;
    for (const wanted of absent) if (hasField(row, wanted)) return false;
    return true;
  };

  /** Tries the steps from `index` on the siblings from `from` on, and calls `found` for each way that all of them fit. */
  const inside = (steps: readonly Step[], index: number, from: number, until: number, found: () => void): void => {
    const step = steps[index];
    if (step === undefined) {
      found();
      return;
    }
    for (let row = from; row < until; row = after[row] as number) {
      if (step.field !== 0 && step.field !== field[row]) continue;
      if (!fits(step, row)) continue;
      const next = after[row] as number;
      if (step.capture !== -1) rows[step.capture] = row;
      if (step.inside.length === 0) inside(steps, index + 1, next, until, found);
      else inside(step.inside, 0, row + 1, next, () => inside(steps, index + 1, next, until, found));
    }
  };

  let current: Pattern | undefined;
  const matched = (): void => {
    const { captures, equals } = current as Pattern;
    for (const { capture, text: wanted } of equals) {
      const at = rows[capture] as number;
      if (end[at] !== (start[at] as number) + wanted.length || !text.startsWith(wanted, start[at])) return;
    }
    onMatch(captures, rows);
  };
  for (let row = 0; row < count; row += 1) {
    const patterns = bySymbol[symbol[row] as number];
    if (patterns === undefined) continue;
    for (const pattern of patterns) {
      const { root } = pattern;
      if (!fits(root, row)) continue;
      if (root.capture !== -1) rows[root.capture] = row;
      current = pattern;
      if (root.inside.length === 0) matched();
      else inside(root.inside, 0, row + 1, after[row] as number, matched);
    }
  }
};

/** The places of a part, as stems: its name, what it stands in, its path, its head, its comment, all of it. */
import type { Candidate } from './candidates.ts';
import { stemsOf } from './stems.ts';

export type Places = {
  /** The words of its own name. */
  own: string[];
  /** Of what it stands in: its class or type. */
  outer: string[];
  path: string[];
  /** Of its parameters and types. */
  head: string[];
  comment: string[];
  /** All of its text. */
  body: string[];
};

/** Parameters and types, up to where the body begins. */
const HEAD_LINES = 8;
const HEAD_END = /(?:\{|:|=>)\s*$/;
const headOf = ({ text, lineStart, symbolStart }: Candidate): string => {
  if (symbolStart < lineStart) return '';
  const before = symbolStart - lineStart;
  const lines = text.split('\n', before + HEAD_LINES).slice(before);
  const end = lines.findIndex((line) => HEAD_END.test(line));
  return (end < 0 ? lines.slice(0, 1) : lines.slice(0, end + 1)).join('\n');
};

/** What is said above a definition, or first in it (Python). */
const FIRST_STRING = /("""|''')[\s\S]*?\1/;
const commentOf = ({ text, language, lineStart, symbolStart }: Candidate): string => {
  if (symbolStart < lineStart) return '';
  if (language === 'python') return FIRST_STRING.exec(text)?.[0] ?? '';
  return symbolStart === lineStart ? '' : text.split('\n', symbolStart - lineStart).join('\n');
};

export const ownName = (symbol: string): string => symbol.slice(symbol.lastIndexOf('.') + 1);

export const placesOf = (candidate: Candidate): Places => {
  const { symbol, path, text } = candidate;
  const dot = symbol.lastIndexOf('.');
  return {
    own: [...new Set(stemsOf(ownName(symbol)))],
    outer: dot < 0 ? [] : stemsOf(symbol.slice(0, dot)),
    path: stemsOf(path),
    head: stemsOf(headOf(candidate)),
    comment: stemsOf(commentOf(candidate)),
    body: stemsOf(text),
  };
};

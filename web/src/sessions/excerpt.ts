/** Where words were said in a session, in one line: what is looked for stands near its beginning. Pure. */
import { escapedPattern } from '../../../src/core/escaped-pattern.ts';

export type ExcerptPiece = { text: string; isHit: boolean };

/** Of what stands before the first hit. */
const BEFORE_CHARACTERS = 24;

export const excerptPieces = (excerpt: string, query: string): ExcerptPiece[] => {
  const words = query.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [{ text: excerpt, isHit: false }];
  const hit = new RegExp(`(${words.map(escapedPattern).join('|')})`, 'giu');
  const read = withoutMarks(excerpt);
  // Whoever looks for marks sees them.
  const shown = shortened(read.search(hit) < 0 ? excerpt : read, hit);
  // Every second part is a hit.
  return shown
    .split(hit)
    .map((text, index) => ({ text, isHit: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
};

const shortened = (text: string, hit: RegExp): string => {
  const at = text.search(hit);
  if (at <= BEFORE_CHARACTERS) return text;
  const before = text.slice(at - BEFORE_CHARACTERS, at);
  // From a whole word on, where one begins there.
  return `…${before.replace(/^\S*\s+(?=\S)/, '').toWellFormed()}${text.slice(at)}`;
};

/**
 * Without what Markdown surely writes for the eye alone: addresses of links, a pair of stars round words, the rule of a table,
 * signs of headings. What is in a command or a program as well stays as it was written.
 */
const withoutMarks = (text: string): string =>
  text
    .replace(/!?\[([^\]]*)\]\((?:https?:|mailto:|\/|\.|#)[^)\s]*\)/g, '$1')
    .replace(/(?<![^\s([{"'_])\*\*(?=[^\s*/])([^*]*[^\s*/])\*\*(?![\w/*])/g, '$1')
    .replace(/(?:^|\s)\|(?:\s*:?-{3,}:?\s*\|)+(?=\s|$)/g, ' ')
    .replace(/^#\s|(?<=^|\s)#{2,6}\s/g, '')
    .replace(/\s+/g, ' ')
    .trim();

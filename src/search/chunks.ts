/** A file cut where its meaning ends: code along its definitions, prose along its headings. */

import type { Language } from './languages.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { type Definition, type Outline, qualifiedName } from './outline.ts';
import { isContainer } from './parser.ts';

export type Chunk = {
  lineStart: number;
  lineEnd: number;
  /** Place of the definition that it is, or the beginning of; -1 where it is none. */
  definition: number;
  /** Names to find it by, besides its text. */
  names: string[];
  /** A part of a long line; absent: the lines are its text. */
  text?: string;
};

type Tree = { index: number; from: number; to: number; below: Tree[] };

/** Comments and decorators right above a definition belong to it. */
const leadingFrom = (lines: readonly string[], line: number, language: Language, floor: number): number => {
  let from = line;
  while (from - 1 > floor && language.leading.test(lines[from - 2] ?? '')) from -= 1;
  return from;
};

const treeOf = (lines: readonly string[], outline: Outline, language: Language): Tree[] => {
  const top: Tree[] = [];
  const nodes: Tree[] = [];
  /** Where the comment of the next one inside each definition may begin; -1 is the file. */
  const floors = new Map<number, number>([[-1, 0]]);
  for (const [index, definition] of outline.definitions.entries()) {
    const from = leadingFrom(lines, definition.lineStart, language, floors.get(definition.parent) ?? 0);
    const node: Tree = { index, from, to: definition.lineEnd, below: [] };
    nodes.push(node);
    const beside = (nodes[definition.parent]?.below ?? top) as Tree[];
    const last = beside.at(-1);
    // Several names in one statement are one part, found by each of them.
    const sameStatement = last?.to === node.to && outline.definitions[last.index]?.lineStart === definition.lineStart;
    if (sameStatement) last?.below.push(node);
    else beside.push(node);
    // What stands before this one's own head, or in an earlier one beside it, is no comment of what is inside.
    floors.set(index, definition.lineStart);
    floors.set(definition.parent, definition.lineEnd);
  }
  return top;
};

const isBlank = (lines: readonly string[], from: number, to: number): boolean => {
  for (let line = from; line <= to; line += 1) if (/[\p{L}\p{N}]/u.test(lines[line - 1] ?? '')) return false;
  return true;
};

export const codeChunks = (lines: readonly string[], outline: Outline, language: Language): Chunk[] => {
  const { definitions } = outline;
  const chunks: Chunk[] = [];

  const add = (from: number, to: number, definition: number, names: string[]): void => {
    if (from > to || isBlank(lines, from, to)) return;
    // Long pieces are cut, so that an answer is never a whole screen of one function.
    for (let start = from; start <= to; start += SEARCH_LIMITS.chunkLines) {
      const rest = to - start + 1;
      const end = rest <= SEARCH_LIMITS.chunkLines * 1.5 ? to : start + SEARCH_LIMITS.chunkLines - 1;
      chunks.push({ lineStart: start, lineEnd: end, definition, names });
      if (end === to) break;
    }
  };
  const namesOf = (tree: Tree): string[] => [
    qualifiedName(definitions, tree.index),
    ...tree.below.flatMap((child) => (definitions[child.index] as Definition).name),
  ];
  const isWhole = (tree: Tree): boolean => {
    const size = tree.to - tree.from + 1;
    if (tree.below.length === 0) return true;
    return isContainer((definitions[tree.index] as Definition).kind)
      ? size <= SEARCH_LIMITS.chunkContainerLines
      : size <= SEARCH_LIMITS.chunkLines;
  };
  const visit = (from: number, to: number, trees: readonly Tree[], outer: number): void => {
    const outerNames = outer === -1 ? [] : [qualifiedName(definitions, outer)];
    let at = from;
    let small: { from: number; to: number; names: string[]; definition: number } | undefined;
    const flush = (): void => {
      if (small) add(small.from, small.to, small.definition, small.names);
      small = undefined;
    };
    for (const tree of trees) {
      if (tree.to < at) continue;
      const start = Math.max(at, tree.from);
      const gapIsBlank = start > at && isBlank(lines, at, start - 1);
      if (start > at && !gapIsBlank) {
        flush();
        add(at, start - 1, outer, outerNames);
      }
      const { kind } = definitions[tree.index] as Definition;
      const size = tree.to - start + 1;
      if (
        size <= SEARCH_LIMITS.chunkSmallLines &&
        kind !== 'function' &&
        kind !== 'method' &&
        tree.below.length === 0
      ) {
        // Constants and types of a line or two are read together.
        if (small && tree.to - small.from < SEARCH_LIMITS.chunkContainerLines) {
          small.to = tree.to;
          small.names.push(...namesOf(tree));
        } else {
          flush();
          small = { from: start, to: tree.to, names: namesOf(tree), definition: tree.index };
        }
      } else {
        flush();
        if (isWhole(tree)) add(start, tree.to, tree.index, namesOf(tree));
        else visit(start, tree.to, tree.below, tree.index);
      }
      at = Math.max(at, tree.to + 1);
    }
    flush();
    if (at <= to) add(at, to, outer, outerNames);
  };
  visit(1, lines.length, treeOf(lines, outline, language), -1);
  return chunks;
};

const HEADING = /^#{1,6}\s+(.*)$/;

/** Prose: a heading begins a chunk, and a long part is cut at an empty line. A very long line is several. */
export const proseChunks = (lines: readonly string[]): Chunk[] => {
  const chunks: Chunk[] = [];
  const path: { level: number; title: string }[] = [];
  let from = 1;
  let characters = 0;
  let fenced = false;
  const add = (to: number, text?: string): void => {
    const names = path.map(({ title }) => title);
    chunks.push({ lineStart: from, lineEnd: to, definition: -1, names, ...(text === undefined ? {} : { text }) });
  };
  const close = (to: number): void => {
    if (to >= from && !isBlank(lines, from, to)) add(to);
    from = to + 1;
    characters = 0;
  };
  for (let number = 1; number <= lines.length; number += 1) {
    const line = lines[number - 1] ?? '';
    if (characters + line.length > SEARCH_LIMITS.chunkProseCharacters) close(number - 1);
    characters += line.length;
    if (line.length > SEARCH_LIMITS.chunkProseCharacters) {
      for (const piece of piecesOf(line)) add(number, piece);
      from = number + 1;
      characters = 0;
      continue;
    }
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? null : HEADING.exec(line);
    if (heading?.[1] !== undefined) {
      close(number - 1);
      const level = /^#+/.exec(line)?.[0].length ?? 1;
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({ level, title: heading[1].trim() });
    } else if (
      number - from + 1 >= SEARCH_LIMITS.chunkProseLines &&
      (line.trim() === '' || number - from > SEARCH_LIMITS.chunkLines)
    ) {
      close(number);
    }
  }
  close(lines.length);
  return chunks;
};

/** Ends behind a sentence, or else behind a word, in the second half of what fits. */
const ENDS = [/^[\s\S]*(?:[.!?…]["'”’)\]]*\s|[。！？])/u, /^[\s\S]*\s/u];

const piecesOf = (line: string): string[] => {
  const most = SEARCH_LIMITS.chunkPieceCharacters;
  const pieces: string[] = [];
  for (let rest = line; rest !== ''; rest = rest.slice(pieces.at(-1)?.length)) {
    const first = rest.slice(0, most);
    const ends = rest.length <= most ? [] : ENDS.map((end) => end.exec(first)?.[0] ?? '');
    const piece = ends.find((end) => end.length > most / 2) ?? first;
    pieces.push(isHalf(rest, piece.length) ? piece.slice(0, -1) : piece);
  }
  return pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece));
};

/** It would end between the two halves of a character. */
const isHalf = (text: string, at: number): boolean =>
  at < text.length && /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1));

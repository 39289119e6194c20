/**
 * Chooses, by the file and the person's words alone, the parts of a long file that a conversation is about: the file is
 * cut along its syntax, each part is weighed by the words it has in common with the messages and by the names they
 * name, and what the best parts call in the same file comes along.
 */
import { LIMITS } from '../../core/limits.ts';
import type { CuratedSection } from '../../core/retrieval-port.ts';
import { plainWords, stem } from '../../core/words.ts';
import { codeChunks, proseChunks } from '../chunks.ts';
import { languageOf } from '../languages.ts';
import type { Outline } from '../outline.ts';
import { outlineOf } from '../parser.ts';
import { isAskingWord, looksLikeName } from '../words.ts';
import { joined, SMALL_GAP } from './sections.ts';

export type Part = {
  lineStart: number;
  lineEnd: number;
  /** What it is or begins with, to say so. */
  name: string | undefined;
  score: number;
  /** Its name was written out. */
  said: boolean;
};
export type Choice = {
  sections: CuratedSection[];
  /** Every part with its weight, the heaviest first. */
  parts: Part[];
  /** How many lines may be shown. */
  room: number;
  /** The words decide: a name was named, or one part stands out. */
  sure: boolean;
};

export type CutFile = { lines: string[]; outline: Outline | undefined };

export const cutFile = async (path: string, text: string): Promise<CutFile> => {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const language = languageOf(path);
  return { lines, outline: language && (await outlineOf(language, text)) };
};

export const roomFor = (lineCount: number): number =>
  Math.min(LIMITS.curatorLinesMax, Math.max(LIMITS.curatorLinesMin, Math.floor(lineCount * LIMITS.curatorShare)));

/** Words with their weights: what was said last counts most. */
const weighedWords = (messages: readonly string[]): { words: Map<string, number>; names: Map<string, number> } => {
  const words = new Map<string, number>();
  const names = new Map<string, number>();
  let weight = 1;
  for (const message of messages.slice(-LIMITS.curatorMessages).reverse()) {
    const text = message.slice(0, LIMITS.searchQueryCharacters);
    for (const word of new Set(plainWords(text))) {
      if (isAskingWord(word) || words.size >= LIMITS.curatorWords) continue;
      const key = stem(word);
      words.set(key, Math.max(words.get(key) ?? 0, weight));
    }
    for (const name of new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))) {
      names.set(name, Math.max(names.get(name) ?? 0, weight));
    }
    weight /= 2;
  }
  return { words, names };
};

const SATURATION = 1.2;
const LENGTH_SHARE = 0.6;
/** A definition whose very name was said; a word of its name; against a word of its text. */
const NAMED = 12;
const NAME_WORD = 2;
/** How much of its weight a part gives to what it calls. */
const CALLED = 0.35;

type Weighed = Part & {
  own: number;
  terms: Map<string, number>;
  length: number;
  nameWords: Set<string>;
  names: string[];
};

const weigh = (parts: Weighed[], messages: readonly string[], path: string): void => {
  const { words, names } = weighedWords(messages);
  // The file's own name is said to name the file.
  for (const word of plainWords(path)) {
    const key = stem(word);
    if (words.has(key)) words.set(key, (words.get(key) as number) / 4);
  }
  const average = parts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, parts.length);
  for (const [word, weight] of words) {
    const having = parts.filter(({ terms, nameWords }) => terms.has(word) || nameWords.has(word)).length;
    if (having === 0) continue;
    const rarity = Math.log(1 + (parts.length - having + 0.5) / (having + 0.5));
    for (const part of parts) {
      const times = part.terms.get(word) ?? 0;
      const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * part.length) / average);
      part.own += weight * rarity * ((times * (SATURATION + 1)) / (times + norm));
      if (part.nameWords.has(word)) part.own += weight * rarity * NAME_WORD;
    }
  }
  for (const part of parts) {
    const named = Math.max(0, ...part.names.map((name) => names.get(name) ?? 0));
    // A one-word name may be a word of the sentence; one that no sentence has is meant.
    const said = part.names.some((name) => (names.get(name) ?? 0) > 0 && looksLikeName(name));
    part.own += named * (said ? NAMED : NAMED / 3);
    part.said = said;
    part.score = part.own;
  }
};

const lendToCalled = (parts: readonly Weighed[], outline: Outline): void => {
  const byName = new Map<string, Weighed>();
  for (const part of parts) for (const name of part.names) byName.set(name, part);
  const best = [...parts].sort((a, b) => b.own - a.own).slice(0, 5);
  for (const { name, line, kind } of outline.references) {
    if (kind === 'use' || kind === 'inherit') continue;
    const caller = best.find(({ lineStart, lineEnd }) => line >= lineStart && line <= lineEnd);
    const called = byName.get(name);
    if (caller && called && called !== caller) called.score = Math.max(called.score, called.own + caller.own * CALLED);
  }
};

export const choose = ({ lines, outline }: CutFile, path: string, messages: readonly string[]): Choice => {
  const language = languageOf(path);
  const chunks = language && outline ? codeChunks(lines, outline, language) : proseChunks(lines);
  const parts = chunks.map((chunk): Weighed => {
    const text = lines.slice(chunk.lineStart - 1, chunk.lineEnd).join('\n');
    const terms = new Map<string, number>();
    const words = plainWords(text);
    for (const word of words) terms.set(stem(word), (terms.get(stem(word)) ?? 0) + 1);
    const last = chunk.names.map((name) => name.split('.').at(-1) as string);
    return {
      lineStart: chunk.lineStart,
      lineEnd: chunk.lineEnd,
      name: chunk.names[0],
      score: 0,
      said: false,
      own: 0,
      terms,
      length: Math.max(1, words.length),
      nameWords: new Set(chunk.names.flatMap((name) => plainWords(name).map(stem))),
      names: last,
    };
  });
  weigh(parts, messages, path);
  if (outline) lendToCalled(parts, outline);
  const ranked = [...parts].sort((a, b) => b.score - a.score || a.lineStart - b.lineStart);
  const room = roomFor(lines.length);
  const sure = isSure(ranked);
  return {
    sections: fill(worthShowing(ranked, sure), room, lines.length),
    parts: ranked,
    room,
    sure,
  };
};

const isSure = ([first, second]: readonly Part[]): boolean =>
  first?.said === true && first.score > 1.5 * (second?.score ?? 0);

/** Where one part is meant, the weak ones only take room. */
const WEAK = 0.25;
const worthShowing = (ranked: readonly Part[], sure: boolean): readonly Part[] =>
  sure ? ranked.filter(({ score }) => score >= WEAK * (ranked[0]?.score ?? 0)) : ranked;

/** The heaviest parts that fit, whole; the beginning of the file where no word says anything. */
export const fill = (ranked: readonly Part[], room: number, lineCount: number): CuratedSection[] => {
  const chosen: CuratedSection[] = [];
  let left = room;
  for (const { lineStart, lineEnd, score } of ranked) {
    if (score <= 0) break;
    const size = lineEnd - lineStart + 1;
    if (size > left) continue;
    left -= size + SMALL_GAP;
    chosen.push({ line_start: lineStart, line_end: lineEnd });
  }
  if (chosen.length > 0) return joined(chosen);
  return lineCount === 0 ? [] : [{ line_start: 1, line_end: Math.min(LIMITS.readFileWholeLines, lineCount) }];
};

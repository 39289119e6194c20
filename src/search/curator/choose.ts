/**
 * Chooses, by the file and the person's words alone, the parts of a long file that a conversation is about: the file is
 * cut along its syntax, each part is weighed by the words it has in common with the messages and by the names they
 * name, and what the best parts call in the same file comes along.
 */

import { LIMITS } from '../../core/limits.ts';
import type { CuratedSection } from '../../core/retrieval-port.ts';
import { plainWords, stem } from '../../core/words.ts';
import { byWeight, functionOf, gatherEvidence } from '../features.ts';
import { SEARCH_LIMITS } from '../limits.ts';
import type { Outline } from '../outline.ts';
import type { QueryWords } from '../query-words.ts';
import { stemsOf } from '../stems.ts';
import { askedText, isAskingWord, looksLikeName } from '../words.ts';
import { type CutFile, type CutPart, type Part, partsOf } from './parts.ts';
import { joined, linesIn } from './sections.ts';

export type Choice = {
  sections: CuratedSection[];
  /** Every part with its weight, the heaviest first. */
  parts: Part[];
  /** How many lines may be shown. */
  room: number;
  /** The words decide: a name was named, or one part stands out. */
  sure: boolean;
};

/** A number and a bar stand before each line, and what is left out is named. */
const LINE_MARK = 8;
const RESULT_SHARE = 0.8;
/** How many lines may be shown: a share of the file, and no more than a model's window has room for in one result. */
export const roomFor = (text: string, resultCharacters?: number): number => {
  const lineCount = text.split('\n').length;
  const lines = Math.max(SEARCH_LIMITS.curatorLinesMin, Math.floor(lineCount * SEARCH_LIMITS.curatorShare));
  const fitting =
    resultCharacters === undefined
      ? SEARCH_LIMITS.curatorLinesMax
      : Math.floor((resultCharacters * RESULT_SHARE) / (text.length / lineCount + LINE_MARK));
  return Math.max(1, Math.min(SEARCH_LIMITS.curatorLinesMax, lines, fitting));
};

/** What was said, as a question: what was said last counts most, and what few parts have. */
const questionOf = (messages: readonly string[], path: string, parts: readonly CutPart[]): Said => {
  const words = new Map<string, { word: string; weight: number }>();
  const names = new Map<string, number>();
  let first: string | undefined;
  let weight = 1;
  for (const message of messages.slice(-SEARCH_LIMITS.curatorMessages).reverse()) {
    const text = message.slice(0, SEARCH_LIMITS.searchQueryCharacters);
    for (const word of new Set(plainWords(askedText(text)))) {
      if (isAskingWord(word) || words.size >= SEARCH_LIMITS.curatorWords) continue;
      const key = stem(word);
      first ??= key;
      if (!words.has(key)) words.set(key, { word, weight });
    }
    for (const name of new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))) {
      if (!names.has(name)) names.set(name, weight);
    }
    weight /= 2;
  }
  // The file's own name is said to name the file.
  for (const key of stemsOf(path)) {
    const entry = words.get(key);
    if (entry) entry.weight /= 4;
  }
  const counts = new Map<string, number>();
  for (const { text, symbol } of parts.map(({ candidate }) => candidate)) {
    for (const key of new Set(stemsOf(`${symbol} ${text}`))) {
      if (words.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const rarity = (key: string): number => {
    const having = counts.get(key) ?? 0;
    return Math.log(1 + (parts.length - having + 0.5) / (having + 0.5));
  };
  return {
    names,
    asked: {
      words: [...words].map(([key, entry]) => ({ word: entry.word, stem: key, weight: entry.weight * rarity(key) })),
      first,
      rare: [],
      common: [],
      names: [],
    },
  };
};

type Said = { names: ReadonlyMap<string, number>; asked: QueryWords };

/** A definition whose very name was said. */
const NAMED = 12;
/** So near to what was said, a part has something to do with it even where it shares no word. */
const NEAR = 0.35;
/** How much of its weight a part gives to what it calls. */
const CALLED = 0.35;

/** By the same features as a search of many files; the weight of an ordinary part is nothing. */
const weigh = (parts: readonly CutPart[], messages: readonly string[], path: string): void => {
  const { names, asked } = questionOf(messages, path, parts);
  const features = gatherEvidence(
    parts.map(({ candidate }) => candidate),
    asked,
  );
  const scores = new Map(byWeight(features, 'prose').map(({ id, score }) => [id, score]));
  for (const part of parts) {
    const named = Math.max(0, ...part.names.map((name) => names.get(name) ?? 0));
    // A one-word name may be a word of the sentence; one that no sentence has is meant.
    part.said = part.names.some((name) => names.has(name) && looksLikeName(name));
    part.score = (scores.get(part.candidate.id) ?? 0) + named * (part.said ? NAMED : NAMED / 3);
  }
  const middle = parts.map(({ score }) => score).sort((a, b) => a - b)[Math.floor(parts.length / 2)] ?? 0;
  for (const part of parts) part.score -= middle;
  // What has no word of it in common says nothing, whatever it is.
  const saying = new Set(
    features.flatMap(({ candidate: { id }, features: { words, alike, near } }) =>
      words + alike > 0 || near > NEAR ? [id] : [],
    ),
  );
  for (const part of parts) part.speaks = part.said || saying.has(part.candidate.id);
};

/** The pieces of a long function are as good as the best of them: half an answer is none. */
const bringTogether = (parts: readonly CutPart[]): void => {
  const best = new Map<string | number, CutPart>();
  for (const part of parts) {
    const key = functionOf(part.candidate);
    const before = best.get(key);
    if (before === undefined || part.score > before.score) best.set(key, part);
  }
  for (const part of parts) {
    const { score, speaks } = best.get(functionOf(part.candidate)) as CutPart;
    part.score = score;
    part.speaks ||= speaks;
  }
};

const lendToCalled = (parts: readonly CutPart[], outline: Outline): void => {
  const byName = new Map<string, CutPart>();
  for (const part of parts) for (const name of part.names) byName.set(name, part);
  const own = new Map(parts.map((part) => [part, part.score]));
  const best = [...parts].sort((a, b) => b.score - a.score).slice(0, 5);
  for (const { name, line, kind } of outline.references) {
    if (kind === 'use' || kind === 'inherit') continue;
    const caller = best.find(({ lineStart, lineEnd }) => line >= lineStart && line <= lineEnd);
    const called = byName.get(name);
    if (caller === undefined || called === undefined || called === caller) continue;
    const lent = Math.max(0, own.get(caller) ?? 0) * CALLED;
    called.speaks = true;
    called.score = Math.max(called.score, (own.get(called) ?? 0) + lent);
  }
};

export const choose = (
  { lines, outline }: CutFile,
  path: string,
  messages: readonly string[],
  room: number,
): Choice => {
  const parts = partsOf({ lines, outline }, path);
  weigh(parts, messages, path);
  bringTogether(parts);
  if (outline) lendToCalled(parts, outline);
  const ranked = [...parts].sort((a, b) => b.score - a.score || a.lineStart - b.lineStart);
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
  let chosen: CuratedSection[] = [];
  let left = room;
  for (const { lineStart, lineEnd, speaks } of ranked) {
    if (!speaks || lineEnd - lineStart >= left) continue;
    const more = joined([...chosen, { line_start: lineStart, line_end: lineEnd }]);
    // The small gaps that are shown too cost room.
    if (linesIn(more) > room) continue;
    chosen = more;
    left = room - linesIn(chosen);
  }
  if (chosen.length > 0) return chosen;
  return lineCount === 0 ? [] : [{ line_start: 1, line_end: Math.min(LIMITS.readFileWholeLines, lineCount) }];
};

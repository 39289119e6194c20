/**
 * Words as directions: those that comments use and those that the functions below them use for it lie near to each
 * other ("retrieves" and `get`, "whether" and `is`). Learned from the comments of 333 packages by
 * `evals/retrieval/learn-words.ts`, and a part of the program: no model runs. Where its file is missing, search goes on
 * without it.
 */
import { readFileSync } from 'node:fs';
import { packageFile } from '../disk/own-package.ts';
import type { Places } from './places.ts';

/** The places of a part that its direction is made of, in the order of their shares in the file. */
export const DIRECTION_PLACES = ['own', 'outer', 'path', 'head', 'body'] as const;
/** So many different words of a place count; a function's purpose is told at its beginning. */
export const WORDS_MAX = 100;
/** What the file and its folder are called says more than where all of it lies. */
const PATH_WORDS = 6;

export type Direction = Float32Array;

/** Where a part points: all of it, its name alone, its name with what it stands in and its head. */
export type PartDirections = { all: Direction; name: Direction; head: Direction };

export type WordVectors = {
  /** Where a question points; undefined where none of its words is known. */
  ofQuestion(stems: readonly string[]): Direction | undefined;
  ofPart(places: Places): PartDirections;
  /** How near two words are to each other, from 0 to 1; 0 where one is not known. */
  likeness(one: string, other: string): number;
};

/** Cosine: 1 for the same direction, 0 for no relation. */
export const nearness = (one: Direction, other: Direction): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
};

/** A letter alone says nothing of a path. */
export const pathWords = (stems: readonly string[]): string[] =>
  [...new Set(stems)].filter((word) => word.length > 1).slice(-PATH_WORDS);

/** The file: a line of JSON, a scale for each word, and then its numbers as bytes. */
export type VectorsHead = { version: 1; dimensions: number; shares: number[]; words: string };

export const createWordVectors = (bytes: Uint8Array): WordVectors => {
  const end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as VectorsHead;
  const { dimensions, shares } = head;
  const words = head.words.split(' ');
  // A copy that begins where numbers may begin.
  const rest = new Uint8Array(bytes.subarray(end + 1)).buffer;
  const scales = new Float32Array(rest, 0, words.length);
  const numbers = Float32Array.from(new Int8Array(rest, scales.byteLength));
  for (let row = 0; row < words.length; row += 1) {
    const scale = scales[row] as number;
    for (let at = row * dimensions; at < (row + 1) * dimensions; at += 1) numbers[at] = (numbers[at] as number) * scale;
  }
  const rows = new Map(words.map((word, row) => [word, row]));

  /** Which rows were added already in this turn; each turn has its number. */
  const turns = new Int32Array(words.length);
  let turn = 0;
  const sum = new Float32Array(dimensions);

  /** Adds each word once; unknown ones are as if they were not there. */
  const add = (into: Direction, list: readonly string[], share: number): boolean => {
    turn += 1;
    sum.fill(0);
    let known = 0;
    for (const word of list) {
      const row = rows.get(word);
      if (row === undefined || turns[row] === turn) continue;
      turns[row] = turn;
      known += 1;
      const from = row * dimensions;
      for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] as number) + (numbers[from + at] as number);
      if (known === WORDS_MAX) break;
    }
    const weight = share / Math.sqrt(known || 1);
    for (let at = 0; at < dimensions; at += 1) into[at] = (into[at] as number) + weight * (sum[at] as number);
    return known > 0;
  };
  const ofLengthOne = (direction: Direction): Direction => {
    const length = Math.sqrt(nearness(direction, direction)) || 1;
    for (let at = 0; at < direction.length; at += 1) direction[at] = (direction[at] as number) / length;
    return direction;
  };
  const lengths = Float32Array.from(words, (_word, row) => {
    const own = numbers.subarray(row * dimensions, (row + 1) * dimensions);
    return Math.sqrt(nearness(own, own)) || 1;
  });
  return {
    likeness(one, other) {
      const [first, second] = [rows.get(one), rows.get(other)];
      if (first === undefined || second === undefined) return 0;
      let sum = 0;
      for (let at = 0; at < dimensions; at += 1) {
        sum += (numbers[first * dimensions + at] as number) * (numbers[second * dimensions + at] as number);
      }
      return Math.max(0, sum / ((lengths[first] as number) * (lengths[second] as number)));
    },
    ofQuestion(stems) {
      const direction = new Float32Array(dimensions);
      return add(direction, stems, 1) ? ofLengthOne(direction) : undefined;
    },
    ofPart(places) {
      const all = new Float32Array(dimensions);
      const addPlace = (place: (typeof DIRECTION_PLACES)[number]): void => {
        const share = shares[DIRECTION_PLACES.indexOf(place)] as number;
        add(all, place === 'path' ? pathWords(places.path) : places[place], share);
      };
      addPlace('own');
      const name = ofLengthOne(all.slice());
      addPlace('outer');
      addPlace('head');
      const head = ofLengthOne(all.slice());
      addPlace('path');
      addPlace('body');
      return { all: ofLengthOne(all), name, head };
    },
  };
};

/** A build lays it beside the grammars; a checkout has it here. */
const PLACES_OF_FILE = ['../grammars/word-vectors.bin', './word-vectors.bin'];
let loaded: WordVectors | null | undefined;

/** Read once, at the first question. */
export const wordVectors = (): WordVectors | null => {
  if (loaded !== undefined) return loaded;
  loaded = null;
  for (const place of PLACES_OF_FILE) {
    try {
      const file = packageFile('grammars/', new URL(place, import.meta.url));
      if (file.ok) loaded = createWordVectors(readFileSync(file.value));
      break;
    } catch {
      // The next place.
    }
  }
  return loaded;
};

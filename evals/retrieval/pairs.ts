/** What comments say and what stands in the functions below them, as stems: what words are learned from. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { plainWords, stem } from '../../src/core/words.ts';
import type { Candidate } from '../../src/search/candidates.ts';
import { qualifiedName } from '../../src/search/outline.ts';
import { placesOf } from '../../src/search/places.ts';
import { DIRECTION_PLACES, pathWords, WORDS_MAX } from '../../src/search/word-vectors.ts';
import { isAskingWord } from '../../src/search/words.ts';
import { fetchPackage, type Package, sourcesOf } from './packages.ts';
import { docstringQuestions, parseFiles, type Question, sample } from './questions.ts';

/** A comment in its forms, and the words of each place of its function. */
export type Pair = { language: Package['language']; package: string; said: string[][]; places: string[][] };

const PAIRS_EACH = 1_200;
const FILES_EACH = 900;
const FILE_BYTES = 300_000;
const QUESTION_WORDS = 40;
const LINES = 80;

const questionWords = (text: string): string[] =>
  [
    ...new Set(
      plainWords(text)
        .filter((word) => !isAskingWord(word))
        .map(stem),
    ),
  ].slice(0, QUESTION_WORDS);

type Parsed = Awaited<ReturnType<typeof parseFiles>>[number];

const candidateOf = (file: Parsed, stripped: readonly string[], { lineStart, lineEnd }: Question): Candidate => {
  const { definitions } = file.outline;
  const at = definitions.findIndex((one) => one.lineStart === lineStart && one.lineEnd === lineEnd);
  const last = Math.min(lineEnd, lineStart + LINES - 1);
  return {
    id: 0,
    file: 0,
    path: file.path,
    language: file.path.endsWith('.py') ? 'python' : '',
    lineStart,
    lineEnd: last,
    symbol: qualifiedName(definitions, at),
    symbolId: 0,
    kind: definitions[at]?.kind ?? '',
    symbolStart: lineStart,
    text: stripped.slice(lineStart - 1, last).join('\n'),
    modifiedMs: 0,
  };
};

export const pairsOf = async (item: Package): Promise<Pair[]> => {
  const folder = fetchPackage(item);
  const files = sourcesOf(item, folder).filter(({ path }) => statSync(join(folder, path)).size <= FILE_BYTES);
  const parsed = await parseFiles(sample(files, FILES_EACH));
  const { questions, stripped } = docstringQuestions(parsed);
  const byPath = new Map(parsed.map((file) => [file.path, file]));
  const lines = new Map([...stripped].map(([path, text]) => [path, text.split('\n')]));
  return sample(questions, PAIRS_EACH).flatMap((question): Pair[] => {
    const file = byPath.get(question.path) as Parsed;
    const places = placesOf(candidateOf(file, lines.get(question.path) ?? [], question));
    const masked = questionWords(question.text);
    // A comment in Go begins with the name of its function, which says nothing about other words.
    const written = item.language === 'Go' ? [] : [questionWords(question.written ?? question.text)];
    if (masked.length < 2) return [];
    return [
      {
        language: item.language,
        package: item.name,
        said: [masked, ...written],
        places: DIRECTION_PLACES.map((place) =>
          place === 'path' ? pathWords(places.path) : [...new Set(places[place])].slice(0, WORDS_MAX),
        ),
      },
    ];
  });
};

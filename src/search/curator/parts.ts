/** A long file as the parts that may be shown of it: along its syntax, or its headings. */
import type { Candidate } from '../candidates.ts';
import { codeChunks, proseChunks } from '../chunks.ts';
import { languageOf } from '../languages.ts';
import type { Outline } from '../outline.ts';
import { outlineOf } from '../parser.ts';

export type Part = {
  lineStart: number;
  lineEnd: number;
  /** What it is or begins with, to say so. */
  name: string | undefined;
  score: number;
  /** Its name was written out. */
  said: boolean;
  /** It has something in common with what was said. */
  speaks: boolean;
};
/** A part as it is weighed. */
export type CutPart = Part & { candidate: Candidate; names: string[] };

export type CutFile = { lines: string[]; outline: Outline | undefined };

export const cutFile = async (path: string, text: string): Promise<CutFile> => {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const language = languageOf(path);
  return { lines, outline: language && (await outlineOf(language, text)) };
};

export const partsOf = ({ lines, outline }: CutFile, path: string): CutPart[] => {
  const language = languageOf(path);
  const chunks = language && outline ? codeChunks(lines, outline, language) : proseChunks(lines);
  return chunks.map(({ lineStart, lineEnd, names, definition }, id): CutPart => {
    const symbol = outline?.definitions[definition];
    return {
      lineStart,
      lineEnd,
      name: names[0],
      score: 0,
      said: false,
      speaks: false,
      names: names.map((name) => name.split('.').at(-1) as string),
      candidate: {
        id,
        file: 0,
        // All stand in the same.
        path: '',
        language: outline === undefined ? 'prose' : (language?.name ?? ''),
        lineStart,
        lineEnd,
        symbol: names[0] ?? '',
        symbolId: 0,
        kind: symbol?.kind ?? '',
        symbolStart: symbol?.lineStart ?? 0,
        text: lines.slice(lineStart - 1, lineEnd).join('\n'),
        modifiedMs: 0,
      },
    };
  });
};

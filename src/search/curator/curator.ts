/**
 * The curator of long files (H3). What it chose is remembered by the file's hash and the person's messages: the same
 * file in the same conversation is a look into a table, another file or another message curates again.
 */

import { createHash } from 'node:crypto';
import type { Curated, CuratedSection, Curator } from '../../core/retrieval-port.ts';
import { SEARCH_LIMITS } from '../limits.ts';
import { qualifiedName } from '../outline.ts';
import { signatureOf } from '../parser.ts';
import { type Choice, choose, fill, roomFor } from './choose.ts';
import { type CutFile, cutFile } from './parts.ts';
import { joined, linesIn, soundSections } from './sections.ts';

/** Asks a model which lines matter. Undefined where it did not answer, or not in time. */
export type Judge = (question: JudgeQuestion, signal: AbortSignal) => Promise<unknown>;
export type JudgeQuestion = {
  path: string;
  lineCount: number;
  messages: readonly string[];
  room: number;
  /** The file's parts, the likeliest first, with the lines that they begin with. */
  parts: { line_start: number; line_end: number; name?: string; first_line: string }[];
};

export type CuratorMemory = Map<string, Omit<Curated, 'cached'>>;

const keyOf = (hash: string, messages: readonly string[], room: number): string =>
  createHash('sha256')
    .update(JSON.stringify([hash, messages, room]))
    .digest('hex');

export const createCurator = (options: {
  messages(): readonly string[];
  memory: CuratorMemory;
  /** How much of a result the model is shown. */
  resultCharacters?(): number | undefined;
  judge?: Judge;
}): Curator => ({
  async curate({ path, hash, text }, signal) {
    const messages = options.messages();
    const room = roomFor(text, options.resultCharacters?.());
    const key = keyOf(hash, messages, room);
    const known = options.memory.get(key);
    if (known !== undefined) {
      options.memory.delete(key);
      options.memory.set(key, known);
      return { ...known, cached: true };
    }
    const cut = await cutFile(path, text);
    const choice = choose(cut, path, messages, room);
    const judged = options.judge && !choice.sure ? await judge(options.judge, choice, cut, path, messages, signal) : [];
    const curated: Omit<Curated, 'cached'> = {
      sections: judged.length > 0 ? judged : choice.sections,
      outline: outlineEntries(cut),
      by: judged.length > 0 ? 'model' : 'deterministic',
    };
    if (!signal.aborted) {
      options.memory.set(key, curated);
      const [oldest] = options.memory.keys();
      if (options.memory.size > SEARCH_LIMITS.curatorCached && oldest !== undefined) options.memory.delete(oldest);
    }
    return { ...curated, cached: false };
  },
});

/** What the model named, and with the room that is left the parts that the words speak for most. */
const judge = async (
  ask: Judge,
  choice: Choice,
  { lines }: CutFile,
  path: string,
  messages: readonly string[],
  signal: AbortSignal,
): Promise<CuratedSection[]> => {
  const parts = choice.parts.slice(0, SEARCH_LIMITS.curatorSectionsShown).map(({ lineStart, lineEnd, name }) => ({
    line_start: lineStart,
    line_end: lineEnd,
    name,
    first_line: signatureOf(lines.slice(lineStart - 1, lineEnd).find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''),
  }));
  const answer = await ask({ path, lineCount: lines.length, messages, room: choice.room, parts }, signal);
  const named = soundSections(answer, lines.length, choice.room);
  if (named.length === 0) return [];
  const best = choice.parts[0]?.score ?? 0;
  const others = choice.parts.filter(
    ({ lineStart, lineEnd, score }) =>
      score > best / 2 && !named.some(({ line_start, line_end }) => line_start <= lineEnd && line_end >= lineStart),
  );
  const left = choice.room - linesIn(named);
  return others.length === 0 || left <= 0 ? named : joined([...named, ...fill(others, left, 0)]);
};

const outlineEntries = ({ lines, outline }: CutFile): Curated['outline'] =>
  (outline?.definitions ?? []).map((definition, index) => ({
    name: definition.name,
    kind: definition.kind,
    line_start: definition.lineStart,
    line_end: definition.lineEnd,
    within: qualifiedName(outline?.definitions ?? [], index)
      .split('.')
      .slice(0, -1),
    signature: signatureOf(lines[definition.lineStart - 1] ?? ''),
  }));

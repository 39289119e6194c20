/**
 * Questions that a code base asks of itself: what a comment says of a function → the function, with the comment taken
 * out of the files; a call with its name masked → the definition. Nothing is chosen by hand.
 */
import { languageOf } from '../../src/search/languages.ts';
import type { Definition, Outline } from '../../src/search/outline.ts';
import { outlineOf } from '../../src/search/parser.ts';

export type SourceFile = { path: string; text: string };
export type Question = {
  kind: 'docstring' | 'call';
  /** Of a comment: its first paragraph, the function's own name taken out of it. */
  text: string;
  /** Of a comment: its first paragraph as it stands. */
  written?: string;
  path: string;
  lineStart: number;
  lineEnd: number;
  /** The same function's other declarations in the file: overloads, and what carries them out. */
  others?: { lineStart: number; lineEnd: number }[];
};
type Parsed = SourceFile & { lines: string[]; outline: Outline };
type Doc = { text: string; from: number; to: number };

const WORDS_MIN = 5;
const WORDS_MAX = 60;
const LINES_MIN = 3;

/** Without marks, and but for `written` the name of the thing itself; `summary` is the first paragraph, before all tags. */
const cleaned = (text: string, name: string): { summary: string; written: string } => {
  const plain = text
    .split('\n')
    .map((line) =>
      line.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/[/!]?|#|"""|''')?\s?/, '').replace(/\s*(?:\*\/|"""|''')\s*$/, ''),
    )
    .join('\n')
    .trim();
  const [paragraph = ''] = plain.split(/\n\s*\n|\n\s*(?=@\w|:param|Args:|Parameters|Returns|Example)/);
  const own = new RegExp(`\\b${name.replaceAll(/[^\w]/g, '')}\\b`, 'g');
  const inOneLine = (part: string): string => part.replaceAll(/\s+/g, ' ').trim();
  const masked = (part: string): string => inOneLine(part).replaceAll(own, '').trim();
  return { summary: masked(paragraph), written: inOneLine(paragraph) };
};

const commentAbove = (lines: readonly string[], line: number): Doc | undefined => {
  let from = line;
  while (from > 1 && /^\s*(?:\/\/|\/\*|\*)/.test(lines[from - 2] ?? '')) from -= 1;
  return from === line ? undefined : { text: lines.slice(from - 1, line - 1).join('\n'), from, to: line - 1 };
};

const pythonDocstring = (lines: readonly string[], { lineStart, lineEnd }: Definition): Doc | undefined => {
  // The head of a function may take several lines and ends in a colon.
  let head = lineStart;
  while (head <= lineEnd && !/:\s*(?:#.*)?$/.test(lines[head - 1] ?? '')) head += 1;
  const from = head + 1;
  const mark = /^\s*[rRuU]?("""|''')/.exec(lines[from - 1] ?? '')?.[1];
  if (mark === undefined) return undefined;
  let to = from;
  const first = lines[from - 1] ?? '';
  if (first.split(mark).length < 3) while (to < lineEnd && !(lines[to] ?? '').includes(mark)) to += 1;
  if (to > from || first.split(mark).length < 3) to += 1;
  // Without it there must be something left.
  return to >= lineEnd ? undefined : { text: lines.slice(from - 1, to).join('\n'), from, to };
};

const wordCount = (text: string): number => (text.match(/[\p{L}\p{N}]+/gu) ?? []).length;

const isSame = (one: Definition, other: Definition): boolean =>
  one.name === other.name && one.parent === other.parent && isFunction(one);

const isFunction = ({ kind }: Definition): boolean => kind === 'function' || kind === 'method';

export const parseFiles = async (files: readonly SourceFile[]): Promise<Parsed[]> => {
  const parsed: Parsed[] = [];
  for (const file of files) {
    const language = languageOf(file.path);
    const outline = language && (await outlineOf(language, file.text));
    if (outline) parsed.push({ ...file, lines: file.text.split('\n'), outline });
  }
  return parsed;
};

/** The questions, and the files as they are to be searched: their comments gone, every line where it was. */
export const docstringQuestions = (
  files: readonly Parsed[],
): { questions: Question[]; stripped: Map<string, string> } => {
  const questions: Question[] = [];
  const stripped = new Map<string, string>();
  const asked = new Set<string>();
  for (const { path, lines, outline } of files) {
    const rest = [...lines];
    for (const definition of outline.definitions) {
      if (!isFunction(definition) || definition.lineEnd - definition.lineStart + 1 < LINES_MIN) continue;
      const doc = path.endsWith('.py') ? pythonDocstring(lines, definition) : commentAbove(lines, definition.lineStart);
      if (doc === undefined) continue;
      const { summary: text, written } = cleaned(doc.text, definition.name);
      const count = wordCount(text);
      for (let line = doc.from; line <= doc.to; line += 1) rest[line - 1] = '';
      // What is said of several (overloads, copies) asks for none of them.
      if (count < WORDS_MIN || count > WORDS_MAX || asked.has(text)) continue;
      asked.add(text);
      const { lineStart, lineEnd } = definition;
      const others = outline.definitions.filter((other) => other !== definition && isSame(other, definition));
      questions.push({ kind: 'docstring', text, written, path, lineStart, lineEnd, others });
    }
    stripped.set(path, rest.join('\n'));
  }
  return { questions, stripped };
};

/** A call of something that is defined once: its line and those beside it, the name taken out wherever it stands. */
export const callQuestions = (files: readonly Parsed[]): Question[] => {
  const places = new Map<string, { path: string; definition: Definition }[]>();
  for (const { path, outline } of files) {
    for (const definition of outline.definitions) {
      if (!isFunction(definition)) continue;
      places.set(definition.name, [...(places.get(definition.name) ?? []), { path, definition }]);
    }
  }
  const questions: Question[] = [];
  const asked = new Set<string>();
  for (const { lines, outline } of files) {
    for (const { name, kind, line } of outline.references) {
      const [place, other] = places.get(name) ?? [];
      if ((kind !== 'call' && kind !== 'member') || place === undefined || other !== undefined) continue;
      const text = lines
        .slice(Math.max(0, line - 2), line + 1)
        .join('\n')
        .replaceAll(new RegExp(`\\b${name}\\b`, 'g'), ' ')
        .trim();
      if (asked.has(name) || wordCount(text) < WORDS_MIN) continue;
      asked.add(name);
      const { path, definition } = place;
      questions.push({ kind: 'call', text, path, lineStart: definition.lineStart, lineEnd: definition.lineEnd });
    }
  }
  return questions;
};

/** The same ones every time, from all over the list. */
export const sample = <T>(list: readonly T[], count: number): T[] => {
  if (list.length <= count) return [...list];
  const step = list.length / count;
  return Array.from({ length: count }, (_none, at) => list[Math.floor(at * step)] as T);
};

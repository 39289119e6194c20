/** What is said of a look-up: the lines with their place, what is missing beside them, or what was found nowhere. Pure. */
import { asWritten } from '../as-written.ts';
import type { Plan } from '../everyday/plan.ts';
import { beyondModel } from '../larger-model.ts';
import { LED_LIMITS } from '../limits.ts';
import { type Asked, askedOf } from './asked.ts';
import { type FoundLine, holdsKind, MATCH, matchIn } from './lines.ts';
import { coverageOf, isHeading, type Place, sameSection } from './places.ts';

/** What is said where the files do not tell, and why. */
export type Otherwise = (why: string) => Plan;

export const notTold: Otherwise = (why) => ({
  kind: 'about',
  text: (called) => beyondModel(called, why === '' ? 'tell that' : `tell that: ${why}`, 'look further'),
});

/** The lines of a text that came along, as those of a file. */
export const textLines = (text: string): FoundLine[] =>
  text
    .split('\n')
    .slice(0, LED_LIMITS.broughtLines)
    .map((line, index) => ({ path: BROUGHT_TEXT, line: index + 1, text: line }));
const BROUGHT_TEXT = 'the text that came along';

/** Such a text does not tell. */
export const whyNotInText = (question: string, text: string): Plan => {
  const asked = askedOf(question);
  const lines = textLines(text);
  const words = asked.words.filter(({ role }) => role !== 'kind').slice(0, LED_LIMITS.askedWords);
  return notTold(
    whyNot(
      asked,
      lines,
      words.map((word) => word.text),
      BROUGHT_TEXT,
    ),
  );
};

const inQuotes = (word: string): string => `“${word}”`;

/** What stands nowhere, else what does not stand together. */
export const whyNot = (
  { words }: Asked,
  found: readonly FoundLine[],
  missing: readonly string[],
  where = 'the files here',
): string => {
  const stands = (word: string): boolean => {
    const known = words.find(({ text }) => text === word);
    return known !== undefined && found.some(({ text }) => matchIn(text, known) > MATCH.none);
  };
  const nowhere = missing.filter((word) => !stands(word));
  if (nowhere.length > 0) return `it found no ${nowhere.map(inQuotes).join(' and no ')} in ${where}`;
  const named = words.filter(({ role }) => role !== 'kind').map(({ text }) => inQuotes(text));
  return named.length > 1 ? `it found no place in ${where} that names ${named.join(' and ')} together` : '';
};

const placed = ({ path, line, text }: FoundLine): string =>
  `${asWritten(path)}, line ${line}: ${asWritten(text.trim())}`;

const quotedLines = (lines: readonly FoundLine[]): string => {
  const told = lines.filter(({ text }) => text.trim() !== '');
  const [first] = told;
  return told.length === 1 && first !== undefined ? placed(first) : told.map((line) => `- ${placed(line)}`).join('\n');
};

const quoting = (lines: readonly FoundLine[], missing: readonly string[]): Plan => {
  const quote = quotedLines(lines);
  if (missing.length === 0) return { kind: 'say', text: quote };
  const lacks = `tell that for sure: it found no ${missing.join(' and no ')} beside it`;
  return { kind: 'about', text: (called) => `${beyondModel(called, lacks)} The nearest lines:\n\n${quote}` };
};

/** The line says it by itself; undefined where what stands around it is needed. */
export const lineAnswer = (asked: Asked, places: readonly Place[]): Plan | undefined => {
  const [best] = places;
  if (best === undefined || best.lines.length > 1 || isHeading(best.line.text)) return undefined;
  if (!holdsKind(best.line.text, asked.answer, asked.words)) return undefined;
  const equal = places.filter((place) => place.score === best.score && place.lines.length === 1);
  const { missing } = coverageOf(best, asked);
  return quoting(equal.map(({ line }) => line).slice(0, LED_LIMITS.quotedPlaces), missing.map(inQuotes));
};

const KIND_WORDS = { person: 'name', time: 'date or time', number: 'number', count: 'number of them', other: 'answer' };

/** `lines`: those of its file from the first line of the place on. Undefined where they do not tell. */
export const blockAnswer = (asked: Asked, place: Place, lines: readonly FoundLine[]): Plan | undefined => {
  const last = place.lines.at(-1)?.line ?? place.line.line;
  const block = sectionOf(sameSection(lines, place.line.line), last, asked);
  const { level, missing } = coverageOf({ ...place, lines: block }, asked);
  if (level === 'none') return undefined;
  const tells = holdsKind(block.map(({ text }) => text).join('\n'), asked.answer, asked.words);
  if (!tells && !asked.words.some(({ role }) => role === 'noun')) return undefined;
  return quoting(block, [...missing.map(inQuotes), ...(tells ? [] : [KIND_WORDS[asked.answer]])]);
};

/** Up to where the place has told what was asked, and at most to the end of its section. */
const sectionOf = (lines: readonly FoundLine[], last: number, asked: Asked): FoundLine[] => {
  const block: FoundLine[] = [];
  for (const line of lines) {
    const isBehind = line.line > last && block.some(({ text }) => text.trim() !== '' && !isHeading(text));
    const text = block.map((each) => each.text).join('\n');
    const isOver = isHeading(line.text) || line.text.trim() === '' || holdsKind(text, asked.answer, asked.words);
    if (isBehind && isOver) break;
    block.push(line);
  }
  return block;
};

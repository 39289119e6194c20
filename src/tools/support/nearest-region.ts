import { TOOL_LIMITS } from '../limits.ts';
import { type Lines, lineCount, lineText, numbered } from './lines.ts';
import { type Section, shownLine } from './sections.ts';

const ROUND = 2;

/** Numbered lines of some places with a little round them, cut to what a message can hold. */
export const regionsText = (lines: Lines, regions: readonly Section[], marked = false): string =>
  regions
    .map(({ from, to }) => {
      const last = Math.min(to + ROUND, from - ROUND + TOOL_LIMITS.nearestRegionShownLines - 1);
      return numbered(lines, from - ROUND, last, marked)
        .map((line) => shownLine(line))
        .join('\n');
    })
    .join('\n…\n');

const squeezed = (line: string): string => line.replace(/\s+/g, ' ').trim();

/** Pairs of neighbouring characters that two lines share, as a part of all they have. */
const likeness = (left: string, right: string): number => {
  const pairs = (text: string): Set<string> => {
    const found = new Set<string>();
    for (let index = 0; index + 1 < Math.min(text.length, 200); index += 1) found.add(text.slice(index, index + 2));
    return found;
  };
  const [a, b] = [pairs(left), pairs(right)];
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
};

/** The line where the most of the wanted lines stand in their order, by votes of the lines that are there exactly. */
const startByVotes = (wanted: readonly string[], file: readonly string[]): number | undefined => {
  const places = new Map<string, number[]>();
  wanted.forEach((line, index) => {
    if (line !== '') places.set(line, [...(places.get(line) ?? []), index]);
  });
  const votes = new Map<number, number>();
  file.forEach((line, index) => {
    for (const place of places.get(line) ?? []) {
      votes.set(index - place, (votes.get(index - place) ?? 0) + line.length);
    }
  });
  let best: { start: number; votes: number } | undefined;
  for (const [start, count] of votes) if (best === undefined || count > best.votes) best = { start, votes: count };
  return best?.start;
};

const startByLikeness = (wanted: readonly string[], file: readonly string[]): number | undefined => {
  const longest = wanted.reduce((a, b) => (b.length > a.length ? b : a), '');
  const place = wanted.indexOf(longest);
  let best = { start: 0, likeness: 0.3 };
  let found = false;
  file.forEach((line, index) => {
    const value = likeness(line, longest);
    if (value <= best.likeness) return;
    best = { start: index - place, likeness: value };
    found = true;
  });
  return found ? best.start : undefined;
};

/** What to tell a model whose text is not there: why, if that can be seen, and the lines that come nearest. */
export const nearestRegion = (lines: Lines, wantedText: string): string => {
  const wanted = wantedText.replace(/\n$/, '').split('\n');
  const bare = wanted.map((line) => line.replace(/^\s*\d+: ?/, ''));
  const hasNumbers = wanted.every((line, index) => line.trim() === '' || line !== bare[index]);
  const searched = (hasNumbers ? bare : wanted).map(squeezed);
  const looked = Math.min(lineCount(lines), TOOL_LIMITS.nearestRegionLines);
  const file = Array.from({ length: looked }, (_, index) => squeezed(lineText(lines, index + 1)));
  const start = startByVotes(searched, file) ?? startByLikeness(searched, file);
  if (start === undefined) return 'Nothing in it comes near; read it with read_file first.';
  const there = file.slice(Math.max(0, start), start + searched.length).join('\n');
  const same = there.includes(searched.join('\n'));
  const why = !same
    ? ''
    : hasNumbers
      ? 'It must not hold the line numbers that read_file puts before each line. '
      : 'It differs only in white space. ';
  const from = Math.max(1, start + 1);
  return `${why}The nearest lines are:\n${regionsText(lines, [{ from, to: start + searched.length }])}`;
};

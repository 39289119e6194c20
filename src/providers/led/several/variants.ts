/**
 * One request for several calls of one tool: "the weather in Paris and Rome", "the area of a 3 by 4 and a 5 by 6
 * rectangle". What is said once belongs to every call; what is listed or said again goes one to each.
 */
import type { ToolSchema } from '../../../core/tool.ts';
import { asSchema } from '../grammar.ts';
import { LED_LIMITS } from '../limits.ts';
import { numberClaims } from '../request-facts/number-claims.ts';
import { findNumbers, type Span } from '../request-facts/values.ts';
import { isNumeric, RequestFacts } from '../request-facts.ts';
import { requiredNames } from '../steps/choose-arguments.ts';
import { contentWords, isGrammarWord, plainWords } from '../words.ts';
import { findMentions, isListed, JOINTS, type Mention } from './mentions.ts';
import { KINDS, type Kind, listedFor, type Room, requiredRoom, roomOf, spareRoom, takesNumbersAsText } from './room.ts';

/** What one call takes: `own` in any case or as the request says, `spare` besides. */
type Rooms = { own: Room; spare: Room };
/** Values that stand in a row of equal groups, one group to a call. */
type Group = { first: number; size: number; count: number };

/** The last gap of a list says so in a word or a mark. */
const LAST = /[;&.?!]|\b(?:and|or|also|then|plus|y|e|et|und|oder)\b/iu;
const LARGEST_GROUP = 4;

/** The request of each call; the request itself where there is one call. */
export const variantsOf = (request: string, tool: ToolSchema): string[] => {
  const facts = new RequestFacts(request);
  const rooms = { own: roomOf(tool, facts), spare: spareRoom(tool, facts) };
  // What no argument could take stands in nobody's way: a name, where only numbers are asked for.
  const mentions = mentionsOf(request, tool).filter(({ kind }) => rooms.own[kind] + rooms.spare[kind] > 0);
  const groups = groupsOf(request, mentions, rooms);
  if (groups.length === 0) return [request];
  const rows = groups.map((group) => piecesOf(request, mentions, group));
  if (isInStep(request, rows)) return inStep(request, rows);
  const pairs = rows.reduce((count, { pieces }) => count * pieces.length, 1);
  // Nobody means every pair of two long lists.
  return pairs <= LED_LIMITS.ledPairs ? everyPair(request, rows) : [request];
};

/** Each required argument that takes a value of the request finds one of its own. */
export const saysAll = (request: string, tool: ToolSchema): boolean => {
  const optional = optionalNumbers(request, tool);
  const kinds = mentionsOf(request, tool)
    .filter((mention) => !optional.some((number) => number.start === mention.start))
    .map(({ kind }) => kind);
  const room = requiredRoom(tool);
  return KINDS.some((kind) => room[kind] > 0) && KINDS.every((kind) => countOf(kinds, kind) >= room[kind]);
};

/** Numbers that stand beside the words of an optional argument: they are no value of a required one. */
const optionalNumbers = (request: string, tool: ToolSchema): Span[] => {
  const properties = asSchema(tool.function.parameters['properties']);
  const names = Object.keys(properties).filter((name) => isNumeric(asSchema(properties[name])));
  const required = requiredNames(tool);
  return numberClaims(request, findNumbers(request), names, properties)
    .filter(({ name }) => !required.includes(name))
    .map(({ mention: { start, end } }) => ({ start, end, text: request.slice(start, end) }));
};

export const mentionsOf = (request: string, tool: ToolSchema): Mention[] => {
  const known = new Set(contentWords(`${tool.function.name} ${tool.function.description}`));
  const mentions = findMentions(request, known, listedFor(tool, 'string'));
  if (!takesNumbersAsText(tool)) return mentions;
  return mentions.map((mention) => (mention.kind === 'number' ? { ...mention, kind: 'text' } : mention));
};

const groupsOf = (request: string, mentions: readonly Mention[], room: Rooms): Group[] => {
  const groups: Group[] = [];
  let from = 0;
  while (from < mentions.length) {
    const best = bestGroup(request, mentions, from, room);
    if (best === undefined) from += 1;
    else {
      groups.push(best);
      from = best.first + best.size * best.count;
    }
  }
  return groups;
};

const bestGroup = (request: string, mentions: readonly Mention[], first: number, room: Rooms): Group | undefined => {
  let best: Group | undefined;
  for (let size = 1; size <= LARGEST_GROUP; size += 1) {
    const kinds = mentions.slice(first, first + size).map(({ kind }) => kind);
    if (kinds.length < size || !fits(kinds, room.own)) break;
    const count = repeats(request, mentions, first, kinds);
    const group = { first, size, count };
    const isMore = best === undefined || size * count >= best.size * best.count;
    if (count > 1 && isMore && exceeds(mentions, group, room)) best = group;
  }
  return best;
};

const countOf = (kinds: readonly Kind[], kind: Kind): number => kinds.filter((each) => each === kind).length;

const fits = (kinds: readonly Kind[], room: Room): boolean => KINDS.every((kind) => countOf(kinds, kind) <= room[kind]);

/** One call could not take all the different values, beside those that stand elsewhere in the request. */
const exceeds = (mentions: readonly Mention[], { first, size, count }: Group, { own, spare }: Rooms): boolean => {
  const listed = mentions.slice(first, first + size * count);
  return KINDS.some((kind) => {
    const values = listed.filter((mention) => mention.kind === kind).map(({ text }) => text);
    const different = new Set(values).size;
    if (different < 2) return false;
    const all = mentions.filter((mention) => mention.kind === kind).length;
    const others = Math.max(0, all - values.length - spare[kind]);
    // "Between Mars and Venus and between Mars and Earth": pairs that share a value.
    if (all > own[kind] + spare[kind]) return size === 1 ? different > own[kind] - others : values.length > own[kind];
    return different > own[kind];
  });
};

/** How many groups of these kinds follow one another: as a list, or each said like the first. */
const repeats = (request: string, mentions: readonly Mention[], first: number, kinds: readonly Kind[]): number => {
  const size = kinds.length;
  const gap = (index: number): string => request.slice(mentions[index - 1]?.end ?? 0, mentions[index]?.start ?? 0);
  const isSaidAlike = (start: number): boolean =>
    kinds.every((_, offset) => leadOf(gap(first + offset)) === leadOf(gap(start + offset)));
  const isQuoted = (index: number): boolean => /["'“‘`]$/u.test(gap(index));
  const isQuotedAlike = (start: number): boolean =>
    kinds.every((_, offset) => isQuoted(first + offset) === isQuoted(start + offset));
  /** "3 and 4, 5 and 12": within each the same words, and others between them. */
  const isPaired = (start: number): boolean =>
    size > 1 &&
    kinds.every((_, offset) => offset === 0 || gap(first + offset) === gap(start + offset)) &&
    gap(start).trim() !== gap(start + 1).trim();
  let count = 1;
  let closed = 1;
  for (;;) {
    const start = first + size * count;
    const isSame = kinds.every((kind, offset) => mentions[start + offset]?.kind === kind);
    if (!isSame || !isQuotedAlike(start) || !(isListed(gap(start)) || isSaidAlike(start))) return closed;
    count += 1;
    // A list without its last word is none: "in Hyderabad, in Celsius". Pairs say by themselves that they are some.
    if (LAST.test(gap(start)) || isPaired(start)) closed = count;
  }
};

/** The words that stand before a value, from the last one that means something: "base of", "person who is". */
const leadOf = (gap: string): string => {
  const words = plainWords(gap);
  return words.slice(words.findLastIndex((word) => !isGrammarWord(word))).join(' ');
};

/** The pieces of one group, with what stands before it and after it in the request. */
type Row = { start: number; end: number; pieces: string[] };

const piecesOf = (request: string, mentions: readonly Mention[], { first, size, count }: Group): Row => {
  const spans = Array.from({ length: count }, (_, index): Span => {
    const start = mentions[first + index * size]?.start ?? 0;
    const end = mentions[first + index * size + size - 1]?.end ?? start;
    return { start, end, text: request.slice(start, end) };
  });
  const [head, ...others] = spans;
  if (head === undefined) return { start: 0, end: 0, pieces: [] };
  const end = others.at(-1)?.end ?? head.end;
  const said = new Set(contentWords(request.slice(0, head.end)));
  const gaps = others.map(({ start }, index) => cutGap(request.slice(spans[index]?.end, start)));
  // "… jazz in Rome and rock in Oslo": what is said of one alone comes along with it, and stands for what was said before.
  const isOwn = gaps.map(
    ({ after }) => first === 0 && !contentWords(after).every((word) => said.has(word) || NO_OWN.has(word)),
  );
  if (!isOwn.includes(true)) return { start: head.start, end, pieces: spans.map(({ text }) => text) };
  const before = request.slice(0, head.start);
  const lead = (index: number): string => (index > 0 && isOwn[index - 1] ? (gaps[index - 1]?.after ?? '') : before);
  const behind = request.slice(end);
  const tail = (index: number): string => {
    const words = gaps[index]?.before ?? '';
    return behind.startsWith(words) ? '' : words;
  };
  const pieces = spans.map(({ text }, index) => `${lead(index)}${text}${tail(index)}`);
  return { start: 0, end, pieces };
};

/** Words that say nothing of one group alone. */
const NO_OWN: ReadonlySet<string> = new Set([...JOINTS, 'one', 'another', 'same']);
const NEXT = /(?<=[.?!;])\s+|\s*,?\s+(?=(?:and|then|also|y|e|et|und)\s)/iu;

/** What stands between two groups: the end of the one, and what is said of the other. */
const cutGap = (gap: string): { before: string; after: string } => {
  const next = NEXT.exec(gap);
  if (next === null) return { before: '', after: gap.trimStart() };
  return { before: gap.slice(0, next.index), after: gap.slice(next.index + next[0].length) };
};

/** Lists that go together, one value of each: they are equally long, and the request says so. */
const isInStep = (request: string, rows: readonly Row[]): boolean =>
  rows.every(({ pieces }) => pieces.length === rows[0]?.pieces.length) &&
  (rows.length === 1 || /\b(?:respectively|each|in that order)\b/iu.test(request));

const withPieces = (request: string, rows: readonly Row[], chosen: readonly string[]): string =>
  rows.reduceRight(
    (text, row, index) => `${text.slice(0, row.start)}${chosen[index] ?? ''}${text.slice(row.end)}`,
    request,
  );

const inStep = (request: string, rows: readonly Row[]): string[] =>
  (rows[0]?.pieces ?? []).map((_, at) =>
    withPieces(
      request,
      rows,
      rows.map(({ pieces }) => pieces[at] ?? ''),
    ),
  );

const everyPair = (request: string, rows: readonly Row[]): string[] => {
  const chosen = rows.reduce<string[][]>(
    (begun, { pieces }) => begun.flatMap((before) => pieces.map((piece) => [...before, piece])),
    [[]],
  );
  return chosen.map((pieces) => withPieces(request, rows, pieces));
};

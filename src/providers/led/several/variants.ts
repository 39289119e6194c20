/**
 * One request for several calls of one tool: "the weather in Paris and Rome", "the area of a 3 by 4 and a 5 by 6
 * rectangle". What is said once belongs to every call; what is listed or said again goes one to each.
 */
import type { ToolSchema } from '../../../core/tool.ts';
import { asSchema, schemaTypes } from '../grammar.ts';
import { LED_LIMITS } from '../limits.ts';
import { isDateArgument } from '../request-facts/dates.ts';
import { RequestFacts } from '../request-facts.ts';
import { isSaid, listedValues, requiredNames } from '../steps/choose-arguments.ts';
import { contentWords, isGrammarWord, plainWords } from '../words.ts';
import { findMentions, isListed, type Mention } from './mentions.ts';

/** How many values of each kind one call can take. */
type Room = Record<Mention['kind'], number>;
/** Values that stand in a row of equal groups, one group to a call. */
type Group = { first: number; size: number; count: number };

/** The last gap of a list says so in a word or a mark. */
const LAST = /[;&.?!]|\b(?:and|or|also|then|plus|y|e|et|und|oder)\b/iu;
const LARGEST_GROUP = 4;
const KINDS = ['number', 'text', 'list'] as const;

/** The request of each call; the request itself where there is one call. */
export const variantsOf = (request: string, tool: ToolSchema): string[] => {
  const mentions = mentionsOf(request, tool);
  const room = roomOf(tool, new RequestFacts(request));
  const groups = groupsOf(request, mentions, room);
  if (groups.length === 0) return [request];
  const rows = groups.map((group) => piecesOf(request, mentions, group));
  if (isInStep(request, rows)) return inStep(request, rows);
  const pairs = rows.reduce((count, { pieces }) => count * pieces.length, 1);
  // Nobody means every pair of two long lists.
  return pairs <= LED_LIMITS.ledPairs ? everyPair(request, rows) : [request];
};

/** Each required argument that takes a value of the request finds one of its own. */
export const saysAll = (request: string, tool: ToolSchema): boolean => {
  const kinds = mentionsOf(request, tool).map(({ kind }) => kind);
  const room = requiredRoom(tool);
  return KINDS.some((kind) => room[kind] > 0) && KINDS.every((kind) => countOf(kinds, kind) >= room[kind]);
};

export const mentionsOf = (request: string, tool: ToolSchema): Mention[] => {
  const known = new Set(contentWords(`${tool.function.name} ${tool.function.description}`));
  return findMentions(request, known, listedOf(tool));
};

/** What the schema lists for arguments that take one value. */
const listedOf = (tool: ToolSchema): string[] =>
  Object.values(asSchema(tool.function.parameters['properties']))
    .map(asSchema)
    .filter((schema) => schemaTypes(schema)[0] === 'string')
    .flatMap(listedValues);

type Argument = { name: string; kind: Mention['kind']; takesMany: boolean };

const argumentsOf = (tool: ToolSchema): Argument[] =>
  Object.entries(asSchema(tool.function.parameters['properties'])).flatMap(([name, value]): Argument[] => {
    const schema = asSchema(value);
    const [type] = schemaTypes(schema);
    const description = typeof schema['description'] === 'string' ? schema['description'] : '';
    if (type === 'integer' || type === 'number') return [{ name, kind: 'number', takesMany: false }];
    if (type === 'string' && !isDateArgument(name, description)) return [{ name, kind: 'text', takesMany: false }];
    if (type !== 'array' && type !== 'object') return [];
    const [items] = schemaTypes(asSchema(schema['items']));
    return [{ name, kind: items === 'integer' || items === 'number' ? 'number' : 'text', takesMany: true }];
  });

const requiredRoom = (tool: ToolSchema): Room => {
  const required = requiredNames(tool);
  const room: Room = { number: 0, text: 0, list: 0 };
  for (const { name, kind, takesMany } of argumentsOf(tool)) {
    if (required.includes(name)) room[takesMany && kind === 'number' ? 'list' : kind] += 1;
  }
  return room;
};

/** An argument that takes many values takes all that there are of its kind; an optional one counts where it is named. */
const roomOf = (tool: ToolSchema, facts: RequestFacts): Room => {
  const required = requiredNames(tool);
  const room: Room = { number: 0, text: 0, list: 0 };
  for (const { name, kind, takesMany } of argumentsOf(tool)) {
    if (takesMany) {
      room[kind] = Number.POSITIVE_INFINITY;
      room.list += 1;
    } else if (required.includes(name) || isSaid(name, facts)) room[kind] += 1;
  }
  return room;
};

const groupsOf = (request: string, mentions: readonly Mention[], room: Room): Group[] => {
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

const bestGroup = (request: string, mentions: readonly Mention[], first: number, room: Room): Group | undefined => {
  let best: Group | undefined;
  for (let size = 1; size <= LARGEST_GROUP; size += 1) {
    const kinds = mentions.slice(first, first + size).map(({ kind }) => kind);
    if (kinds.length < size || !fits(kinds, room)) break;
    const count = repeats(request, mentions, first, kinds);
    const group = { first, size, count };
    const isMore = best === undefined || size * count >= best.size * best.count;
    if (count > 1 && isMore && exceeds(mentions, group, room)) best = group;
  }
  return best;
};

const countOf = (kinds: readonly Mention['kind'][], kind: Mention['kind']): number =>
  kinds.filter((each) => each === kind).length;

const fits = (kinds: readonly Mention['kind'][], room: Room): boolean =>
  KINDS.every((kind) => countOf(kinds, kind) <= room[kind]);

/** One call could not take all the different values. */
const exceeds = (mentions: readonly Mention[], { first, size, count }: Group, room: Room): boolean => {
  const own = mentions.slice(first, first + size * count);
  return KINDS.some((kind) => {
    const values = new Set(own.filter((mention) => mention.kind === kind).map(({ text }) => text));
    return values.size > Math.max(1, room[kind]);
  });
};

/** How many groups of these kinds follow one another: as a list, or each said like the first. */
const repeats = (
  request: string,
  mentions: readonly Mention[],
  first: number,
  kinds: readonly Mention['kind'][],
): number => {
  const size = kinds.length;
  const gap = (index: number): string => request.slice(mentions[index - 1]?.end ?? 0, mentions[index]?.start ?? 0);
  const isSaidAlike = (start: number): boolean =>
    kinds.every((_, offset) => leadOf(gap(first + offset)) === leadOf(gap(start + offset)));
  let count = 1;
  let closed = 1;
  for (;;) {
    const start = first + size * count;
    const isSame = kinds.every((kind, offset) => mentions[start + offset]?.kind === kind);
    if (!isSame || !(isListed(gap(start)) || isSaidAlike(start))) return closed;
    count += 1;
    // A list without its last word is none: "in Hyderabad, in Celsius".
    if (LAST.test(gap(start))) closed = count;
  }
};

/** The words that stand before a value, from the last one that means something: "base of", "person who is". */
const leadOf = (gap: string): string => {
  const words = plainWords(gap);
  return words.slice(words.findLastIndex((word) => !isGrammarWord(word))).join(' ');
};

type Piece = { start: number; end: number; text: string };
/** The pieces of one group, with what stands before it and after it in the request. */
type Row = { start: number; end: number; pieces: string[] };

const piecesOf = (request: string, mentions: readonly Mention[], { first, size, count }: Group): Row => {
  const pieces: Piece[] = [];
  for (let index = 0; index < count; index += 1) {
    const head = mentions[first + index * size];
    const last = mentions[first + index * size + size - 1];
    if (head === undefined || last === undefined) continue;
    pieces.push({ start: head.start, end: last.end, text: request.slice(head.start, last.end) });
  }
  return {
    start: pieces[0]?.start ?? 0,
    end: pieces.at(-1)?.end ?? 0,
    pieces: pieces.map(({ text }) => text),
  };
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

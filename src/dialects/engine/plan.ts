/** A grammar made ready to run: its markers as sets, for every place where markers are looked for. */
import { CODE_TAILS } from './bodies/code-body.ts';
import { type ElementsPlace, elementsPlace } from './bodies/elements-body.ts';
import type { NamedPlace } from './bodies/named-body.ts';
import type { RawPlace } from './bodies/raw-value.ts';
import type { InCall, PairsPlace, TagsPlace } from './bodies/tags-body.ts';
import {
  type Body,
  type CallMark,
  type CallSyntax,
  type ChannelSyntax,
  type ElementsBody,
  END_TOKENS,
  type Grammar,
  type NamedBody,
  type PairsBody,
  type ReasoningSyntax,
  type RoutineBody,
  type StartSyntax,
  type TagsBody,
  THINK,
} from './grammar.ts';
import { type MarkerSet, type Markers, markerSet, spellings } from './markers.ts';

/** What a marker means around and between the calls of a section. */
export type InSection =
  /** `foreign`: opens another section. */
  | { kind: 'open' | 'close' | 'skip' | 'foreign' }
  | { kind: 'tags'; body: TagsBody; place: TagsPlace }
  | { kind: 'elements'; body: ElementsBody; place: ElementsPlace };

export type CallPlan = {
  syntax: CallSyntax;
  dialect: string;
  markers: MarkerSet<InSection>;
  /** Markers that open a section and are a call's own tag at the same time. */
  opensBody: ReadonlyMap<string, InSection>;
  /** May stand behind a call of this kind. */
  after: MarkerSet<unknown>;
  named: { body: NamedBody; place: NamedPlace } | undefined;
  pairs: { body: PairsBody; place: PairsPlace } | undefined;
  json: Extract<Body, { kind: 'json' }> | undefined;
  routine: RoutineBody | undefined;
  python: boolean;
  code: MarkerSet<unknown> | undefined;
};

type CallMeaning = { kind: 'call'; plan: CallPlan };
/** What a marker means in the answer. */
export type InAnswer =
  | CallMeaning
  | { kind: 'reasoning'; syntax: ReasoningSyntax }
  | { kind: 'channel'; channel: ChannelPlan }
  /** `stray`: closes reasoning that is not open. */
  | { kind: 'end' | 'frame' | 'fence' | 'stray' };

export type ChannelPlan = {
  syntax: ChannelSyntax;
  dialect: (header: string) => string;
  header: MarkerSet<'message' | 'close'>;
  message: MarkerSet<'close' | 'open'>;
  call: CallPlan;
};

export type Plan = {
  grammar: Grammar;
  /** What may begin a call. */
  calls: readonly Markers<Extract<InAnswer, CallMark>>[];
  answer: MarkerSet<InAnswer>;
  /** In reasoning: what closes it, and the calls that may end it. */
  reasoning: ReadonlyMap<ReasoningSyntax | undefined, Inside>;
  /** Behind a stretch that must be the last: only these may follow. */
  tail: MarkerSet<InAnswer>;
  ends: MarkerSet<unknown>;
  /** Inside a fence that is a quotation. */
  quotation: MarkerSet<'fence' | 'end'>;
  bare: CallPlan | undefined;
  channels: readonly ChannelPlan[];
  /** Words at the very beginning that tell how the answer is written. */
  starts: MarkerSet<StartSyntax | ChannelPlan>;
  /** What may end a name at the very beginning. */
  nameStops: MarkerSet<StartSyntax | ChannelPlan | 'no name'> | undefined;
};
export type InReasoning = { kind: 'close' } | CallMeaning | { kind: 'end' };
type Inside = { markers: MarkerSet<InReasoning>; close: MarkerSet<unknown> };

const TAG_END = ['>'];
const FENCE = '```';
const FENCE_LANGUAGES = ['json', 'tool_call', 'tool_calls', 'tool_code', 'python', 'xml', 'plaintext', 'text'];
const FENCES = [...FENCE_LANGUAGES.map((language) => FENCE + language), FENCE];

const find = <K extends Body['kind']>(syntax: CallSyntax, kind: K): Extract<Body, { kind: K }> | undefined =>
  syntax.bodies.find((body): body is Extract<Body, { kind: K }> => body.kind === kind);

export const planCalls = (syntax: CallSyntax, dialect: string, foreign: readonly string[] = []): CallPlan => {
  const { open, close } = syntax;
  const tagOpens = syntax.bodies.flatMap((body) => (body.kind === 'tags' || body.kind === 'elements' ? body.open : []));
  const after = markerSet<unknown>([true, close], [true, open], [true, tagOpens], [true, FENCES], [true, END_TOKENS]);
  const calls = syntax.bodies.flatMap((body): Markers<InSection>[] => {
    if (body.kind === 'tags') return [[{ kind: 'tags', body, place: tagsPlace(syntax, body, after) }, body.open]];
    return body.kind === 'elements' ? [[{ kind: 'elements', body, place: elementsPlace(body) }, body.open]] : [];
  });
  const named = find(syntax, 'named');
  const pairs = find(syntax, 'pairs');
  return {
    syntax,
    dialect: syntax.dialect ?? dialect,
    markers: markerSet<InSection>(
      [{ kind: 'skip' }, syntax.skip],
      [{ kind: 'close' }, close],
      ...calls,
      [{ kind: 'open' }, open],
      [{ kind: 'foreign' }, foreign],
      [{ kind: 'skip' }, FENCES],
    ),
    opensBody: new Map(
      calls.flatMap(([meaning, texts = []]) =>
        texts
          .filter((text) => open.includes(text))
          .flatMap(spellings)
          .map((text) => [text, meaning] as const),
      ),
    ),
    after,
    named: named && {
      body: named,
      place: {
        after,
        stops: markerSet(['brace', ['{']], ['quote', ['"']], ['close', close], ['open', open]),
        behindMark: markerSet(
          ['mark', named.value?.quoteMarker === undefined ? [] : [named.value.quoteMarker]],
          ['close', close],
          ['open', open],
          ['open', END_TOKENS],
        ),
      },
    },
    pairs: pairs && { body: pairs, place: pairsPlace(syntax, pairs, after) },
    json: find(syntax, 'json'),
    routine: find(syntax, 'routine'),
    python: find(syntax, 'python') !== undefined,
    code: find(syntax, 'code') && markerSet<unknown>([true, close], [true, END_TOKENS], CODE_TAILS),
  };
};

/** The tags around a value, and those of the call around it, as far as they can end it. */
type ValueTags = {
  end: readonly string[];
  call?: readonly string[];
  callEnd?: readonly string[];
  next: readonly string[];
  nextEnd: readonly string[];
};

const rawPlace = (syntax: CallSyntax, { end, call, callEnd, next, nextEnd }: ValueTags): RawPlace => ({
  inside: markerSet(['end', end], ['callEnd', callEnd], ['call', call], ['next', next], ['close', syntax.close]),
  closeTags: end,
  follow: markerSet(
    ['close', callEnd],
    ['close', syntax.close],
    ['open', syntax.open],
    ['open', call],
    ['open', END_TOKENS],
  ),
  behind: markerSet(
    ['end', end],
    ['close', callEnd],
    ['close', syntax.close],
    ['open', syntax.open],
    ['open', call],
    ['next', next],
    ['open', END_TOKENS],
  ),
  nextEnd: markerSet([true, nextEnd], [false, ['<']]),
});

const tagsPlace = (syntax: CallSyntax, body: TagsBody, after: MarkerSet<unknown>): TagsPlace => {
  const { open, openEnd = TAG_END, close, parameter, parameterEnd = TAG_END, parameterClose, literal } = body;
  return {
    headerEnd: markerSet(['end', openEnd], ['brace', ['{']]),
    parameterEnd: markerSet([true, parameterEnd]),
    between: markerSet<InCall>(
      ['parameter', parameter],
      ['parameterClose', parameterClose],
      ['close', close],
      ['outer', syntax.close],
      ['open', open],
      ['open', syntax.open],
    ),
    closeTags: [...parameterClose, ...close],
    value: {
      ...rawPlace(syntax, { end: parameterClose, call: open, callEnd: close, next: parameter, nextEnd: parameterEnd }),
      trimsNewline: body.trimsNewline,
      ...(literal && { literal: { open: markerSet([true, [literal[0]]]), close: markerSet([true, [literal[1]]]) } }),
    },
    after,
  };
};

const pairsPlace = (syntax: CallSyntax, body: PairsBody, after: MarkerSet<unknown>): PairsPlace => {
  const { key, keyClose, value, valueClose, nameEnd, type, typeClose } = body;
  return {
    nameStops: markerSet([true, ['\n', '<', '{']], [true, nameEnd]),
    between: markerSet<InCall>(
      ['parameter', key],
      ['value', value],
      ['parameterClose', valueClose],
      ['blank', nameEnd],
      ['end', syntax.close],
      ['open', syntax.open],
    ),
    closeTags: [...valueClose, ...(syntax.close ?? [])],
    keyClose: markerSet([true, keyClose]),
    keyType: markerSet(['type', type], ['value', value], ['blank', nameEnd]),
    typeClose: markerSet([true, typeClose]),
    value: rawPlace(syntax, {
      end: valueClose,
      call: syntax.open,
      callEnd: syntax.close ?? [],
      next: key,
      nextEnd: keyClose,
    }),
    after,
  };
};

/** A recipient's line, and the arguments behind it. */
export const TOOL_LINE_END = '\n{';
/** None of these stands in a name, so that ordinary text is let go at its first blank. */
const NO_NAME = [...' \t\r\n<{[(,;!?"\'`*'];

export const planGrammar = (grammar: Grammar): Plan => {
  const { starts = [] } = grammar;
  // Whatever a model's own marks are, its server may have put the usual ones before the answer.
  const own = grammar.reasoning ?? [];
  const reasoning = [...own, ...THINK.filter(({ open }) => !own.some((syntax) => syntax.open === open))];
  const ends = [...END_TOKENS, ...(grammar.endTokens ?? [])];
  const channels = (grammar.channels ?? []).map((syntax) => planChannels(syntax, grammar));
  const calls = grammar.calls.map((syntax): Markers<CallMeaning> => {
    const plan = planCalls(syntax, grammar.name);
    return [{ kind: 'call', plan }, syntax.open];
  });
  const channelMarks = channels.map((channel) => [{ kind: 'channel', channel }, channel.syntax.open] as const);
  const last: Markers<InAnswer>[] = [
    [{ kind: 'frame' }, grammar.frame],
    [{ kind: 'end' }, ends],
  ];
  const named: Markers<StartSyntax | ChannelPlan>[] = [
    ...channels.filter(({ syntax }) => syntax.startsWithName).map((one) => [one, one.syntax.headerEnd] as const),
    ...starts.filter(({ toolLine }) => toolLine).map((one) => [one, ['\n', TOOL_LINE_END]] as const),
  ];
  const marks = reasoning.flatMap(({ open, close }) => (open === undefined ? close : [open, ...close]));
  const insideOf = (blocks: readonly ReasoningSyntax[]): Inside => {
    const close = blocks.flatMap((syntax) => syntax.close);
    return {
      markers: markerSet<InReasoning>([{ kind: 'close' }, close], ...calls, [{ kind: 'end' }, ends]),
      close: markerSet([true, close]),
    };
  };
  return {
    grammar,
    calls: [...calls, ...channelMarks],
    answer: markerSet<InAnswer>(
      ...calls,
      ...reasoning.map(
        (syntax) => [{ kind: 'reasoning', syntax }, syntax.open === undefined ? [] : [syntax.open]] as const,
      ),
      ...channelMarks,
      ...last,
      [{ kind: 'stray' }, reasoning.flatMap(({ close }) => close)],
      [{ kind: 'fence' }, [FENCE]],
    ),
    reasoning: new Map([
      [undefined, insideOf(reasoning)],
      ...reasoning.map((syntax) => [syntax, insideOf([syntax])] as const),
    ]),
    tail: markerSet<InAnswer>(...calls, ...last, [{ kind: 'stray' }, marks]),
    ends: markerSet([true, ends]),
    quotation: markerSet(['fence', [FENCE]], ['end', ends]),
    bare:
      grammar.bare &&
      planCalls(
        { open: [], bodies: grammar.bare, many: true, dialects: grammar.bareDialects ?? {} },
        grammar.name,
        // Else its bracket would open a list.
        grammar.calls.flatMap(({ open }) => open.filter((marker) => /^\[\w/.test(marker))),
      ),
    channels,
    starts: markerSet<StartSyntax | ChannelPlan>(
      ...channels.map((one) => [one, one.syntax.startsWith] as const),
      ...starts.map((one) => [one, one.words] as const),
    ),
    nameStops:
      named.length === 0 ? undefined : markerSet<StartSyntax | ChannelPlan | 'no name'>(...named, ['no name', NO_NAME]),
  };
};

const planChannels = (syntax: ChannelSyntax, grammar: Grammar): ChannelPlan => {
  const { open, close, headerEnd, bodies } = syntax;
  return {
    syntax,
    dialect: syntax.dialect ?? (() => grammar.name),
    header: markerSet(['message', headerEnd], ['close', close]),
    message: markerSet(['close', close], ['open', open]),
    call: planCalls(
      { open: syntax.callOpen ?? [], close: [...(syntax.callClose ?? []), ...close], bodies },
      grammar.name,
    ),
  };
};

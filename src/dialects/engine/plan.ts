/** A format made ready to run: its markers as sets, for every place where markers are looked for. */
import { type ElementsPlace, elementsPlace } from './bodies/elements-body.ts';
import type { NamedPlace } from './bodies/named-body.ts';
import type { RawPlace } from './bodies/raw-value.ts';
import type { InCall, PairsPlace, TagsPlace } from './bodies/tags-body.ts';
import {
  type Body,
  type CallForm,
  type ChannelForm,
  type ElementsBody,
  END_TOKENS,
  type Format,
  type NamedBody,
  type PairsBody,
  type ReasoningForm,
  type RoutineBody,
  type StartForm,
  type TagsBody,
} from './format.ts';
import { type MarkerSet, type Markers, markerSet } from './markers.ts';

/** What a marker means around and between the calls of a section. */
export type InSection =
  | { kind: 'open' | 'close' | 'skip' }
  | { kind: 'tags'; body: TagsBody; place: TagsPlace }
  | { kind: 'elements'; body: ElementsBody; place: ElementsPlace };

export type FormPlan = {
  form: CallForm;
  format: string;
  markers: MarkerSet<InSection>;
  /** Markers that open the form and are a call's own tag at the same time. */
  opensBody: ReadonlyMap<string, InSection>;
  /** May stand behind a call of this form. */
  after: MarkerSet<unknown>;
  named: { body: NamedBody; place: NamedPlace } | undefined;
  pairs: { body: PairsBody; place: PairsPlace } | undefined;
  json: Extract<Body, { kind: 'json' }> | undefined;
  routine: RoutineBody | undefined;
  python: boolean;
  code: MarkerSet<unknown> | undefined;
};

type CallMeaning = { kind: 'call'; plan: FormPlan };
/** What a marker means in the answer. */
export type InAnswer =
  | CallMeaning
  | { kind: 'reasoning'; form: ReasoningForm }
  | { kind: 'channel'; channel: ChannelPlan }
  | { kind: 'end' | 'frame' | 'fence' };

export type ChannelPlan = {
  form: ChannelForm;
  format: string;
  header: MarkerSet<'message' | 'close'>;
  message: MarkerSet<'close' | 'open'>;
  call: FormPlan;
};

export type Plan = {
  format: Format;
  answer: MarkerSet<InAnswer>;
  /** In reasoning: what closes it, and the calls that may end it. */
  reasoning: ReadonlyMap<ReasoningForm | undefined, Inside>;
  /** Behind a stretch that must be the last: only these may follow. */
  tail: MarkerSet<InAnswer>;
  ends: MarkerSet<unknown>;
  /** Inside a fence that is a quotation. */
  quotation: MarkerSet<'fence' | 'end'>;
  bare: FormPlan | undefined;
  channels: readonly ChannelPlan[];
  /** Words at the very beginning that tell how the answer is written. */
  starts: MarkerSet<StartForm | ChannelPlan>;
  /** What may end a name at the very beginning. */
  nameStops: MarkerSet<StartForm | ChannelPlan | 'no name'> | undefined;
};
export type InReasoning = { kind: 'close' } | CallMeaning | { kind: 'end' };
type Inside = { markers: MarkerSet<InReasoning>; close: MarkerSet<unknown> };

const TAG_END = ['>'];
const FENCE = '```';
const FENCE_LANGUAGES = ['json', 'tool_call', 'tool_calls', 'tool_code', 'python', 'xml', 'plaintext', 'text'];
const FENCES = [...FENCE_LANGUAGES.map((language) => FENCE + language), FENCE];

const find = <K extends Body['kind']>(form: CallForm, kind: K): Extract<Body, { kind: K }> | undefined =>
  form.bodies.find((body): body is Extract<Body, { kind: K }> => body.kind === kind);

export const planForm = (form: CallForm, format: string): FormPlan => {
  const { open, close } = form;
  const tagOpens = form.bodies.flatMap((body) => (body.kind === 'tags' || body.kind === 'elements' ? body.open : []));
  const after = markerSet<unknown>([true, close], [true, open], [true, tagOpens], [true, FENCES], [true, END_TOKENS]);
  const calls = form.bodies.flatMap((body): Markers<InSection>[] => {
    if (body.kind === 'tags') return [[{ kind: 'tags', body, place: tagsPlace(form, body, after) }, body.open]];
    return body.kind === 'elements' ? [[{ kind: 'elements', body, place: elementsPlace(body) }, body.open]] : [];
  });
  const named = find(form, 'named');
  const pairs = find(form, 'pairs');
  return {
    form,
    format: form.format ?? format,
    markers: markerSet<InSection>(
      [{ kind: 'skip' }, form.skip],
      [{ kind: 'close' }, close],
      ...calls,
      [{ kind: 'open' }, open],
      [{ kind: 'skip' }, FENCES],
    ),
    opensBody: new Map(
      calls.flatMap(([meaning, texts = []]) =>
        texts.filter((text) => open.includes(text)).map((text) => [text, meaning] as const),
      ),
    ),
    after,
    named: named && {
      body: named,
      place: { after, stops: markerSet(['brace', ['{']], ['close', close], ['open', open]) },
    },
    pairs: pairs && { body: pairs, place: pairsPlace(form, pairs, after) },
    json: find(form, 'json'),
    routine: find(form, 'routine'),
    python: find(form, 'python') !== undefined,
    code: find(form, 'code') && markerSet<unknown>([true, close], [true, END_TOKENS]),
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

const rawPlace = (form: CallForm, { end, call, callEnd, next, nextEnd }: ValueTags): RawPlace => ({
  inside: markerSet(['end', end], ['callEnd', callEnd], ['call', call], ['next', next], ['close', form.close]),
  closeTags: end,
  follow: markerSet(
    ['close', callEnd],
    ['close', form.close],
    ['open', form.open],
    ['open', call],
    ['open', END_TOKENS],
  ),
  nextEnd: markerSet([true, nextEnd], [false, ['<']]),
});

const tagsPlace = (form: CallForm, body: TagsBody, after: MarkerSet<unknown>): TagsPlace => {
  const { open, openEnd = TAG_END, close, parameter, parameterEnd = TAG_END, parameterClose, literal } = body;
  return {
    headerEnd: markerSet([true, openEnd]),
    parameterEnd: markerSet([true, parameterEnd]),
    between: markerSet<InCall>(
      ['parameter', parameter],
      ['parameterClose', parameterClose],
      ['close', close],
      ['outer', form.close],
      ['open', open],
      ['open', form.open],
    ),
    closeTags: [...parameterClose, ...close],
    value: {
      ...rawPlace(form, { end: parameterClose, call: open, callEnd: close, next: parameter, nextEnd: parameterEnd }),
      trimsNewline: body.trimsNewline === true,
      ...(literal && { literal: { open: markerSet([true, [literal[0]]]), close: markerSet([true, [literal[1]]]) } }),
    },
    after,
  };
};

const pairsPlace = (form: CallForm, body: PairsBody, after: MarkerSet<unknown>): PairsPlace => {
  const { key, keyClose, value, valueClose, nameEnd, type, typeClose } = body;
  return {
    nameStops: markerSet([true, ['\n', '<', '{']], [true, nameEnd]),
    between: markerSet<InCall>(
      ['parameter', key],
      ['value', value],
      ['parameterClose', valueClose],
      ['blank', nameEnd],
      ['end', form.close],
      ['open', form.open],
    ),
    closeTags: [...valueClose, ...(form.close ?? [])],
    keyClose: markerSet([true, keyClose]),
    keyType: markerSet(['type', type], ['value', value], ['blank', nameEnd]),
    typeClose: markerSet([true, typeClose]),
    value: rawPlace(form, { end: valueClose, next: key, nextEnd: keyClose }),
    after,
  };
};

/** A recipient's line, and the arguments behind it. */
export const TOOL_LINE_END = '\n{';
/** None of these stands in a name, so that ordinary text is let go at its first blank. */
const NO_NAME = [...' \t\r\n<{[(,;!?"\'`*'];

export const planFormat = (format: Format): Plan => {
  const { reasoning = [], starts = [] } = format;
  const ends = [...END_TOKENS, ...(format.endTokens ?? [])];
  const channels = (format.channels ?? []).map((form) => planChannels(form, format));
  const calls = format.calls.map((form): Markers<CallMeaning> => {
    const plan = planForm(form, format.name);
    return [{ kind: 'call', plan }, form.open];
  });
  const last: Markers<InAnswer>[] = [
    [{ kind: 'frame' }, format.frame],
    [{ kind: 'end' }, ends],
  ];
  const named: Markers<StartForm | ChannelPlan>[] = [
    ...channels.filter(({ form }) => form.startsWithName).map((one) => [one, one.form.headerEnd] as const),
    ...starts.filter(({ toolLine }) => toolLine).map((one) => [one, ['\n', TOOL_LINE_END]] as const),
  ];
  const insideOf = (forms: readonly ReasoningForm[]): Inside => {
    const close = forms.flatMap((form) => form.close);
    return {
      markers: markerSet<InReasoning>([{ kind: 'close' }, close], ...calls, [{ kind: 'end' }, ends]),
      close: markerSet([true, close]),
    };
  };
  return {
    format,
    answer: markerSet<InAnswer>(
      ...calls,
      ...reasoning.map((form) => [{ kind: 'reasoning', form }, form.open === undefined ? [] : [form.open]] as const),
      ...channels.map((channel) => [{ kind: 'channel', channel }, channel.form.open] as const),
      ...last,
      [{ kind: 'fence' }, [FENCE]],
    ),
    reasoning: new Map([
      [undefined, insideOf(reasoning)],
      ...reasoning.map((form) => [form, insideOf([form])] as const),
    ]),
    tail: markerSet<InAnswer>(...calls, ...last),
    ends: markerSet([true, ends]),
    quotation: markerSet(['fence', [FENCE]], ['end', ends]),
    bare:
      format.bare &&
      planForm({ open: [], bodies: format.bare, many: true, formats: format.bareFormats ?? {} }, format.name),
    channels,
    starts: markerSet<StartForm | ChannelPlan>(
      ...channels.map((one) => [one, one.form.startsWith] as const),
      ...starts.map((one) => [one, one.words] as const),
    ),
    nameStops:
      named.length === 0 ? undefined : markerSet<StartForm | ChannelPlan | 'no name'>(...named, ['no name', NO_NAME]),
  };
};

const planChannels = (form: ChannelForm, format: Format): ChannelPlan => {
  const { open, close, headerEnd, bodies } = form;
  return {
    form,
    format: form.format ?? format.name,
    header: markerSet(['message', headerEnd], ['close', close]),
    message: markerSet(['close', close], ['open', open]),
    call: planForm({ open: form.callOpen ?? [], close: [...(form.callClose ?? []), ...close], bodies }, format.name),
  };
};

/** A format made ready to run: its markers as sets, for every place where markers are looked for. */
import { type ElementsPlace, elementsPlace } from './elements-body.ts';
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
import { type MarkerSet, markerSet } from './markers.ts';
import type { NamedPlace } from './named-body.ts';
import type { InValue, RawPlace } from './raw-value.ts';
import { endOfTag, type InCall, type PairsPlace, type TagsPlace } from './tags-body.ts';

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

/** What a marker means in the answer. */
export type InAnswer =
  | { kind: 'call'; plan: FormPlan }
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
  reasoning: ReadonlyMap<ReasoningForm | undefined, { markers: MarkerSet<InReasoning>; close: MarkerSet<unknown> }>;
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
export type InReasoning = { kind: 'close' } | { kind: 'call'; plan: FormPlan } | { kind: 'end' };

const FENCE = '```';
const FENCE_LANGUAGES = ['json', 'tool_call', 'tool_calls', 'tool_code', 'python', 'xml', 'plaintext', 'text'];
const FENCES = [...FENCE_LANGUAGES.map((language) => FENCE + language), FENCE];

const each = <T>(texts: readonly string[] | undefined, meaning: T): [string, T][] =>
  (texts ?? []).map((text) => [text, meaning]);

const find = <K extends Body['kind']>(form: CallForm, kind: K): Extract<Body, { kind: K }> | undefined =>
  form.bodies.find((body): body is Extract<Body, { kind: K }> => body.kind === kind);

export const planForm = (form: CallForm, format: string): FormPlan => {
  const outer = [...each(form.close, 'close' as const), ...each(form.open, 'open' as const)];
  const ends = each(END_TOKENS, 'close' as const);
  const tagOpens = form.bodies.flatMap((body) => (body.kind === 'tags' || body.kind === 'elements' ? body.open : []));
  const after = markerSet([...outer, ...each(tagOpens, 'open' as const), ...each(FENCES, 'skip' as const), ...ends]);
  const inSection: [string, InSection][] = [
    ...each<InSection>(form.skip, { kind: 'skip' }),
    ...each<InSection>(form.close, { kind: 'close' }),
  ];
  for (const body of form.bodies) {
    if (body.kind === 'tags') {
      inSection.push(...each<InSection>(body.open, { kind: 'tags', body, place: tagsPlace(form, body, after) }));
    } else if (body.kind === 'elements') {
      inSection.push(...each<InSection>(body.open, { kind: 'elements', body, place: elementsPlace(body) }));
    }
  }
  inSection.push(...each<InSection>(form.open, { kind: 'open' }), ...each<InSection>(FENCES, { kind: 'skip' }));
  const named = find(form, 'named');
  const pairs = find(form, 'pairs');
  const stops = markerSet<'brace' | 'open' | 'close'>([['{', 'brace'], ...outer]);
  return {
    form,
    format: form.format ?? format,
    markers: markerSet(inSection),
    opensBody: new Map(
      inSection.filter(([text, { kind }]) => (kind === 'tags' || kind === 'elements') && form.open.includes(text)),
    ),
    after,
    named: named && { body: named, place: { after, stops } },
    pairs: pairs && { body: pairs, place: pairsPlace(form, pairs, after) },
    json: find(form, 'json'),
    routine: find(form, 'routine'),
    python: find(form, 'python') !== undefined,
    code: find(form, 'code') && markerSet([...each(form.close, 'close'), ...ends]),
  };
};

const rawPlace = (
  form: CallForm,
  marks: {
    end: readonly string[];
    call: readonly string[];
    callEnd: readonly string[];
    next: readonly string[];
    nextEnd: readonly string[];
  },
): Omit<RawPlace, 'trimsNewline' | 'literal'> => {
  const close = form.close ?? [];
  return {
    inside: markerSet<InValue>([
      ...each(marks.end, 'end' as const),
      ...each(marks.callEnd, 'callEnd' as const),
      ...each(marks.call, 'call' as const),
      ...each(marks.next, 'next' as const),
      ...each(close, 'close' as const),
    ]),
    closeTags: marks.end,
    follow: markerSet<'close' | 'open'>([
      ...each(marks.callEnd, 'close' as const),
      ...each(close, 'close' as const),
      ...each(form.open, 'open' as const),
      ...each(marks.call, 'open' as const),
      ...each(END_TOKENS, 'open' as const),
    ]),
    nextEnd: markerSet<boolean>([...each(marks.nextEnd, true), ['<', false]]),
  };
};

const tagsPlace = (form: CallForm, body: TagsBody, after: MarkerSet<unknown>): TagsPlace => ({
  headerEnd: endOfTag(body.openEnd),
  parameterEnd: endOfTag(body.parameterEnd),
  between: markerSet<InCall>([
    ...each(body.parameter, 'parameter' as const),
    ...each(body.parameterClose, 'parameterClose' as const),
    ...each(body.close, 'close' as const),
    ...each(form.close, 'outer' as const),
    ...each(body.open, 'open' as const),
    ...each(form.open, 'open' as const),
  ]),
  closeTags: [...body.parameterClose, ...body.close],
  value: {
    ...rawPlace(form, {
      end: body.parameterClose,
      call: body.open,
      callEnd: body.close,
      next: body.parameter,
      nextEnd: body.parameterEnd,
    }),
    trimsNewline: body.trimsNewline === true,
    ...(body.literal && { literal: { open: endOfTag([body.literal[0]]), close: endOfTag([body.literal[1]]) } }),
  },
  after,
});

const pairsPlace = (form: CallForm, body: PairsBody, after: MarkerSet<unknown>): PairsPlace => ({
  nameStops: markerSet(['\n', '<', '{', ...(body.nameEnd ?? [])].map((text) => [text, true])),
  between: markerSet<InCall>([
    ...each(body.key, 'parameter' as const),
    ...each(body.value, 'value' as const),
    ...each(body.valueClose, 'parameterClose' as const),
    ...each(body.nameEnd, 'blank' as const),
    ...each(form.close, 'end' as const),
    ...each(form.open, 'open' as const),
  ]),
  closeTags: [...body.valueClose, ...(form.close ?? [])],
  keyClose: endOfTag(body.keyClose),
  keyType: markerSet<'type' | 'value' | 'blank'>([
    ...each(body.type, 'type' as const),
    ...each(body.value, 'value' as const),
    ...each(body.nameEnd, 'blank' as const),
  ]),
  typeClose: endOfTag(body.typeClose ?? []),
  value: {
    ...rawPlace(form, { end: body.valueClose, call: [], callEnd: [], next: body.key, nextEnd: body.keyClose }),
    trimsNewline: false,
  },
  after,
});

/** A recipient's line, and the arguments behind it. */
export const TOOL_LINE_END = '\n{';
/** None of these stands in a name, so that ordinary text is let go at its first blank. */
const NO_NAME: readonly [string, 'no name'][] = [...' \t\r\n<{[(,;!?"\'`*'].map((char) => [char, 'no name']);

export const planFormat = (format: Format): Plan => {
  const forms = format.calls.map((form) => planForm(form, format.name));
  const ends = [...END_TOKENS, ...(format.endTokens ?? [])];
  const calls = forms.flatMap((plan) => each<InAnswer>(plan.form.open, { kind: 'call', plan }));
  const reasoning = format.reasoning ?? [];
  const channels = (format.channels ?? []).map((form) => planChannels(form, format));
  const starts = format.starts ?? [];
  const named: [string, StartForm | ChannelPlan][] = [
    ...channels.flatMap((channel) =>
      channel.form.startsWithName === true ? each(channel.form.headerEnd, channel) : [],
    ),
    ...starts.flatMap((start) => (start.toolLine === true ? each(['\n', TOOL_LINE_END], start) : [])),
  ];
  const answer: [string, InAnswer][] = [
    ...calls,
    ...reasoning.flatMap((form) =>
      each<InAnswer>(form.open === undefined ? [] : [form.open], { kind: 'reasoning', form }),
    ),
    ...each<InAnswer>(format.frame, { kind: 'frame' }),
    ...channels.flatMap((channel) => each<InAnswer>(channel.form.open, { kind: 'channel', channel })),
    ...each<InAnswer>(ends, { kind: 'end' }),
  ];
  return {
    format,
    answer: markerSet([...answer, [FENCE, { kind: 'fence' }]]),
    reasoning: new Map(
      [undefined, ...reasoning].map((form) => [
        form,
        planReasoning(form === undefined ? reasoning : [form], calls, ends),
      ]),
    ),
    tail: markerSet(answer.filter(([, { kind }]) => kind === 'call' || kind === 'end' || kind === 'frame')),
    ends: markerSet(each(ends, true)),
    quotation: markerSet<'fence' | 'end'>([[FENCE, 'fence'], ...each(ends, 'end' as const)]),
    bare:
      format.bare === undefined
        ? undefined
        : planForm({ open: [], bodies: format.bare, many: true, formats: format.bareFormats ?? {} }, format.name),
    channels,
    starts: markerSet<StartForm | ChannelPlan>([
      ...channels.flatMap((channel) => each(channel.form.startsWith, channel)),
      ...starts.flatMap((start) => each(start.words, start)),
    ]),
    nameStops: named.length === 0 ? undefined : markerSet<StartForm | ChannelPlan | 'no name'>([...named, ...NO_NAME]),
  };
};

const planReasoning = (
  forms: readonly ReasoningForm[],
  calls: [string, InAnswer][],
  ends: readonly string[],
): { markers: MarkerSet<InReasoning>; close: MarkerSet<unknown> } => {
  const close = forms.flatMap((form) => each<InReasoning>(form.close, { kind: 'close' }));
  const inner = calls.filter(
    (entry): entry is [string, Extract<InAnswer, { kind: 'call' }>] => entry[1].kind === 'call',
  );
  return {
    markers: markerSet<InReasoning>([...close, ...inner, ...each<InReasoning>(ends, { kind: 'end' })]),
    close: markerSet(close),
  };
};

const planChannels = (form: ChannelForm, format: Format): ChannelPlan => ({
  form,
  format: form.format ?? format.name,
  header: markerSet<'message' | 'close'>([
    ...each(form.headerEnd, 'message' as const),
    ...each(form.close, 'close' as const),
  ]),
  message: markerSet<'close' | 'open'>([...each(form.close, 'close' as const), ...each(form.open, 'open' as const)]),
  call: planForm(
    { open: form.callOpen ?? [], close: [...(form.callClose ?? []), ...form.close], bodies: form.bodies },
    format.name,
  ),
});

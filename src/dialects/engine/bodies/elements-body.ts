/** X2: arguments as elements named by their keys, one inside the other, every tag behind a prefix of its own. */

import type { JsonSchema } from '../../../core/json.ts';
import { DIALECT_LIMITS } from '../../../core/limits/dialect-limits.ts';
import type { CallWriter } from '../call-writer.ts';
import { convertRaw, entrySchema, isPlainString, itemSchema } from '../conversion.ts';
import type { Core } from '../core.ts';
import { type ElementsBody, END_TOKENS } from '../grammar.ts';
import { type MarkerSet, markerSet } from '../markers.ts';
import type { Routine } from '../scanner.ts';
import type { Reading, Site } from '../site.ts';
import { isDamaged } from './close-tag.ts';
import { behindEnd, endsLater, type RawPlace, type Values } from './raw-value.ts';
import { isParameterName, readTagHeader } from './tag-header.ts';

export type ElementsPlace = {
  tag: MarkerSet<unknown>;
  headerEnd: MarkerSet<unknown>;
  /** What decides whether a close tag is that of a value with this key. */
  behind: (key: string) => Pick<RawPlace, 'behind' | 'nextEnd'>;
};

type Element = { key: string; schema: JsonSchema | undefined; text: string; children: { key: string; json: string }[] };

const CALL = 'invoke';
const OPENS_CALL = /^(?:invoke[\s=]|tool_call$)/;
/** The call's own element, and the one around all calls. */
const AROUND = [CALL, 'tool_call'];
const ITEM = 'item';

export const elementsPlace = ({ prefix, open }: ElementsBody): ElementsPlace => {
  const nextEnd = markerSet([true, ['>']], [false, ['<']]);
  return {
    tag: markerSet([true, [`${prefix}<`]]),
    headerEnd: markerSet([true, ['>']]),
    behind: (key) => ({
      behind: markerSet(
        ['end', [`${prefix}</${key}>`]],
        ['close', AROUND.map((name) => `${prefix}</${name}>`)],
        ['open', open],
        ['open', END_TOKENS],
        ['next', [`${prefix}<`]],
      ),
      nextEnd,
    }),
  };
};

/** Behind the opening marker of the call's element. */
export function* elementsCall(site: Site, place: ElementsPlace): Routine<Reading> {
  const { core } = site;
  const header = yield* readTag(site, place);
  if (header === undefined) return core.ended ? 'cut' : 'none';
  const { name } = readTagHeader(header);
  const writer = site.mayName(name) ? site.begin(name) : undefined;
  if (writer === undefined) return 'none';
  const open: Element[] = [];
  let streaming = false;
  let stray = '';
  const value: Value = { depth: 0, holdsEnd: false, opened: false };
  for (;;) {
    const current = open[open.length - 1];
    const pass = (piece: string): void => {
      if (streaming) writer.raw(piece);
      else if (current === undefined) stray += piece;
      else current.text += piece;
    };
    const tag = yield* core.until(place.tag, pass);
    if (tag.found === undefined) return 'cut';
    if (stray.trim() !== '') {
      if (stray.includes('<')) return 'malformed';
      writer.repaired('stray_text');
    }
    const written = yield* readTag(site, place);
    if (written === undefined) return core.ended ? 'cut' : 'malformed';
    const text = written.trim();
    if (open.length === 1 && current?.children.length === 0) {
      const begun = streaming || current.text.trim() !== '';
      const meant = yield* asText(core, writer, place, value, {
        key: current.key,
        begun,
        marker: tag.found.text,
        written,
      });
      if (meant === 'unclear') return 'malformed';
      if (meant !== undefined) {
        pass(meant.text);
        continue;
      }
    }
    if (text.startsWith('/')) {
      const reading = closed(open, writer, text.slice(1), streaming);
      if (reading !== undefined) return reading === 'call' ? site.finish() : reading;
      if (open.length === 0) streaming = false;
      continue;
    }
    // Text and elements in one value show that a tag before them was damaged.
    const mixed = streaming || (current !== undefined && current.text.trim() !== '');
    if (mixed || !isParameterName(text) || open.length >= DIALECT_LIMITS.depth) return 'malformed';
    const schema = current === undefined ? writer.parameter(text) : schemaWithin(current, text);
    open.push({ key: text, schema, text: '', children: [] });
    value.depth = 0;
    value.holdsEnd = false;
    streaming = open.length === 1 && schema !== undefined && isPlainString(schema);
    if (streaming) writer.rawProperty(text);
  }
}

/** The value being read: calls that began in it, and whether it holds its own close tag. */
type Value = Values & { depth: number; holdsEnd: boolean };
type TagInValue = { key: string; begun: boolean; marker: string; written: string };

/** A tag inside an argument, where it is text of it. */
function* asText(
  core: Core,
  writer: CallWriter,
  place: ElementsPlace,
  value: Value,
  { key, begun, marker, written }: TagInValue,
): Routine<{ text: string } | 'unclear' | undefined> {
  const name = written.trim();
  if (name === `/${key}`) {
    const { verdict, closings, read } = yield* behindEnd(core, writer, place.behind(key), value);
    if (verdict === 'text') {
      if (closings > 0 && value.depth === 0 && value.opened) return 'unclear';
      value.holdsEnd = true;
      value.depth = Math.max(0, value.depth - closings);
      return { text: `${marker}${written}>${read}` };
    }
    core.putBack(read);
    value.opened ||= value.depth > 0;
    return verdict === 'unclear' ? 'unclear' : undefined;
  }
  if (!begun) return undefined;
  if (!name.startsWith('/') && written.includes('<')) {
    // The tag has no end: the next one begins in it.
    core.putBack(`${written}>`);
    return { text: marker };
  }
  const opens = OPENS_CALL.test(name);
  const closes = AROUND.includes(name.slice(1));
  if (!opens && value.depth === 0 && !(closes && (yield* endsLater(core, place.behind(key))))) return undefined;
  if (opens) value.depth++;
  else if (closes) value.depth = Math.max(0, value.depth - 1);
  return { text: `${marker}${written}>` };
}

function* readTag(site: Site, place: ElementsPlace): Routine<string | undefined> {
  const { head, found } = yield* site.core.head(place.headerEnd);
  return found && head;
}

/** Closes elements up to the one that is named; `call` where that is the call itself, or what is around it. */
const closed = (open: Element[], writer: CallWriter, key: string, streaming: boolean): Reading | undefined => {
  let at = open.findLastIndex((element) => element.key === key);
  const over = at < 0 && AROUND.includes(key);
  if (at < 0 && !over) {
    at = open.length - 1;
    const inner = open[at];
    if (inner === undefined || !isDamaged(`</${key}>`, [`</${inner.key}>`])) return 'malformed';
    writer.repaired('damaged_close_tag');
    key = inner.key;
  }
  while (open.length > Math.max(at, 0)) {
    const element = open.pop() as Element;
    if (element.children.length > 0 && element.text.trim() !== '') return 'malformed';
    if (over || element.key !== key) writer.repaired('missing_close_tag');
    const outer = open[open.length - 1];
    if (outer !== undefined) outer.children.push({ key: element.key, json: jsonOf(element) });
    else if (streaming) writer.endRaw();
    else writer.json(element.key, jsonOf(element));
  }
  return over ? 'call' : undefined;
};

const schemaWithin = ({ schema, children }: Element, key: string): JsonSchema | undefined =>
  (key === ITEM ? itemSchema(schema, children.length) : undefined) ?? entrySchema(schema, key);

const jsonOf = ({ schema, text, children }: Element): string => {
  if (children.length === 0) {
    const empty = text.trim() === '' ? schema?.['type'] : undefined;
    return empty === 'array' ? '[]' : empty === 'object' ? '{}' : convertRaw(text, schema);
  }
  if (schema?.['type'] === 'array' || children.every(({ key }) => key === ITEM)) {
    return `[${children.map(({ json }) => json).join(',')}]`;
  }
  return `{${children.map(({ key, json }) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
};

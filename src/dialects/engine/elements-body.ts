/** X2: arguments as elements named by their keys, one inside the other, every tag behind a prefix of its own. */

import { DIALECT_LIMITS } from '../../core/dialect-limits.ts';
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import type { CallWriter } from './call-writer.ts';
import { convertRaw, isPlainString } from './conversion.ts';
import type { ElementsBody } from './format.ts';
import { type MarkerSet, markerSet } from './markers.ts';
import { isName } from './output.ts';
import type { Routine } from './scanner.ts';
import type { Reading, Site } from './site.ts';
import { readTagHeader } from './tag-header.ts';

export type ElementsPlace = { tag: MarkerSet<unknown>; headerEnd: MarkerSet<unknown> };

type Element = { key: string; schema: JsonSchema | undefined; text: string; children: { key: string; json: string }[] };

const CALL_ELEMENT = 'invoke';
const ITEM = 'item';

export const elementsPlace = (body: ElementsBody): ElementsPlace => ({
  tag: markerSet([[`${body.prefix}<`, true]]),
  headerEnd: markerSet([['>', true]]),
});

/** Behind the opening marker of the call's element. */
export function* elementsCall(site: Site, place: ElementsPlace): Routine<Reading> {
  const { core } = site;
  let header = '';
  const opened = yield* core.until(place.headerEnd, (piece) => (header += piece), DIALECT_LIMITS.headerCharacters);
  if (opened.found === undefined) return core.ended ? 'cut' : 'none';
  const { name } = readTagHeader(header);
  const writer = isName(name) ? site.begin(name) : undefined;
  if (writer === undefined) return 'none';
  const open: Element[] = [];
  let streaming = false;
  for (;;) {
    const current = open[open.length - 1];
    const pass = (piece: string): void => {
      if (streaming) writer.raw(piece);
      else if (current !== undefined) current.text += piece;
    };
    const tag = yield* core.until(place.tag, pass);
    if (tag.found === undefined) return 'cut';
    let text = '';
    const end = yield* core.until(place.headerEnd, (piece) => (text += piece), DIALECT_LIMITS.headerCharacters);
    if (end.found === undefined) return core.ended ? 'cut' : 'malformed';
    if (text.startsWith('/')) {
      if (closes(open, writer, text.slice(1).trim(), streaming)) return site.finish();
      if (open.length === 0) streaming = false;
      continue;
    }
    if (open.length >= DIALECT_LIMITS.depth) return 'malformed';
    const key = text.trim();
    const schema = current === undefined ? writer.parameter(key) : schemaWithin(current.schema, key);
    open.push({ key, schema, text: '', children: [] });
    streaming = open.length === 1 && schema !== undefined && isPlainString(schema);
    if (streaming) writer.rawProperty(key);
  }
}

/** Closes elements up to the one that is named; true where that is the call itself, or what is around it. */
const closes = (open: Element[], writer: CallWriter, key: string, streaming: boolean): boolean => {
  const at = open.findLastIndex((element) => element.key === key);
  const over = at < 0 && (key === CALL_ELEMENT || open.length === 0);
  if (at < 0 && !over) return false;
  while (open.length > Math.max(at, 0)) {
    const element = open.pop() as Element;
    if (over || element.key !== key) writer.repaired('missing_close_tag', 'the close tag of a value was missing');
    const outer = open[open.length - 1];
    if (outer !== undefined) outer.children.push({ key: element.key, json: jsonOf(element) });
    else if (streaming) writer.endRaw();
    else writer.json(element.key, jsonOf(element));
  }
  return over;
};

const isSchema = (value: JsonValue | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemaWithin = (schema: JsonSchema | undefined, key: string): JsonSchema | undefined => {
  const { items, properties } = schema ?? {};
  if (key === ITEM && isSchema(items)) return items;
  const property = isSchema(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isSchema(property) ? property : undefined;
};

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

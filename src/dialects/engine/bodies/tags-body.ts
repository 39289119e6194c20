/** X1: an element for the call, and in it elements for the arguments. */

import type { JsonSchema } from '../../../core/json.ts';
import type { CallWriter } from '../call-writer.ts';
import { mayBeString } from '../conversion.ts';
import { decodeEntities } from '../entities.ts';
import type { PairsBody, TagsBody } from '../grammar.ts';
import type { MarkerNode, MarkerSet } from '../markers.ts';
import type { Routine } from '../scanner.ts';
import type { Reading, Site } from '../site.ts';
import { withoutTicks } from '../tools.ts';
import { isDamaged } from './close-tag.ts';
import { jsonArguments } from './json-body.ts';
import { type RawPlace, rawValue, type Values } from './raw-value.ts';
import { isParameterName, readTagHeader, type TagHeader } from './tag-header.ts';

const OPEN_BRACE = 123;
const QUOTE = 34;

/**
 * What may stand between the elements of a call. `close` ends the call; `end` does so too and is its wrapper's as well;
 * at `outer` and `open`, which are others', the close tag was forgotten.
 */
export type InCall = 'parameter' | 'parameterClose' | 'value' | 'blank' | 'close' | 'end' | 'outer' | 'open';

export type CallPlace = {
  between: MarkerSet<InCall>;
  /** The close tags of the call and of its parameters. */
  closeTags: readonly string[];
  value: RawPlace;
  after: MarkerSet<unknown>;
};

export type TagsPlace = CallPlace & { headerEnd: MarkerSet<'end' | 'brace'>; parameterEnd: MarkerSet<unknown> };

type Parameter = { name: string; schema: JsonSchema | undefined };

/** Behind the opening marker of the call's element. */
export function* tagsCall(site: Site, body: TagsBody, place: TagsPlace): Routine<Reading> {
  const header = yield* readHeader(site, place.headerEnd, body.entities);
  if (header === undefined) return site.core.ended ? 'cut' : 'none';
  return yield* elements(site, header.name, place, (writer, marker) => parameter(site, writer, marker, body, place));
}

/** The elements of a call of this name, up to its end. */
function* elements(
  site: Site,
  name: string,
  place: CallPlace,
  parameterOf: (writer: CallWriter, marker: string) => Routine<Parameter | Reading>,
): Routine<Reading> {
  const { core } = site;
  if (!site.mayName(name) || !site.known(name)) return 'none';
  const values: Values = { opened: false };
  for (;;) {
    const { next } = yield* core.space();
    if (next < 0) return 'cut';
    const isJson = next === OPEN_BRACE || (next === QUOTE && core.offers.get(core.offers.resolve(name)) !== undefined);
    if (isJson && site.writer === undefined) return yield* jsonInElement(site, name, place, next === QUOTE);
    const tag = yield* nextTag(site, place);
    if (typeof tag === 'string') return tag;
    const { meaning, text } = tag.node;
    if (meaning === 'blank') continue;
    if (meaning === 'parameterClose') {
      site.writer?.repaired('doubled_close_tag');
      continue;
    }
    if (site.writer === undefined && (meaning === 'open' || meaning === 'value')) return 'none';
    const writer = site.writer ?? (site.begin(name) as CallWriter);
    if (tag.stray) writer.repaired('stray_text');
    if (meaning === 'value') return 'malformed';
    if (meaning !== 'parameter') {
      if (meaning !== 'close') core.putBack(text);
      if (meaning === 'outer' || meaning === 'open') {
        writer.repaired('missing_close_tag');
      }
      return site.finish();
    }
    const read = yield* parameterOf(writer, text);
    if (typeof read === 'string') return read;
    const key = keyOf(read.name, writer);
    if (!isParameterName(key) && writer.parameter(key) === undefined) return 'malformed';
    writer.rawProperty(key, read.schema ?? writer.parameter(key));
    const reading = yield* rawValue(core, writer, place.value, values);
    if (reading !== 'call') return reading;
  }
}

/** Entities stand for their characters where the tool has a parameter of that name. */
const keyOf = (written: string, writer: CallWriter): string => {
  const decoded = decodeEntities(written);
  return writer.parameter(written) === undefined && writer.parameter(decoded) !== undefined ? decoded : written;
};

/** Text that holds one of these may be an argument, or what is left of one. */
const MAY_BE_ARGUMENT = /[<{=]/;

/** The next tag of the call. Text before it is left out, if no argument can be lost with it. */
function* nextTag(site: Site, place: CallPlace): Routine<{ node: MarkerNode<InCall>; stray: boolean } | Reading> {
  const { core } = site;
  const match = yield* core.match(place.between);
  if (match.found !== undefined) return { node: match.found, stray: false };
  if (match.partial) return 'cut';
  const { head, found } = yield* core.head(place.between);
  const meaning = found?.meaning;
  if (site.writer === undefined && meaning !== 'parameter') return 'none';
  if (found === undefined) return core.ended ? 'cut' : 'malformed';
  const next = head.trim();
  if (
    site.writer !== undefined &&
    (meaning === 'parameter' || meaning === 'blank') &&
    core.offers.get(core.offers.resolve(next))
  ) {
    // The name of another call, which needs no marker of its own.
    core.putBack(head + found.text);
    return site.finish();
  }
  const harmless = !MAY_BE_ARGUMENT.test(head) || isDamaged(head.trim(), place.closeTags);
  if (!harmless || meaning === 'parameterClose' || meaning === 'value') return brokenAt(site);
  return { node: found, stray: true };
}

const brokenAt = (site: Site): Reading => (site.writer === undefined ? 'none' : 'malformed');

function* readHeader(site: Site, end: MarkerSet<unknown>, entities = true): Routine<TagHeader | undefined> {
  const { head, found } = yield* site.core.head(end);
  // The tag lost its end, and the arguments follow.
  if (found?.meaning === 'brace') site.core.putBack(found.text);
  return found && readTagHeader(head, entities);
}

/** `{…}` in place of elements; the call's close tag follows, or is forgotten. */
function* jsonInElement(site: Site, name: string, place: CallPlace, opened: boolean): Routine<Reading> {
  const writer = site.begin(name) as CallWriter;
  if (opened) writer.repaired('missing_opener');
  site.form('json in tags');
  const reading = yield* jsonArguments(site, writer, place, { opened });
  if (reading !== 'call') return reading;
  yield* site.core.space();
  const match = yield* site.core.match(place.between);
  if (match.found !== undefined && match.found.meaning !== 'close') site.core.putBack(match.found.text);
  return 'call';
}

function* parameter(
  site: Site,
  writer: CallWriter,
  marker: string,
  body: TagsBody,
  place: TagsPlace,
): Routine<Parameter | Reading> {
  const header = yield* readHeader(site, place.parameterEnd, body.entities);
  if (header === undefined) return site.core.ended ? 'cut' : 'malformed';
  // Only behind `<parameter=` a name stands alone.
  const name = header.attributes.size > 0 || marker.endsWith('=') ? header.name : '';
  return { name, schema: typeOf(header, writer.parameter(header.name)) };
}

/** Some dialects say in the tag whether the value is a string; the others leave it to the tool's schema. */
const typeOf = ({ attributes }: TagHeader, schema: JsonSchema | undefined): JsonSchema | undefined => {
  const string = attributes.get('string');
  const type = attributes.get('type') ?? (string === 'true' ? 'string' : string === 'false' ? 'json' : undefined);
  if (type === undefined || (type === 'string' && schema !== undefined && !mayBeString(schema))) return schema;
  return schemaOfType(type);
};

const schemaOfType = (type: string): JsonSchema => ({
  type: type === 'string' ? 'string' : ['object', 'array', 'number', 'boolean', 'null'],
});

// GLM's way.

export type PairsPlace = CallPlace & {
  nameStops: MarkerSet<unknown>;
  keyClose: MarkerSet<unknown>;
  keyType: MarkerSet<'type' | 'value' | 'blank'>;
  typeClose: MarkerSet<unknown>;
};

/** The first character of the name comes next. */
export function* pairsCall(site: Site, body: PairsBody, place: PairsPlace): Routine<Reading> {
  const { core } = site;
  const { head, found } = yield* core.head(place.nameStops);
  if (found === undefined) return core.ended ? 'cut' : 'none';
  core.putBack(found.text);
  site.form(found.text);
  // A word between two markers that has blanks around it is running prose.
  if (head.endsWith(' ')) {
    const match = yield* core.match(place.between);
    if (match.found?.meaning === 'end') return 'none';
    core.putBack(match.found?.text ?? '');
  }
  return yield* elements(site, withoutTicks(head.trim()), place, () => pair(site, body, place));
}

function* pair(site: Site, body: PairsBody, place: PairsPlace): Routine<Parameter | Reading> {
  const { core } = site;
  const { head: key, found } = yield* core.head(place.keyClose);
  if (found === undefined) return core.ended ? 'cut' : 'malformed';
  let schema: JsonSchema | undefined;
  for (;;) {
    yield* core.space();
    const match = yield* core.match(place.keyType);
    if (match.found === undefined) return core.ended ? 'cut' : 'malformed';
    if (match.found.meaning === 'value') break;
    if (match.found.meaning === 'blank') continue;
    const { head: type, found: end } = yield* core.head(place.typeClose);
    if (end === undefined) return core.ended ? 'cut' : 'malformed';
    if (body.type !== undefined) schema = schemaOfType(type.trim());
  }
  return { name: key.trim(), schema };
}

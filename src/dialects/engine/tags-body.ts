/** X1: an element for the call, and in it an element for each argument. */

import { DIALECT_LIMITS } from '../../core/dialect-limits.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { CallWriter } from './call-writer.ts';
import { mayBeString } from './conversion.ts';
import type { PairsBody, TagsBody } from './format.ts';
import { jsonArguments } from './json-body.ts';
import { type MarkerSet, markerSet } from './markers.ts';
import { isName } from './output.ts';
import { type RawPlace, rawValue } from './raw-value.ts';
import type { Routine } from './scanner.ts';
import type { Reading, Site } from './site.ts';
import { readTagHeader, type TagHeader } from './tag-header.ts';

const OPEN_BRACE = 123;

/** What may stand between the elements of a call. */
export type BetweenTags = 'parameter' | 'parameterClose' | 'close' | 'outer' | 'open';

export type TagsPlace = {
  headerEnd: MarkerSet<unknown>;
  parameterEnd: MarkerSet<unknown>;
  between: MarkerSet<BetweenTags>;
  value: RawPlace;
  after: MarkerSet<unknown>;
};

/** Behind the opening marker of the call's element. */
export function* tagsCall(site: Site, body: TagsBody, place: TagsPlace): Routine<Reading> {
  const { core } = site;
  const header = yield* readHeader(site, place.headerEnd, body.entities);
  if (header === undefined) return core.ended ? 'cut' : 'none';
  if (!isName(header.name) || !site.known(header.name)) return 'none';
  for (;;) {
    const { next } = yield* core.space();
    if (next < 0) return 'cut';
    if (next === OPEN_BRACE && site.writer === undefined) {
      const writer = site.begin(header.name) as CallWriter;
      return yield* jsonInElement(site, writer, place);
    }
    const match = yield* core.match(place.between);
    const meaning = match.found?.meaning;
    if (meaning === undefined) return match.partial ? 'cut' : elementBroken(site);
    if (meaning === 'parameterClose') {
      site.writer?.repaired('doubled_close_tag', 'a close tag too many was left out');
      continue;
    }
    if (meaning === 'open') core.putBack(match.found?.text ?? '');
    if (meaning === 'open' && site.writer === undefined) return 'none';
    const writer = site.writer ?? (site.begin(header.name) as CallWriter);
    if (meaning === 'close') return site.finish();
    if (meaning === 'parameter') {
      const result = yield* parameter(site, writer, body, place);
      if (result !== 'call') return result;
      continue;
    }
    // The wrapper ends or the next call begins, though this one was not closed.
    if (meaning === 'outer') core.putBack(match.found?.text ?? '');
    writer.repaired('missing_close_tag', 'the close tag of the call was missing');
    return site.finish();
  }
}

const elementBroken = (site: Site): Reading => (site.writer === undefined ? 'none' : 'malformed');

function* readHeader(site: Site, end: MarkerSet<unknown>, entities = false): Routine<TagHeader | undefined> {
  let text = '';
  const scan = yield* site.core.until(end, (piece) => (text += piece), DIALECT_LIMITS.headerCharacters);
  return scan.found === undefined ? undefined : readTagHeader(text, entities);
}

/** `{…}` in place of elements; the call's close tag follows, or is forgotten. */
function* jsonInElement(site: Site, writer: CallWriter, place: TagsPlace): Routine<Reading> {
  const reading = yield* jsonArguments(site, writer, place);
  if (reading !== 'call') return reading;
  yield* site.core.space();
  const match = yield* site.core.match(place.between);
  if (match.found !== undefined && match.found.meaning !== 'close') site.core.putBack(match.found.text);
  return 'call';
}

function* parameter(site: Site, writer: CallWriter, body: TagsBody, place: TagsPlace): Routine<Reading> {
  const header = yield* readHeader(site, place.parameterEnd, body.entities);
  if (header === undefined) return site.core.ended ? 'cut' : 'malformed';
  writer.rawProperty(header.name, typeOf(header, writer.parameter(header.name)));
  return (yield* rawValue(site.core, writer, place.value)) ? 'call' : 'cut';
}

/** Some formats say in the tag whether the value is a string; the others leave it to the tool's schema. */
const typeOf = ({ attributes }: TagHeader, schema: JsonSchema | undefined): JsonSchema | undefined => {
  const string = attributes.get('string');
  const type = attributes.get('type') ?? (string === 'true' ? 'string' : string === 'false' ? 'json' : undefined);
  if (type === undefined || (type === 'string' && schema !== undefined && !mayBeString(schema))) return schema;
  return schemaOfType(type);
};

export const schemaOfType = (type: string): JsonSchema => ({
  type: type === 'string' ? 'string' : ['object', 'array', 'number', 'boolean', 'null'],
});

// GLM's way.

export type BetweenPairs = 'key' | 'value' | 'valueClose' | 'nameEnd' | 'close' | 'open';

export type PairsPlace = {
  nameStops: MarkerSet<unknown>;
  between: MarkerSet<BetweenPairs>;
  keyClose: MarkerSet<unknown>;
  keyType: MarkerSet<'type' | 'value' | 'blank'>;
  typeClose: MarkerSet<unknown>;
  value: RawPlace;
};

/** The first character of the name comes next. */
export function* pairsCall(site: Site, body: PairsBody, place: PairsPlace): Routine<Reading> {
  const { core } = site;
  let head = '';
  const stop = yield* core.until(place.nameStops, (piece) => (head += piece), DIALECT_LIMITS.headerCharacters);
  if (stop.found === undefined) return core.ended ? 'cut' : 'none';
  core.putBack(stop.found.text);
  const name = head.trim();
  if (!isName(name) || !site.known(name)) return 'none';
  for (;;) {
    const { next } = yield* core.space();
    if (next < 0) return 'cut';
    const match = yield* core.match(place.between);
    const meaning = match.found?.meaning;
    if (meaning === undefined) return match.partial ? 'cut' : elementBroken(site);
    if (meaning === 'nameEnd') continue;
    if (meaning === 'valueClose') {
      site.writer?.repaired('doubled_close_tag', 'a close tag too many was left out');
      continue;
    }
    if (meaning === 'open' || (meaning === 'value' && site.writer === undefined)) {
      core.putBack(match.found?.text ?? '');
      if (site.writer === undefined) return 'none';
      site.writer.repaired('missing_close_tag', 'the close tag of the call was missing');
      return site.finish();
    }
    // A word between two markers that has blanks around it is running prose.
    if (meaning === 'close' && site.writer === undefined && head.endsWith(' ')) return 'none';
    const writer = site.writer ?? (site.begin(name) as CallWriter);
    if (meaning === 'close') {
      core.putBack(match.found?.text ?? '');
      return site.finish();
    }
    if (meaning === 'value') return 'malformed';
    const result = yield* pair(site, writer, body, place);
    if (result !== 'call') return result;
  }
}

function* pair(site: Site, writer: CallWriter, body: PairsBody, place: PairsPlace): Routine<Reading> {
  const { core } = site;
  let key = '';
  const closed = yield* core.until(place.keyClose, (piece) => (key += piece), DIALECT_LIMITS.headerCharacters);
  if (closed.found === undefined) return core.ended ? 'cut' : 'malformed';
  let schema: JsonSchema | undefined;
  for (;;) {
    yield* core.space();
    const match = yield* core.match(place.keyType);
    if (match.found === undefined) return core.ended ? 'cut' : 'malformed';
    if (match.found.meaning === 'value') break;
    if (match.found.meaning === 'blank') continue;
    let type = '';
    const end = yield* core.until(place.typeClose, (piece) => (type += piece), DIALECT_LIMITS.headerCharacters);
    if (end.found === undefined) return core.ended ? 'cut' : 'malformed';
    if (body.type !== undefined) schema = schemaOfType(type.trim());
  }
  writer.rawProperty(key.trim(), schema);
  return (yield* rawValue(core, writer, place.value)) ? 'call' : 'cut';
}

export const endOfTag = (ends: readonly string[]): MarkerSet<unknown> => markerSet(ends.map((end) => [end, true]));

/** J3, G and P: a name, and behind it the arguments. */
import { argumentsOf, argumentsSink } from '../call-object.ts';
import { typesOf } from '../conversion.ts';
import type { NamedBody } from '../grammar.ts';
import { jsonText, noteRepair, parseStrictly } from '../lenient.ts';
import { type MarkerSet, markerSet } from '../markers.ts';
import { isName } from '../output.ts';
import type { Routine } from '../scanner.ts';
import type { Reading, Site } from '../site.ts';
import { withoutTicks } from '../tools.ts';
import { ValueScanner } from '../value-scanner.ts';
import { emptyArguments, jsonArguments } from './json-body.ts';
import { type BehindMark, markedValue } from './marked-value.ts';

export type NamedPlace = {
  after: MarkerSet<unknown>;
  /** What ends the head: `{`, and every marker of the syntax. */
  stops: MarkerSet<'brace' | 'quote' | 'open' | 'close'>;
  behindMark: BehindMark;
};

/** `follows`: there is no marker before it, since it stands behind another call. */
export function* namedCall(site: Site, body: NamedBody, place: NamedPlace, follows = false): Routine<Reading> {
  const { core } = site;
  const { head, found } = yield* core.head(place.stops);
  const stop = found?.meaning;
  if (follows && !mayFollow(site, head)) {
    core.putBack(found?.text ?? '');
    return 'none';
  }
  if (stop === undefined) return core.ended && mayBecomeHead(head) ? 'cut' : 'none';
  core.putBack(found?.text ?? '');
  const read = stop === 'open' ? undefined : body.head(head);
  if (stop === 'quote') return yield* bracelessCall(site, read, place, body);
  if (read === undefined) return 'none';
  const meant = { ...read, name: withoutTicks(read.name) };
  if (meant.name === '' && stop === 'brace') return yield* namelessCall(site, meant.id, body, place);
  if (!site.mayName(meant.name)) return 'none';
  const writer = site.begin(meant.name, meant.id);
  if (writer === undefined) return 'none';
  site.form(meant.form);
  if (stop === 'close') return emptyArguments(site, writer);
  return yield* jsonArguments(site, writer, place, body.value);
}

/** Behind a call a word is a name only where marks say so, or where there is such a tool. */
const mayFollow = ({ core }: Site, head: string): boolean => {
  const name = head.trim();
  if (/[<[|]/.test(name)) return true;
  const { offers } = core;
  return offers.unknown
    ? isName(name) && !/[.:]$/.test(name) && head === name
    : offers.begins(name) || offers.get(offers.resolve(name)) !== undefined;
};

/** The first key stands where the bracket before it was lost. In other words a quotation mark shows that it is prose. */
function* bracelessCall(
  site: Site,
  read: ReturnType<NamedBody['head']>,
  place: NamedPlace,
  body: NamedBody,
): Routine<Reading> {
  const { core } = site;
  const name = read && withoutTicks(read.name);
  if (name === undefined || core.offers.get(core.offers.resolve(name)) === undefined) return 'none';
  const writer = site.begin(name, read?.id);
  if (writer === undefined) return 'none';
  writer.repaired('missing_opener');
  return yield* jsonArguments(site, writer, place, { ...body.value, opened: true });
}

/** Cut off, what stands behind the marker may have become a name; several words are running text. */
const mayBecomeHead = (head: string): boolean => {
  const [first = ''] = head.trim().split(/[<[]/);
  return !first.trim().includes(' ');
};

/** The name was lost; the arguments may tell whose they are. */
function* namelessCall(
  site: Site,
  id: string | undefined,
  body: NamedBody,
  { behindMark }: NamedPlace,
): Routine<Reading> {
  const sink = jsonText();
  const scanner = new ValueScanner(sink, body.value);
  if (!(yield* markedValue(site.core, scanner, behindMark, undefined))) return 'garbage';
  if (scanner.outcome === 'cut') return 'cut';
  const repairs = sink.repairs;
  const args =
    scanner.outcome === 'whole' ? argumentsOf(parseStrictly(sink.json, sink.words)?.value, repairs) : undefined;
  const name = args === undefined ? undefined : site.core.offers.infer(args);
  if (args === undefined || name === undefined) return 'garbage';
  noteRepair(repairs, 'inferred_name', name);
  site.begin(name, id, repairs)?.object(args);
  return site.finish();
}

const OPEN_BRACE = 123;
const CLOSING = markerSet([true, [')']]);
const OPENING = markerSet([true, ['(']]);
/** A name may be written as code. */
const TICK = markerSet([true, ['`']]);
/** Functions that a model wraps round its call, to see the result. */
const WRAPPERS = new Set(['print', 'await', 'asyncio.run', 'json.dumps', 'str', 'repr']);
const WRAPPERS_DEEP = 4;

/** `name(key=value)`; the first character of the name comes next. `inList`: a bracket opened before it. */
export function* pythonCall(site: Site, inList: boolean): Routine<Reading> {
  const { core } = site;
  let wrappers = 0;
  for (;;) {
    const isCode = (yield* core.match(TICK)).found !== undefined;
    const { head, found: end } = yield* core.head(NAME_END);
    const found = isCode && end?.text === '`' ? (yield* core.match(OPENING)).found : end;
    if (found === undefined) {
      // Without a marker or a bracket before it, a word at the end of a text is just the last word.
      const isCut = core.ended && (!site.offeredOnly || (inList && site.mayBecome(head)));
      return isCut ? 'cut' : 'none';
    }
    if (!found.meaning) {
      core.putBack(found.text);
      return 'none';
    }
    let name = head.trim();
    if (WRAPPERS.has(name) && core.offers.get(name) === undefined && wrappers < WRAPPERS_DEEP) {
      wrappers++;
      yield* core.space();
      continue;
    }
    if (name.endsWith('.call')) name = name.slice(0, -'.call'.length);
    if (!isName(name)) return 'none';
    return yield* pythonArguments(site, name, wrappers);
  }
}

export function* pythonArguments(site: Site, name: string, wrappers: number): Routine<Reading> {
  const { core } = site;
  const writer = site.begin(name);
  if (writer === undefined) return 'none';
  const parameters = [...(core.offers.get(writer.name)?.properties.keys() ?? [])];
  const { next } = yield* core.space();
  const types = typesOf(writer.parameter(parameters[0] ?? ''));
  // `name({"key": …})`: all arguments at once, where the first of them is no object.
  const isWhole = next === OPEN_BRACE && types.size > 0 && !types.has('object');
  if (isWhole) {
    const reading = yield* jsonArguments(site, writer, { after: CLOSING });
    if (reading !== 'call') return reading;
    wrappers++;
  } else {
    const scanner = new ValueScanner(argumentsSink(writer), {
      call: true,
      python: true,
      positional: (index) => parameters[index],
    });
    yield scanner;
    if (scanner.outcome !== 'whole') return scanner.outcome === 'cut' ? 'cut' : 'malformed';
  }
  for (let i = 0; i < wrappers; i++) {
    yield* core.space();
    yield* core.match(CLOSING);
  }
  return isWhole ? 'call' : site.finish();
}

/** A name ends at its parenthesis; at any of the others it was none. */
export const NAME_END = markerSet([true, ['(']], [false, [...' \n\t\r)[]{}<>,;"\'`!?|*']]);

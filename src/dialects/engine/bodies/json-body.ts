/** J1, J2 and J3: JSON objects as calls, and as arguments. */
import type { JsonObject } from '../../../core/json.ts';
import type { Repair } from '../../../core/message.ts';
import { argumentsSink, type CallObjectSink, callObjectSink, type FoundCall } from '../call-object.ts';
import type { CallWriter } from '../call-writer.ts';
import type { JsonBody } from '../grammar.ts';
import { noteRepair } from '../lenient.ts';
import type { MarkerSet } from '../markers.ts';
import type { Routine } from '../scanner.ts';
import type { Reading, Site } from '../site.ts';
import { ValueScanner } from '../value-scanner.ts';
import type { ValueOptions } from '../value-sink.ts';
import { type BehindMark, markedValue } from './marked-value.ts';

export type JsonPlace = {
  /** Markers that may follow a call. Where one does, missing brackets were forgotten, not cut off. */
  after: MarkerSet<unknown>;
  inArray: boolean;
  /** There is no marker, so the object must be a call and nothing but a call. */
  strict: boolean;
};

/** A call object; the `{` comes next. */
export function* jsonCall(site: Site, body: JsonBody, place: JsonPlace): Routine<Reading> {
  const begin = (name: string, id: string | undefined, repairs: Repair[]): CallWriter | undefined => {
    if (site.ignores(name)) return undefined;
    const writer = site.begin(name, id, repairs);
    if (writer === undefined) scanner.giveUp();
    return writer;
  };
  const sink = callObjectSink(begin, body, (name) => {
    if (place.strict && (name === undefined || !site.known(name))) scanner.giveUp();
  });
  const scanner = new ValueScanner(sink, { inArray: place.inArray });
  yield scanner;
  yield* mendEnd(site, scanner, place);
  if (scanner.outcome === 'cut') return 'cut';
  if (scanner.outcome !== 'whole') return 'garbage';
  site.form(sink.form());
  const repeated = sink.repeated();
  if (repeated !== undefined) sink.writer()?.repeats(repeated);
  if (sink.writer() !== undefined) return site.finish(sink.id());
  const found = sink.found();
  // An object with a name in it is not yet a call where nothing is known of the tools.
  if (place.strict && site.core.offers.unknown && found.some(({ given }) => !given)) return 'garbage';
  return handOn(site, found, sink);
}

/** Calls that could be told only when their object was complete. */
const handOn = (site: Site, calls: FoundCall[], sink: CallObjectSink): Reading => {
  const { offers } = site.core;
  const named = calls.map((call) => {
    const inferred = call.name === undefined && call.arguments !== undefined ? offers.infer(call.arguments) : undefined;
    const repairs = [...sink.repairs, ...call.repairs];
    if (inferred !== undefined) noteRepair(repairs, 'inferred_name', inferred);
    return { ...call, name: call.name ?? inferred, repairs };
  });
  if (named.length === 0 || named.some(({ name }) => name === undefined || name === '' || !site.known(name))) {
    return 'garbage';
  }
  const repeated = sink.repeated();
  for (const { name, id, arguments: args, repairs } of named) {
    if (site.ignores(name as string)) continue;
    const writer = site.begin(name as string, id, repairs);
    if (writer === undefined || args === undefined) return 'garbage';
    writer.object(args);
    if (repeated !== undefined) writer.repeats(repeated);
    if (site.finish() === 'malformed') return 'malformed';
  }
  return 'call';
};

/** The arguments alone, for a call that has begun; the `{` comes next. */
export function* jsonArguments(
  site: Site,
  writer: CallWriter,
  place: Pick<JsonPlace, 'after'> & { behindMark?: BehindMark },
  options: ValueOptions = {},
): Routine<Reading> {
  const scanner = new ValueScanner(argumentsSink(writer), options);
  if (place.behindMark === undefined) yield scanner;
  else if (!(yield* markedValue(site.core, scanner, place.behindMark, writer))) return 'malformed';
  yield* mendEnd(site, scanner, place);
  if (scanner.outcome === 'whole') return site.finish();
  return scanner.outcome === 'cut' ? 'cut' : 'malformed';
}

/** Brackets that are missing before a marker are added. */
function* mendEnd(site: Site, scanner: ValueScanner, place: Pick<JsonPlace, 'after'>): Routine {
  if (scanner.outcome !== 'open') return;
  const match = yield* site.core.match(place.after);
  if (match.found !== undefined) {
    site.core.putBack(match.found.text);
    scanner.closeAll();
  } else if (match.partial) scanner.outcome = 'cut';
  else if (match.surplus === '') yield* mendBeforeBracket(site, scanner);
}

/** `]` closes the array around the object, which forgot its own brackets. */
function* mendBeforeBracket(site: Site, scanner: ValueScanner): Routine {
  const { next } = yield* site.core.space();
  if (next === 93) scanner.closeAll();
}

export const emptyArguments = (site: Site, writer: CallWriter): Reading => {
  writer.object({} satisfies JsonObject);
  return site.finish();
};

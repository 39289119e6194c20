/** Raw code, for a tool that takes code; or one of a model's built-in calls written as code. */
import type { Core } from '../core.ts';
import { type MarkerSet, type Markers, markerSet } from '../markers.ts';
import type { Routine } from '../scanner.ts';
import type { Reading, Site } from '../site.ts';
import { NAME_END, pythonArguments } from './named-body.ts';

const BUILT_IN = '.call';
const FENCE = '```';
const LANGUAGES = ['', 'python', 'py', 'bash', 'sh', 'shell'];
const FENCE_OPEN = markerSet([true, LANGUAGES.map((language) => `${FENCE}${language}\n`)]);
const CODE_TAIL = 'tail';
/** What may stand behind code and is none, where nothing follows it. For the set of markers that end code. */
export const CODE_TAILS: Markers<typeof CODE_TAIL> = [
  CODE_TAIL,
  [FENCE, '</tool_call>', '</tool_calls>', '</function>', '</function_call>', '</function_calls>'],
];

/** The code ends at a marker or with the text. */
export function* codeCall(site: Site, ends: MarkerSet<unknown>): Routine<Reading> {
  const { core } = site;
  const { head, found } = yield* core.head(NAME_END);
  const name = head.endsWith(BUILT_IN) ? head.slice(0, -BUILT_IN.length) : head;
  if (found?.meaning === true && (name !== head || core.offers.get(name) !== undefined)) {
    return yield* pythonArguments(site, name, 0);
  }
  core.putBack(head + (found?.text ?? ''));
  return yield* rawCode(site, ends);
}

export function* rawCode(site: Site, ends: MarkerSet<unknown>): Routine<Reading> {
  const interpreter = site.core.offers.interpreter();
  return interpreter === undefined ? 'none' : yield* rawCodeFor(site, interpreter, ends);
}

/**
 * Code for a tool that is named; it goes to the one parameter that the tool needs. A fence around it, and what closes a call
 * of another notation behind it, are no part of it. Nothing shows where code ends, so in an answer that was cut it is cut.
 */
export function* rawCodeFor(
  site: Site,
  name: string,
  ends: MarkerSet<unknown>,
  parameter = site.core.offers.get(site.core.offers.resolve(name))?.required[0] ?? 'code',
): Routine<Reading> {
  const { core } = site;
  const writer = site.begin(name);
  if (writer === undefined) return 'none';
  const isFenced = (yield* core.match(FENCE_OPEN)).found !== undefined;
  writer.rawProperty(parameter, { type: 'string' });
  let space = '';
  const write = (piece: string): void => {
    const text = space + piece;
    const shown = text.trimEnd();
    space = text.slice(shown.length);
    if (shown !== '') writer.raw(shown);
  };
  for (;;) {
    const { found } = yield* core.until(ends, write);
    if (found === undefined && (isFenced || core.isCut)) return 'cut';
    if (found !== undefined && found.meaning !== CODE_TAIL) core.putBack(found.text);
    if (found?.meaning !== CODE_TAIL || (yield* isLast(core, ends))) break;
    if (isFenced && found.text === FENCE) return 'malformed';
    write(found.text);
  }
  writer.endRaw();
  return site.finish();
}

/** Nothing but marks that end an answer follows. */
function* isLast(core: Core, ends: MarkerSet<unknown>): Routine<boolean> {
  const { space, next } = yield* core.space();
  if (next < 0) return true;
  const { found } = yield* core.match(ends);
  core.putBack(space + (found?.text ?? ''));
  return found !== undefined;
}

/** Raw code, for a tool that takes code; or one of a model's built-in calls written as code. */
import type { MarkerSet } from '../markers.ts';
import type { Routine } from '../scanner.ts';
import type { Reading, Site } from '../site.ts';
import { NAME_END, pythonArguments } from './named-body.ts';

const BUILT_IN = '.call';

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

/** Code for a tool that is named; it goes to the one parameter that the tool needs. */
export function* rawCodeFor(site: Site, name: string, ends: MarkerSet<unknown>): Routine<Reading> {
  const { core } = site;
  const writer = site.begin(name);
  if (writer === undefined) return 'none';
  writer.rawProperty(core.offers.get(writer.name)?.required[0] ?? 'code', { type: 'string' });
  let space = '';
  const scan = yield* core.until(ends, (piece) => {
    const text = space + piece;
    const shown = text.trimEnd();
    space = text.slice(shown.length);
    if (shown !== '') writer.raw(shown);
  });
  writer.endRaw();
  if (scan.found !== undefined) core.putBack(scan.found.text);
  return site.finish();
}

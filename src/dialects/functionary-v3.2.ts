import { rawCodeFor } from './engine/bodies/code-body.ts';
import { jsonArguments } from './engine/bodies/json-body.ts';
import { type Clues, END_TOKENS, type Grammar, type Turn } from './engine/grammar.ts';
import { markerSet } from './engine/markers.ts';
import { eachCall, offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';
import type { Routine } from './engine/scanner.ts';
import { type Reading, type Site, siteIn } from './engine/site.ts';

const MESSAGE = '>>>';
const MARKERS = markerSet([false, [MESSAGE]], [true, END_TOKENS]);
const ENDS = markerSet([true, END_TOKENS]);
/** A recipient's line ends; anything else than a name shows that it is none. */
const LINE_END = markerSet([true, ['\n']], [false, [...' <>{(["']]);
const ARROW = markerSet([true, [MESSAGE]]);
const OPEN_BRACE = 123;
const EVERYBODY = 'all';

/** `>>>`, a recipient in a line of its own, and the message. The first arrow is usually part of the prompt. */
export function* functionaryLines(turn: Turn): Routine {
  const { core } = turn;
  yield* core.space();
  const arrow = yield* core.match(ARROW);
  yield* message(turn, arrow.found === undefined ? '' : MESSAGE);
  for (;;) {
    const scan = yield* core.until(MARKERS, (piece) => core.out.text(piece));
    if (scan.found === undefined) return;
    if (scan.found.meaning) yield* turn.endToken(scan.found.text);
    else yield* message(turn, MESSAGE);
  }
}

/** Behind an arrow: a message to a tool or to everybody, or text that only looks like one. */
function* message(turn: Turn, arrow: string): Routine {
  const { core } = turn;
  const { out } = core;
  const hold = out.begin(arrow);
  const { head, found } = yield* core.head(LINE_END);
  const name = head.trim();
  const site = siteIn(core, hold, { ...turn.naming, offeredOnly: true });
  const isLine = found?.meaning === true;
  if (isLine && name === EVERYBODY) {
    turn.found('functionary-v3.2');
    out.commit(hold);
    return;
  }
  const isTool = site.mayName(name) && site.known(name) && !core.offers.none;
  if (!isTool || (!isLine && !core.ended) || found?.meaning === false) {
    const text = out.abandon(hold);
    out.text(text.slice(0, arrow.length));
    core.putBack(text.slice(arrow.length));
    return;
  }
  turn.found('functionary-v3.2');
  const reading = site.close(found === undefined ? 'cut' : yield* call(site, name));
  if (reading === 'call' || reading === 'cut') out.commit(hold);
  else out.text(out.abandon(hold));
}

function* call(site: Site, name: string): Routine<Reading> {
  const { core } = site;
  const { next } = yield* core.space();
  if (next < 0) return 'cut';
  if (next !== OPEN_BRACE) return yield* rawCodeFor(site, name, ENDS);
  const writer = site.begin(name);
  return writer === undefined ? 'garbage' : yield* jsonArguments(site, writer, { after: MARKERS });
}

/** Functionary 3.2. */
export const grammar: Grammar = {
  name: 'functionary-v3.2',
  calls: [],
  lines: functionaryLines,
};

export const clues: Clues = { template: [['>>>', 'all\n'], '>>>all'], model: ['functionary'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Begin each message with >>> and its recipient in a line of its own: all for the user, or the name of a tool, followed by its arguments as a JSON object:\n>>>NAME\n{"parameter": value}',
  ),
  calls: eachCall(({ name, arguments: args }) => `>>>${name}\n${spacedJson(args)}`, ''),
  result: ({ content }) => content,
});

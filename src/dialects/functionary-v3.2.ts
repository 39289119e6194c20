import { CODE_TAILS, rawCodeFor } from './engine/bodies/code-body.ts';
import { jsonArguments } from './engine/bodies/json-body.ts';
import { type CallMark, type Clues, END_TOKENS, type Grammar, type Turn } from './engine/grammar.ts';
import { markerSet, markersBeside } from './engine/markers.ts';
import { eachCall, offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';
import type { Routine } from './engine/scanner.ts';
import { type Reading, type Site, siteIn } from './engine/site.ts';

const NAME = 'functionary-v3.2';
const MESSAGE = '>>>';
const MARKERS = markerSet([false, [MESSAGE]], [true, END_TOKENS]);
const IN_TEXT = markersBeside<boolean, CallMark>([false, [MESSAGE]], [true, END_TOKENS]);
const CODE_ENDS = markerSet<unknown>([true, END_TOKENS], CODE_TAILS);
/** A recipient's line ends; anything else than a name shows that it is none. */
const LINE_END = markerSet([true, ['\n']], [false, [...' <>{(["']]);
const ARROW = markerSet([true, [MESSAGE]]);
const FENCE = markerSet([true, ['```json', '```']]);
const OPEN_BRACE = 123;
const BACKTICK = 96;
const EVERYBODY = 'all';

/** `text`: it was no message to a tool. */
type MessageEnd = 'call' | 'cut' | 'text';

/** `>>>`, a recipient in a line of its own, and the message. The first arrow is usually part of the prompt. */
export function* functionaryLines(turn: Turn): Routine {
  const { core } = turn;
  yield* core.space();
  const arrow = yield* core.match(ARROW);
  yield* messages(turn, yield* message(turn, arrow.found === undefined ? '' : MESSAGE));
}

/**
 * Where nobody knows that the text is written in this dialect, a line that is the name of a tool may begin prose. Without
 * the arrow it is a call only with a JSON object behind it, and nothing else.
 */
export function* bareFunctionaryLines(turn: Turn): Routine {
  const { core } = turn;
  const { out, previous } = core;
  const hold = out.begin('');
  let end: MessageEnd;
  let next: 'nothing' | 'arrow' | 'other' = 'other';
  do {
    end = yield* objectMessage(turn);
    if (end === 'call') next = yield* behind(turn);
  } while (end === 'call' && next === 'other');
  if (end === 'text') {
    core.putBack(out.abandon(hold), previous);
    return;
  }
  turn.found(NAME);
  out.commit(hold);
  if (next === 'arrow') yield* messages(turn, 'text');
}

/** What stands behind a call but end tokens, which are left out. */
function* behind({ core }: Turn): Routine<'nothing' | 'arrow' | 'other'> {
  for (;;) {
    const { next } = yield* core.space();
    if (next < 0) return 'nothing';
    const { found, partial, surplus } = yield* core.match(MARKERS);
    if (found === undefined && (!partial || surplus.length === 1)) return 'other';
    if (found === undefined) core.dropRest();
    if (found?.meaning !== false) continue;
    core.putBack(found.text);
    return 'arrow';
  }
}

/** The rest of the answer, behind a message that ended so. */
function* messages(turn: Turn, first: MessageEnd): Routine {
  const { core } = turn;
  const marks = IN_TEXT(turn.calls);
  let end = first;
  for (;;) {
    // The arrow between two calls is lost more often than a call is followed by words.
    while (end === 'call') end = yield* objectMessage(turn);
    const scan = yield* core.until(marks, (piece) => core.out.text(piece));
    if (scan.found === undefined) return;
    const { meaning, text } = scan.found;
    if (typeof meaning === 'object') yield* turn.call(meaning, text, scan.before);
    else if (meaning) yield* turn.endToken(text);
    else end = yield* message(turn, MESSAGE);
  }
}

/** Without an arrow: the name of a tool in a line of its own, and a JSON object. Anything else is put back. */
function* objectMessage(turn: Turn): Routine<MessageEnd> {
  const { space } = yield* turn.core.space();
  turn.core.out.text(space);
  return yield* message(turn, '', true);
}

/** Behind an arrow: a message to a tool or to everybody, or text that only looks like one. */
function* message(turn: Turn, arrow: string, isBare = false): Routine<MessageEnd> {
  const { core } = turn;
  const { out, previous } = core;
  const hold = out.begin(arrow);
  const { head, found } = yield* core.head(LINE_END);
  const name = head.trim();
  const site = siteIn(core, hold, { ...turn.naming, offeredOnly: true });
  const isLine = found?.meaning === true;
  if (isLine && name === EVERYBODY && !isBare) {
    turn.found(NAME);
    out.commit(hold);
    return 'text';
  }
  const isTool = site.mayName(name) && site.known(name) && !core.offers.none;
  const isCut = found === undefined && core.ended && !isBare;
  const isMessage = isTool && (isLine || isCut);
  const read = isBare ? objectBody : body;
  const reading = isMessage ? site.close(isCut ? 'cut' : yield* read(site, name)) : 'none';
  if (isMessage && !isBare) turn.found(NAME);
  if (reading === 'call' || reading === 'cut') {
    out.commit(hold);
    return reading;
  }
  const text = out.abandon(hold);
  const shown = isBare ? 0 : isMessage ? text.length : arrow.length;
  out.text(text.slice(0, shown));
  core.putBack(text.slice(shown), shown === 0 ? previous : undefined);
  return 'text';
}

/** Arguments, or the code of a tool that takes code. Words are no arguments. */
function* body(site: Site, name: string): Routine<Reading> {
  const { core } = site;
  const { next } = yield* core.space();
  if (next < 0) return 'cut';
  const reading = yield* objectBody(site, name);
  const parameter = core.offers.codeParameter(core.offers.resolve(name));
  return reading === 'none' && parameter !== undefined ? yield* rawCodeFor(site, name, CODE_ENDS, parameter) : reading;
}

/** A JSON object, or one in a fence; `none`, with nothing eaten, where there is no object. */
function* objectBody(site: Site, name: string): Routine<Reading> {
  const { core } = site;
  const { next } = yield* core.space();
  const fence = next === BACKTICK ? (yield* core.match(FENCE)).found?.text : undefined;
  const inside = fence === undefined ? { space: '', next } : yield* core.space();
  if (inside.next !== OPEN_BRACE) {
    core.putBack((fence ?? '') + inside.space);
    return 'none';
  }
  const writer = site.begin(name);
  const reading = writer === undefined ? 'garbage' : yield* jsonArguments(site, writer, { after: MARKERS });
  if (fence === undefined || reading !== 'call') return reading;
  yield* core.space();
  yield* core.match(FENCE);
  return reading;
}

/** Functionary 3.2. */
export const grammar: Grammar = {
  name: NAME,
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

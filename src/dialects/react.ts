import { emptyArguments, jsonArguments } from './engine/bodies/json-body.ts';
import { type CallMark, END_TOKENS, type Grammar, type Turn } from './engine/grammar.ts';
import { markerSet, markersBeside } from './engine/markers.ts';
import { eachCall, offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';
import type { Routine } from './engine/scanner.ts';
import { type Reading, type Site, siteIn } from './engine/site.ts';
import { withoutTicks } from './engine/tools.ts';

const [THOUGHT, ACTION, ANSWER, OBSERVATION] = ['Thought:', 'Action:', 'Final Answer:', 'Observation:'];
/** `value`: at the beginning of a line a call without marks may begin here. */
const LABELS = markersBeside<'label' | 'end' | 'value', CallMark>(
  ['label', [THOUGHT, ACTION, ANSWER, OBSERVATION]],
  ['end', END_TOKENS],
  ['value', ['{', '[', '```']],
);
/** Behind thoughts these show that a call in them was a draft. */
const ACTS = markerSet([true, [`\n${ACTION}`, `\n${ANSWER}`]], [false, [`\n${THOUGHT}`, `\n${OBSERVATION}`]]);
const INPUT = markerSet([true, ['Action Input:']]);
const ACTION_END = markerSet([false, ['\n']], [true, ['Action Input:']]);
const FENCE = markerSet([true, ['```json', '```', '`']]);
const AFTER = markerSet([true, ['```', THOUGHT, ACTION, ANSWER, OBSERVATION]]);
const NOTHING = markerSet();
const NEWLINE = 10;
const OPEN_BRACE = 123;

/** Labels at the beginning of lines. A result that the model makes up for itself ends the turn. */
export function* reactLines(turn: Turn): Routine {
  const { core } = turn;
  const { out } = core;
  const marks = LABELS(turn.calls);
  // Only an answer that begins with a label is written like this.
  let labelled = false;
  let isThought = false;
  for (;;) {
    const scan = yield* core.until(marks, (piece) => out.text(piece));
    if (scan.found === undefined) return;
    const { meaning, text: label } = scan.found;
    if (meaning === 'end') {
      yield* turn.endToken(label);
      continue;
    }
    if (meaning !== undefined && meaning !== 'label') {
      const mayCall = meaning !== 'value' || scan.before === NEWLINE;
      if (isThought && mayCall) isThought = yield* isDraft(turn, label, scan.before);
      else if (meaning === 'value') out.text(label);
      else yield* turn.call(meaning, label, scan.before);
      continue;
    }
    const atLineStart = scan.before === -1 || scan.before === NEWLINE || out.untouched;
    if (!atLineStart || !(labelled || out.untouched)) {
      out.text(label);
      continue;
    }
    labelled = true;
    turn.found('react');
    isThought = label === THOUGHT;
    if (isThought) out.moveTo('reasoning');
    else if (label === ANSWER) out.moveTo('text');
    else if (label === OBSERVATION) yield* core.until(NOTHING, () => {});
    else yield* action(turn, label);
  }
}

/**
 * What begins a call in thoughts. Where an action or the answer follows, the thoughts go on to there; else they end here,
 * and what was eaten is read again.
 */
function* isDraft({ core }: Turn, mark: string, before: number): Routine<boolean> {
  const { out } = core;
  const hold = out.begin(mark);
  const { found } = yield* core.until(ACTS, () => {});
  const text = out.abandon(hold);
  if (found?.meaning !== true) {
    out.moveTo('text');
    core.putBack(text, before);
    return false;
  }
  out.text(text.slice(0, -found.text.length));
  core.putBack(found.text);
  return true;
}

function* action(turn: Turn, label: string): Routine {
  const { core } = turn;
  const hold = core.out.begin(label);
  const site = siteIn(core, hold, { ...turn.naming, offeredOnly: true });
  const reading = site.close(yield* reactCall(site));
  if (reading === 'call' || reading === 'cut') core.out.commit(hold);
  else core.out.text(core.out.abandon(hold));
}

export function* reactCall(site: Site): Routine<Reading> {
  const { core } = site;
  const { head, found } = yield* core.head(ACTION_END);
  const name = withoutTicks(head.trim());
  if (found === undefined && core.ended) return site.known(name) ? 'cut' : 'garbage';
  if (found?.meaning === false) {
    yield* core.space();
    const input = yield* core.match(INPUT);
    if (input.found === undefined) return site.known(name) && core.ended ? 'cut' : 'garbage';
  }
  const writer = site.known(name) ? site.begin(name) : undefined;
  if (writer === undefined) return 'garbage';
  let isFenced = false;
  for (;;) {
    const { next } = yield* core.space();
    if (next < 0) return 'cut';
    if (next === OPEN_BRACE) break;
    const fence = yield* core.match(FENCE);
    if (fence.found === undefined) return next === 'N'.charCodeAt(0) ? emptyArguments(site, writer) : 'malformed';
    isFenced = true;
    if (fence.found.text === '```') yield* core.head(ACTION_END);
  }
  const reading = yield* jsonArguments(site, writer, { after: AFTER });
  if (reading !== 'call' || !isFenced) return reading;
  yield* core.space();
  yield* core.match(FENCE);
  return 'call';
}

/** Models that are told to think, act and observe in turns. */
export const grammar: Grammar = {
  name: 'react',
  calls: [],
  lines: reactLines,
};

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Use this form:\nThought: what to do\nAction: the name of a tool\nAction Input: its arguments as a JSON object\n\nThen stop and wait for the line Observation:. When you know the answer, write\nThought: I know the answer.\nFinal Answer: the answer',
  ),
  calls: eachCall(({ name, arguments: args }) => `Action: ${name}\nAction Input: ${spacedJson(args)}`),
  result: ({ content }) => `Observation: ${content}`,
});

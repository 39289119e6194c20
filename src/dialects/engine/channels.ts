/** Dialects whose messages say in a header for whom they are. */
import { DIALECT_LIMITS } from '../../core/limits/dialect-limits.ts';
import { rawCodeFor } from './bodies/code-body.ts';
import { emptyArguments, jsonArguments } from './bodies/json-body.ts';
import type { Turn } from './grammar.ts';
import type { ChannelPlan } from './plan.ts';
import type { Routine } from './scanner.ts';
import { readSection } from './section.ts';
import { type Reading, type Site, siteIn } from './site.ts';

const OPEN_BRACE = 123;

/** Behind the marker of a header: the header, and the message up to what ends it. */
export function* readChannel(answer: Turn, channels: ChannelPlan, opener: string): Routine {
  const { core } = answer;
  const { out } = core;
  const hold = out.begin(opener);
  let header = opener;
  let whole = channels.syntax.headerEnd.includes(opener);
  if (!whole) {
    const scan = yield* core.until(channels.header, (piece) => (header += piece), DIALECT_LIMITS.headerCharacters);
    whole = scan.found?.meaning === 'message';
    if (scan.found === undefined && !core.ended) {
      out.text(out.abandon(hold));
      return;
    }
    header += scan.found?.text ?? '';
  }
  const meaning = channels.syntax.read(header);
  if (!whole && meaning.to !== 'tool' && !isHeader(header)) {
    core.putBack(out.abandon(hold).slice(opener.length));
    out.text(opener);
    return;
  }
  out.commit(hold);
  answer.found(channels.dialect(header));
  if (!whole) {
    // A header without a message says nothing; cut off, it may have been the beginning of a call.
    if (core.ended && meaning.to === 'tool') {
      core.truncated = true;
      out.breakOff({ text: header, problem: 'truncated' });
    }
    return;
  }
  if (meaning.to === 'tool') yield* toolMessage(answer, channels, meaning.name);
  else yield* message(answer, channels, meaning.to);
}

const HEADER_WORDS = new Set(['', 'assistant', 'user', 'analysis', 'commentary', 'final', 'json', 'code', 'self']);

/** Words that a header may consist of; a marker that is quoted in a text has others behind it. */
const isHeader = (text: string): boolean =>
  text
    .split(/<\|[^|]*\|>|\s/)
    .every((word) => HEADER_WORDS.has(word) || word.startsWith('to=') || word.startsWith('<'));

function* message(answer: Turn, channels: ChannelPlan, to: 'text' | 'reasoning' | 'nobody'): Routine {
  const { core } = answer;
  if (to !== 'nobody') core.out.moveTo(to);
  const write = to === 'nobody' ? () => {} : (piece: string): void => core.out.text(piece);
  const scan = yield* core.until(channels.message, write);
  if (scan.found?.meaning === 'open') core.putBack(scan.found.text);
  core.out.moveTo('text');
}

function* toolMessage(answer: Turn, channels: ChannelPlan, name: string): Routine {
  const { core, naming } = answer;
  const { next } = yield* core.space();
  const { bodies } = channels.syntax;
  const inSection = next === OPEN_BRACE ? bodies.some(({ kind }) => kind === 'json') : bodies.length > 0;
  if (inSection) yield* readSection(core, channels.call, '', naming);
  else {
    const hold = core.out.begin('');
    const site = siteIn(core, hold, naming);
    const reading = site.close(yield* toolArguments(site, channels, name));
    if (reading === 'call' || reading === 'cut') core.out.commit(hold);
    else core.out.text(core.out.abandon(hold));
  }
  yield* core.space();
  const match = yield* core.match(channels.message);
  if (match.found?.meaning === 'open') core.putBack(match.found.text);
}

function* toolArguments(site: Site, channels: ChannelPlan, name: string): Routine<Reading> {
  const { core } = site;
  const { next } = yield* core.space();
  if (next < 0) return 'cut';
  if (next === OPEN_BRACE) {
    const writer = site.begin(name);
    return writer === undefined ? 'garbage' : yield* jsonArguments(site, writer, { after: channels.message });
  }
  const match = yield* core.match(channels.message);
  if (match.found !== undefined) {
    core.putBack(match.found.text);
    const writer = site.begin(name);
    return writer === undefined ? 'garbage' : emptyArguments(site, writer);
  }
  // Only a tool that takes code is given a text that is no JSON.
  const takesCode = core.offers.unknown || core.offers.get(core.offers.resolve(name))?.properties.has('code') === true;
  return takesCode ? yield* rawCodeFor(site, name, channels.message) : 'garbage';
}

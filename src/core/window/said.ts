/**
 * What stays of the person's messages that are left out. Where all of them have room they stand word for word. Where they
 * do not, the sentences stay that say something which no newer message says, the newest first, and what room is left
 * makes the newest messages whole again. How a fact is worded does not matter: what counts is that it holds a word or a
 * value which is not said again later.
 */

import { isQuestion, isStanding } from './distinctive.ts';
import { type Around, isOwn, judgedSentences, type Sentence } from './judged-sentences.ts';
import { type ReadMessages, withSaidTo } from './read-messages.ts';
import { Choice, costOf, type Said, type SaidChoice, SHORTENED_CHARACTERS, WHOLE_CHARACTERS } from './said-choice.ts';
import { saysNo } from './short-answers.ts';

export type { Said, SaidChoice } from './said-choice.ts';

/** Of the room, where there is too little for every sentence that says something: for the newest messages, whole. */
const NEWEST_SHARE = 1 / 5;
/** Where there is hardly any room, the newest are mostly chores. */
const NEWEST_SHARE_LEAST = 1 / 10;
const LITTLE_CHARACTERS = 2_500;
/** The same for what speaks of what the person wants kept, whose wish stands above all of it; and for pasted lines about it. */
const WANTED_SHARE = 0.35;
const WANTED_PASTED_SHARE = 0.1;
/** The same for what is forbidden or demanded from then on, however old. */
const STANDING_SHARE = 0.35;
/** Where there is hardly any room, more of it. */
const STANDING_SHARE_MOST = 0.6;
const STANDING_CHARACTERS = 240;
/** The same for the sentences that stand out most, however old: what is like no other, what is to be kept in mind. */
const OUTSTANDING_SHARE = 0.25;
/** The same for the first and the last sentences of long messages: what is asked for stands there. */
const REQUESTS_SHARE = 0.15;
/** The same for what is like nothing else that was said, whatever its age. */
const OWN_KIND_SHARE = 0.2;
/** A demand can be as short as a thank you. Such words are said once, and several of them cost little. */
const SHORT_SHARE = 0.1;

/** The same for the sentences of which the notes of the model tell. */
const QUOTED_SHARE = 0.25;

/** What a short message was said to stands with it; so much of the room is theirs. */
const REPLIES_SHARE = 0.35;

/**
 * Looked through once for all sizes; `messages` in their order. Where the choice of the compaction before is given, what it left stands as it was and the messages since then
 * behind it, as long as there is room: a server has read that already. `quoted`: the sentences of which notes tell.
 */
export const createSaid = (
  messages: readonly string[],
  wanted: readonly string[],
  around: Around = {},
): ((characters: number, before?: SaidChoice, quoted?: readonly string[]) => Said) => {
  const isShort = messages.every(({ length }) => length <= WHOLE_CHARACTERS);
  const shown = shownWith(messages, around);
  const total = costOf(shown);
  let sentences: readonly Sentence[][] | undefined;
  let stood: { choice: SaidChoice; quoted: readonly string[]; said: readonly Said[] } | undefined;
  const standing = (choice: SaidChoice, quoted: readonly string[]): readonly Said[] => {
    const { messages: known, characters } = stood?.choice ?? {};
    if (stood === undefined || known !== choice.messages || characters !== choice.characters || stood.quoted !== quoted)
      stood = { choice, quoted, said: continued(messages, wanted, around, choice, isQuotedIn(quoted)) };
    return stood.said;
  };
  return (characters, before, quoted = NOTHING) => {
    if (total <= characters && isShort) return { lines: shown, whole: messages.length, shortened: [], dropped: [] };
    if (before && before.messages <= messages.length && characters <= before.characters * MUCH_LARGER) {
      const said = standing(before, quoted).find(({ lines }) => costOf(lines) <= characters);
      if (said) return said;
    }
    sentences ??= judgedSentences(messages, wanted, around);
    return {
      ...chosen(shown, sentences, characters, { corrects: around.corrects, isQuoted: isQuotedIn(quoted) }),
      choice: { messages: messages.length, characters },
    };
  };
};
const NOTHING: readonly string[] = [];
const shownWith = (messages: readonly string[], { saidTo = [] }: Around): string[] =>
  messages.map((message, at) => withSaidTo(message, saidTo[at]));
/** With so much more room than there was, more of the old messages is worth reading them again. */
const MUCH_LARGER = 1.5;

/** The same choice as before, and behind it what was said since: whole, and with the long messages shortened. */
const continued = (
  messages: readonly string[],
  wanted: readonly string[],
  around: Around,
  choice: SaidChoice,
  isQuoted: IsQuoted,
): readonly Said[] => {
  const older = messages.slice(0, choice.messages);
  const shown = shownWith(messages, around);
  const since = shown.slice(choice.messages);
  const base = chosen(shown.slice(0, choice.messages), judgedSentences(older, wanted, around), choice.characters, {
    corrects: around.corrects,
    isQuoted,
  });
  return [WHOLE_CHARACTERS, SHORTENED_CHARACTERS].map((most) => {
    const newer = since.map((text) => shortenedAlone(text, wanted, most, { read: around.read, isQuoted }));
    const shortened = since.filter((_text, at) => !newer[at]?.isWhole);
    return {
      lines: [...base.lines, ...newer.map(({ line }) => line)],
      whole: base.whole + newer.length - shortened.length,
      shortened: [...base.shortened, ...shortened],
      dropped: base.dropped,
      lacksFacts: base.lacksFacts === true,
      choice,
    };
  });
};

/** Told by its own sentences where it is longer than `most`. */
const shortenedAlone = (
  text: string,
  wanted: readonly string[],
  most: number,
  { read, isQuoted }: { read: ReadMessages | undefined; isQuoted: IsQuoted },
): { line: string; isWhole: boolean } => {
  if (text.length <= most) return { line: text, isWhole: true };
  const room = SHORTENED_CHARACTERS + DROPPED_CHARACTERS;
  const sentences = judgedSentences([text], wanted, { ...(read ? { read } : {}) });
  const { lines, shortened } = chosen([text], sentences, room, { isQuoted });
  return { line: lines.at(-1) ?? '', isWhole: shortened.length === 0 };
};

const chosen = (
  messages: readonly string[],
  sentences: readonly Sentence[][],
  characters: number,
  { corrects = [], isQuoted }: { corrects?: readonly boolean[] | undefined; isQuoted: IsQuoted },
): Said => {
  const room = Math.max(0, characters - DROPPED_CHARACTERS);
  const forNext = roomForNext(characters);
  const all = new Choice(messages, sentences, room, corrects);
  all.takeCorrectedNext();
  all.takeAbout(room, () => true);
  if (all.take(({ isNew, isPasted }) => isNew && !isPasted)) {
    all.left -= forNext;
    all.take(isQuoted);
    all.take(({ isCue, isValue, isPasted }) => (isCue || isValue) && !isPasted);
    all.makeWhole(all.left, (own) => own.every(({ isPasted }) => !isPasted));
    all.take(({ isPasted }) => !isPasted);
    // Rows that were pasted have what the person's own words leave.
    all.take(({ isNew }) => isNew);
    all.makeWhole(all.left);
    // Of what is too long to stand whole, more than the sentences that say something.
    all.messageCharacters = WHOLE_CHARACTERS;
    all.take(() => true);
    return all.said();
  }
  // Not all of it has room: the newest whole, what is to be kept in mind, and then the newest of the rest.
  const less = room - forNext;
  const some = new Choice(messages, sentences, less, corrects);
  some.takeCorrectedNext();
  // The newest first, so none stands without a newer one of the same.
  some.take(isQuoted, less * QUOTED_SHARE);
  some.takeAbout(less * WANTED_SHARE, ({ isPasted, isLittle }) => !isPasted && !isLittle);
  some.takeAbout(less * WANTED_PASTED_SHARE, ({ isPasted }) => isPasted);
  some.takeOutstanding(roomForStanding(less), ({ said, isPasted }) => isStanding(said) && !isPasted);
  some.takeShortest(less * REPLIES_SHARE, ({ isReply, isAsked, said }) => isReply && (isAsked || saysNo(said)));
  some.makeWhole(Math.floor(less * (less < LITTLE_CHARACTERS ? NEWEST_SHARE_LEAST : NEWEST_SHARE)), saysItsOwn);
  some.takeOutstanding(
    less * OUTSTANDING_SHARE,
    (sentence) => isOwn(sentence) && isWeighty(sentence) && !isQuestion(sentence.said),
  );
  some.take(({ isRequest }) => isRequest, less * REQUESTS_SHARE);
  some.takeLongest(less * SHORT_SHARE, ({ isShort, isOnly, said }) => isShort && isOnly && !isQuestion(said));
  some.take((sentence) => isFact(sentence) && isWeighty(sentence), less * OWN_KIND_SHARE);
  some.take((sentence) => isFact(sentence) && isWeighty(sentence));
  some.take(isFact);
  some.takeShortest(less * REPLIES_SHARE, ({ isReply }) => isReply);
  some.take(isTelling);
  some.take((sentence) => isOwn(sentence) && sentence.isOnly);
  some.take((sentence) => isOwn(sentence) && sentence.isNew);
  some.take(isOwn);
  // What was done, rows that were pasted and short replies have what the person's own words leave.
  some.take(({ isNew }) => isNew);
  some.take(() => true);
  const lacksFacts = some.lacks(isFact);
  some.renew();
  return { ...some.said(), lacksFacts };
};

type IsQuoted = (sentence: Sentence) => boolean;
/** The same words with other blanks, and where a call did what was asked, without the question that they answered. */
const isQuotedIn = (quoted: readonly string[]): IsQuoted => {
  const texts = new Set(quoted.map(inOneLine));
  const answers = new Set(quoted.map(withoutSaidTo));
  if (texts.size === 0) return () => false;
  return ({ text, said, isReply }) => texts.has(inOneLine(text)) || (!isReply && answers.has(inOneLine(said)));
};
const withoutSaidTo = (text: string): string => {
  const at = text.endsWith(']') ? text.lastIndexOf('[after you said: ') : -1;
  return inOneLine(at < 0 ? text : text.slice(0, at));
};
const inOneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

/** In the person's own words, and something that no other message says. */
const saysItsOwn = (sentences: readonly Sentence[]): boolean => sentences.every(isOwn) && sentences.some(isTelling);

/** Said by no other message. A question is over with its answer, so what tells something goes before it. */
const isTelling = (sentence: Sentence): boolean => isOwn(sentence) && sentence.isOnly && !isQuestion(sentence.said);

/** More than a filler with another number. */
const isWeighty = ({ ownWords }: Sentence): boolean => ownWords >= WEIGHTY_WORDS;
const WEIGHTY_WORDS = 3;

/** Said once, like nothing else. */
const isFact = (sentence: Sentence): boolean =>
  isOwn(sentence) && sentence.isOnly && sentence.isOwnKind && !isQuestion(sentence.said);

const roomForStanding = (characters: number): number =>
  Math.max(characters * STANDING_SHARE, Math.min(characters * STANDING_SHARE_MOST, STANDING_CHARACTERS));

/**
 * Left free for the messages to come, so that making room the next time adds to what stands in place of changing it. Where
 * little stands, little is read again, and every message counts.
 */
const roomForNext = (characters: number): number =>
  characters < FOR_NEXT_FROM_CHARACTERS ? 0 : Math.floor(characters * FOR_NEXT_SHARE);
const FOR_NEXT_FROM_CHARACTERS = 8_000;
const FOR_NEXT_SHARE = 1 / 8;

const DROPPED_CHARACTERS = 80;

/**
 * What the model said and the person took up in few words: "Yes, take B." says nothing without the answer that it was said
 * to. Of that answer the sentences stay that share a word with the message, else its end.
 */
import type { Event } from '../events.ts';
import { writtenText } from '../message.ts';
import { counted } from '../number-text.ts';
import { valueKeys } from './distinctive.ts';
import { sentencesOf } from './sentences.ts';
import { firstWords } from './text.ts';

type Exchange = { at: number; said: string; answer: string; keys: readonly string[] };

/** Longer messages say by themselves what they are about; the shortest are mostly a yes or a no. */
const SHORT_CHARACTERS = 80;
const SHORTEST_CHARACTERS = 30;
const ANSWER_CHARACTERS = 240;
const SCORE_OF_SHORTEST = 0.5;
const SCORE_LEAST = 0.25;

/** A line each, the oldest first; of more than there is room for those that are about the answer most, the newest first. */
export const takenUp = (left: readonly Event[], characters: number): string[] => {
  const exchanges = shortExchanges(left);
  const counts = new Map<string, number>();
  for (const { keys, answer } of exchanges)
    for (const key of new Set([...keys, ...valueKeys(answer)])) counts.set(key, (counts.get(key) ?? 0) + 1);
  const scored = exchanges
    .map((exchange) => ({ exchange, score: scoreOf(exchange, counts) }))
    .filter(({ score }) => score >= SCORE_LEAST)
    .sort((one, other) => other.score - one.score || other.exchange.at - one.exchange.at);
  let room = characters;
  const taken: { at: number; line: string }[] = [];
  for (const { exchange } of scored) {
    const line = lineOf(exchange);
    if (line.length > room) continue;
    room -= line.length;
    taken.push({ at: exchange.at, line });
  }
  return taken.sort((one, other) => one.at - other.at).map(({ line }) => line);
};

const shortExchanges = (left: readonly Event[]): Exchange[] => {
  const exchanges: Exchange[] = [];
  let answer = '';
  for (const [at, event] of left.entries()) {
    if (event.type === 'assistant_message_added' && event.message.content !== '') answer = event.message.content;
    if (event.type !== 'user_message_added') continue;
    const said = writtenText(event.content).replaceAll(/\s+/g, ' ').trim();
    if (answer !== '' && said !== '' && said.length <= SHORT_CHARACTERS)
      exchanges.push({ at, said, answer, keys: valueKeys(said) });
    answer = '';
  }
  return exchanges;
};

/** A word that both hold counts the more, the fewer of the others hold it. */
const scoreOf = ({ said, answer, keys }: Exchange, counts: ReadonlyMap<string, number>): number => {
  const answered = new Set(valueKeys(answer));
  const shared = keys.filter((key) => answered.has(key)).map((key) => 1 / (counts.get(key) ?? 1));
  return Math.max(said.length <= SHORTEST_CHARACTERS ? SCORE_OF_SHORTEST : 0, ...shared);
};

const lineOf = ({ said, answer, keys }: Exchange): string => {
  const all = sentencesOf(answer);
  const wanted = new Set(keys);
  const about = all.filter((sentence) => valueKeys(sentence).some((key) => wanted.has(key)));
  // The end of an answer is what it comes to.
  const chosen = new Set<string>();
  let room = ANSWER_CHARACTERS;
  for (const sentence of [...about.toReversed(), ...all.toReversed()]) {
    if (chosen.has(sentence) || sentence.length > room) continue;
    room -= sentence.length;
    chosen.add(sentence);
  }
  const kept = all.filter((sentence) => chosen.has(sentence));
  const text = kept.length > 0 ? kept.join(' ') : firstWords(answer, ANSWER_CHARACTERS);
  const omitted = all.length - kept.length;
  const rest = kept.length > 0 && omitted > 0 ? ` [${counted(omitted, 'sentence')} left out]` : '';
  return `${JSON.stringify(said)} was said to: ${text}${rest}`;
};

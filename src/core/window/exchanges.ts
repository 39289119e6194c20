/** What the person said, message by message, with the answer of the model that stood before each. */
import type { Event } from '../events.ts';
import { writtenText } from '../message.ts';
import { isCorrection } from './correcting-words.ts';
import { isQuestion } from './distinctive.ts';
import { itemNamed } from './item-named.ts';
import { listItems } from './list-items.ts';
import { sentencesOf } from './sentences.ts';

export type Exchange = {
  said: string;
  answer: string;
  /** What the answer was an answer to. */
  before: string;
  /** The item that is chosen in place of the one before, from the same list: "3", and then "2!". */
  chosenAgain: string | undefined;
  /** It takes back or corrects the message before, or chooses anew. */
  isCorrection: boolean;
};

/** Who chooses or corrects says little more than that. */
const SHORT_CHARACTERS = 80;
const SENTENCES_ASKING = 4;

export const exchangesIn = (left: readonly Event[]): Exchange[] => {
  const exchanges: Exchange[] = [];
  let answer = '';
  let before = '';
  /** The answer with the list from which the message before chose. */
  let list = '';
  for (const event of left) {
    if (event.type === 'assistant_message_added' && event.message.content !== '')
      answer = event.message.by_halter ? '' : event.message.content;
    if (event.type !== 'user_message_added') continue;
    const said = writtenText(event.content).replaceAll(/\s+/g, ' ').trim();
    const isShort = said.length <= SHORT_CHARACTERS;
    const asks = isShort && asksIn(answer);
    const corrects = isShort && isCorrection({ said, before, asks });
    const isListed = isShort && listItems(answer).length > 1;
    const isOther = list === '' || isListed || (asks && !corrects);
    const chosenAgain = isOther ? undefined : itemNamed(said, list, { isAgain: true });
    exchanges.push({ said, answer, before, chosenAgain, isCorrection: corrects || chosenAgain !== undefined });
    if (isListed && !isQuestion(said)) list = answer;
    else if (chosenAgain === undefined) list = '';
    answer = '';
    before = said;
  }
  return exchanges;
};

const asksIn = (answer: string): boolean => sentencesOf(answer).slice(-SENTENCES_ASKING).some(isQuestion);

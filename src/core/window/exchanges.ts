/** What the person said, message by message, with the answer of the model that stood before each. */
import type { Event } from '../events.ts';
import { writtenText } from '../message.ts';
import { questionsFor } from './asked-question.ts';
import { type Again, againLater, type Chosen } from './chosen-again.ts';
import { isCorrection } from './correcting-words.ts';
import { isQuestion } from './distinctive.ts';
import { CHOICE_CHARACTERS, itemOf, namesOther } from './item-named.ts';
import { listsIn } from './list-items.ts';
import { sentencesOf } from './sentences.ts';

export type Exchange = {
  said: string;
  /** With its lines as they were written, where it has several. */
  written?: string | undefined;
  answer: string;
  /** What the answer was an answer to. */
  before: string;
  /** The item that is chosen in place of one before, from the same list: "3", and then "2!". */
  chosenAgain: string | undefined;
  /** What that list is of. */
  chosenFrom?: string | undefined;
  /** It takes back or corrects the message before, or chooses anew right behind the choice. */
  isCorrection: boolean;
};

/** Who chooses or corrects says little more than that. */
const SHORT_CHARACTERS = 80;
/** Who chooses anew later does so soon. */
const LISTS_KEPT = 8;

export const exchangesIn = (left: readonly Event[]): Exchange[] => {
  const exchanges: Exchange[] = [];
  let answer = '';
  let before = '';
  /** The list from which the message before chose. */
  let last: Chosen | undefined;
  let earlier: Chosen[] = [];
  for (const event of left) {
    if (event.type === 'assistant_message_added' && event.message.content !== '')
      answer = event.message.by_halter ? '' : event.message.content;
    if (event.type !== 'user_message_added') continue;
    const written = writtenText(event.content);
    const said = written.replaceAll(/\s+/g, ' ').trim();
    const isShort = said.length <= SHORT_CHARACTERS;
    const asks = isShort && asksIn(said, answer);
    const corrects = isShort && isCorrection({ said, before, asks });
    const list = isShort ? listsIn(answer).at(-1) : undefined;
    const isOther = list !== undefined || (asks && !corrects);
    const atOnce = isOther ? undefined : againAtOnce(said, last);
    const again = atOnce ?? (isShort && list === undefined ? againLater(said, earlier, asks) : undefined);
    exchanges.push({
      said,
      written: written.includes('\n') ? written : undefined,
      answer,
      before,
      chosenAgain: again?.item,
      chosenFrom: again?.list.lead,
      isCorrection: corrects || atOnce !== undefined,
    });
    if (list && !isQuestion(said)) {
      last = { list, asked: before, answer };
      earlier = [...earlier, last].slice(-LISTS_KEPT);
    } else if (atOnce === undefined) last = undefined;
    answer = '';
    before = said;
  }
  return exchanges;
};

const againAtOnce = (said: string, chosen: Chosen | undefined): Again | undefined => {
  if (chosen === undefined || said.length > CHOICE_CHARACTERS) return undefined;
  const item = itemOf(said, chosen.list, { isAgain: true });
  if (item === undefined || namesOther({ said, answer: `${chosen.answer} ${said.match(WORDS)?.join(' ')}` }))
    return undefined;
  return { item, list: chosen.list };
};
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

const asksIn = (said: string, answer: string): boolean => questionsFor(said, sentencesOf(answer)).length > 0;

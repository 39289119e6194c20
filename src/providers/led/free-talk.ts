/** What needs no look-up, so that a small model may answer it in words of its own: a greeting, a chat, a poem. */
import { isQuestionWord } from './folder/asked.ts';

const GREETING =
  /^(?:(?:hi|hello|hey|hiya|howdy|yo|greetings|welcome|good (?:morning|afternoon|evening|night|day)|how are you(?: doing)?(?: today)?|how(?:'s| is) it going|how do you do|what(?:'s| is) up|nice to (?:meet|see) you|(?:good)?bye|see you(?: later| soon)?|take care|say (?:hi|hello)(?: in (?:\w+ )?words?| to (?:me|us|everyone|the world))*|ok(?:ay)?|yes|no|sure|great|cool|nice|wow|perfect|there|halter|everyone|again|and you)\b[\s,!.?…]*)+$/i;
const MADE_UP =
  /^(?:(?:please|can you|could you|now)[\s,]+)*(?:write|tell|make up|invent|compose|sing|recite|give)\b[^?]*\b(?:poem|poems|story|stories|joke|jokes|haiku|song|limerick|riddle|rhyme|tale|fairy ?tale)\b/i;
const SUBJECT = /^(?:i|we|you|he|she|it|they|that|this|my|our|your)(?:['’](?:m|re|s|ve|ll|d))?\b/i;
const STATES =
  /['’](?:m|re|ve|ll)\b|\b(?:am|is|are|was|were|have|has|had|will|can|do|did|like|love|hate|think|feel)\b/i;
const WANTS = /\b(?:need|want|would like|wonder(?:ing)?|looking for|know|tell|help|find|ask)\b/i;

export const isGreeting = (request: string): boolean => GREETING.test(request);

/** "I am tired": something told, and nothing asked. */
export const isTold = (request: string): boolean =>
  SUBJECT.test(request) &&
  STATES.test(request) &&
  !WANTS.test(request) &&
  !request.includes('?') &&
  !request.split(/[^\p{L}]+/u).some(isQuestionWord);

export const needsNoLookUp = (request: string): boolean => {
  const plain = request.trim();
  return !/[\p{L}\p{N}]/u.test(plain) || GREETING.test(plain) || MADE_UP.test(plain);
};

/** What is to be done no more: the person did it, or dropped it. */
import { valueKeys } from '../distinctive.ts';
import type { Exchange } from '../exchanges.ts';
import { sentencesOf } from '../sentences.ts';
import { isTelling, sharedWords } from './same-words.ts';

type Closing = { at: number; words: readonly string[]; did: readonly string[] };

/** Of a goal or something to do: what is said of it later, as of something that is over. */
export const createOver = (exchanges: readonly Exchange[]): ((note: string) => boolean) => {
  const said = exchanges.map((exchange) => exchange.said);
  const closing = said.flatMap((text, at) => (text.length > MESSAGE_CHARACTERS ? [] : closingsIn(text, at)));
  return (note) => {
    const told = valueKeys(note).filter(isTelling);
    return closing.some(({ at, words, did }) => {
      const shared = sharedWords(told, words);
      if (shared.length * 2 < told.length || shared.length === 0) return false;
      if (did.length > 0 && sharedWords(did, told).length === 0) return false;
      // "I opened a ticket" opens no valve.
      if (did.length > 0 && shared.every((word) => sharedWords([word], did).length > 0)) return false;
      const isOf = (text: string): boolean => sharedWords(shared, valueKeys(text)).length === shared.length;
      // It was asked for before, and is not again.
      return said.slice(0, at).some(isOf) && !said.slice(at + 1).some(isOf);
    });
  };
};
const MESSAGE_CHARACTERS = 400;

const closingsIn = (text: string, at: number): Closing[] =>
  sentencesOf(text).flatMap((sentence): Closing[] => {
    if (CONDITION.test(sentence) || NOT_YET.test(sentence) || sentence.endsWith('?')) return [];
    const words = valueKeys(sentence).filter(isTelling);
    const did = [...sentence.matchAll(DID)].map(([, verb = '']) => verb.toLowerCase());
    if (OVER.test(sentence)) return [{ at, words, did: [] }];
    return did.length > 0 ? [{ at, words, did }] : [];
  });

const OVER = new RegExp(
  [
    "(?:is|are|was|were|\\p{L}+['’]s) (?:already |all )?(?:done|finished|settled|cancelled|canceled)(?!\\p{L})",
    '(?<!\\p{L})(?:drop (?:that|it)|never ?mind|forget (?:it|that|about)|no longer needed|not needed any ?more)(?!\\p{L})',
    '(?<!\\p{L})(?:ist|sind) (?:schon |bereits )?(?:erledigt|fertig|hinfällig)(?!\\p{L})|hat sich erledigt|lass das(?!\\p{L})',
    "(?<!\\p{L})(?:c['’]est fait|est (?:déjà )?(?:fait|terminé)|laisse tomber|ya está|está hech|è (?:già )?fatto|lascia (?:stare|perdere))",
    '已经完成|不用了|もう終わ|済みです|已完成|уже (?:сделан|готов)',
  ].join('|'),
  'iu',
);
/** "I opened it on Friday." */
const DID =
  /(?<!\p{L})(?:I|we)(?: have|['’]ve)?(?: already)? (\p{L}+ed|wrote|sent|paid|bought|made|told|put|took)(?!\p{L})/giu;
const CONDITION =
  /(?<!\p{L})(?:when|once|if|after|until|before|as soon as|wenn|sobald|falls|bis|quand|dès|si|cuando|quando|se|если|когда)(?!\p{L})/iu;
const NOT_YET = /(?<!\p{L})(?:not|n['’]t|never|nicht|noch|pas|no está|non|не)(?!\p{L})(?! needed)/iu;

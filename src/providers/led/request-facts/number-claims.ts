/** Which number of a request stands beside the words of which argument. */
import type { JsonSchema } from '../../../core/json.ts';
import { asSchema } from '../grammar.ts';
import { contentWords } from '../words.ts';
import type { NumberMention } from './values.ts';

export type NumberClaim = { name: string; mention: NumberMention };

const NAME_WEIGHT = 2;
const WORDS_BEFORE = 5;
const WORDS_AFTER = 3;

/** The words around a number, up to the numbers next to it. */
const neighbourhood = (text: string, mentions: readonly NumberMention[], index: number): Set<string> => {
  const mention = mentions[index];
  if (mention === undefined) return new Set();
  const before = text.slice(mentions[index - 1]?.end ?? 0, mention.start);
  const after = text.slice(mention.end, mentions[index + 1]?.start ?? text.length);
  const clause = /^[^,;.!?]*/.exec(after)?.[0] ?? '';
  const sentence = before.split(/[;.!?]\s/).at(-1) ?? '';
  return new Set([
    ...contentWords(
      sentence
        .split(/\s+/)
        .slice(-WORDS_BEFORE - 3)
        .join(' '),
    ).slice(-WORDS_BEFORE),
    ...contentWords(
      clause
        .split(/\s+/)
        .slice(0, WORDS_AFTER + 3)
        .join(' '),
    ).slice(0, WORDS_AFTER),
  ]);
};

/** Only claims that are clear: the argument's best number, and no other argument wants that number as much. */
export const numberClaims = (
  text: string,
  mentions: readonly NumberMention[],
  names: readonly string[],
  properties: JsonSchema,
): NumberClaim[] => {
  const around = mentions.map((_, index) => neighbourhood(text, mentions, index));
  const described = names.map((name) => {
    const description = asSchema(properties[name])['description'];
    return new Set(contentWords(typeof description === 'string' ? description : ''));
  });
  const own = names.map((name) => new Set(contentWords(name)));
  const score = (argument: number, mention: number): number => {
    let sum = 0;
    for (const word of around[mention] ?? []) {
      if (own[argument]?.has(word) && own.filter((words) => words.has(word)).length === 1) sum += NAME_WEIGHT;
      else if (described[argument]?.has(word) && described.filter((words) => words.has(word)).length === 1) sum += 1;
    }
    return sum;
  };
  return names.flatMap((name, argument) => {
    const scores = mentions.map((_, index) => score(argument, index));
    const best = Math.max(0, ...scores);
    const index = scores.indexOf(best);
    const mention = mentions[index];
    if (best === 0 || mention === undefined || scores.filter((value) => value === best).length > 1) return [];
    const wantedMore = names.some((_, other) => other !== argument && score(other, index) >= best);
    return wantedMore ? [] : [{ name, mention }];
  });
};

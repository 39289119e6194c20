/** What the person said, by the values and the words in it: a note is held against what speaks of the same, and not against all. */
import { clauseValues, type Statement, sentenceKeys } from './person-said.ts';
import { formsOf } from './whole-values.ts';
import { createWordIndex } from './word-index.ts';

export type SaidIndex = {
  /** Those with a value, in whatever form, in their order. */
  withValue(value: string): readonly Statement[];
  /** Those with one of these words in their sentence, in their order, and how many each has there and in its clause. */
  about(words: readonly string[]): readonly { one: Statement; ofSentence: number; ofClause: number }[];
};

export const createSaidIndex = (statements: readonly Statement[]): SaidIndex => {
  const byValue = new Map<string, Set<number>>();
  const [sentences, clauses] = [createWordIndex(), createWordIndex()];
  for (const [at, one] of statements.entries()) {
    for (const form of clauseValues(one).flatMap((value) => [value, ...formsOf(value)])) {
      const places = byValue.get(form);
      if (places) places.add(at);
      else byValue.set(form, new Set([at]));
    }
    sentences.add(at, sentenceKeys(one));
    clauses.add(at, one.keys);
  }
  const inOrder = (places: Iterable<number>): number[] => [...places].sort((one, other) => one - other);
  return {
    withValue: (value) => {
      const places = [value, ...formsOf(value)].flatMap((form) => [...(byValue.get(form) ?? [])]);
      return inOrder(new Set(places)).map((at) => statements[at] as Statement);
    },
    about: (words) => {
      const [ofSentences, ofClauses] = [sentences.counts(words), clauses.counts(words)];
      return inOrder(ofSentences.keys()).map((at) => ({
        one: statements[at] as Statement,
        ofSentence: ofSentences.get(at) ?? 0,
        ofClause: ofClauses.get(at) ?? 0,
      }));
    },
  };
};

import { expect, test } from 'vitest';
import { dialectFiles, missingParts, REGISTRY_FILE } from '../scripts/dialects/registry.ts';
import { dialectNames } from '../src/dialects/index.ts';
import { DIALECT_ORDER } from '../src/dialects/order.ts';
import { CLUES, GRAMMARS, PROMPTS } from '../src/dialects/registry.ts';
import { verifies } from './requirements.ts';

const having = (part: string): string[] => {
  const files = dialectFiles();
  return DIALECT_ORDER.filter((name) => files.get(name)?.has(part));
};

test('every dialect is complete: its line, its grammar, its prompt and its cases', () => {
  verifies('L10');
  expect(missingParts()).toEqual([]);
});

test('the registry is the one that the files make', () => {
  const advice = `${REGISTRY_FILE} is out of date: run \`npm run dialects\``;
  expect(
    GRAMMARS.map(({ name }) => name),
    advice,
  ).toEqual(having('grammar'));
  expect(
    CLUES.map(([name]) => name),
    advice,
  ).toEqual(having('clues'));
  expect(Object.keys(PROMPTS), advice).toEqual(having('prompt'));
  expect(dialectNames(), advice).toEqual([...DIALECT_ORDER, 'auto']);
});

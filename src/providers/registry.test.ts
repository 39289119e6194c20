/** A provider is one file and one line. Where a list cannot follow from the registry, this says what it lacks. */
import { expect, it } from 'vitest';
import { PROVIDERS } from '../testing/scripted-server/table.ts';
import { SERVER_PROVIDER_NAMES } from './index.ts';

const missing = (names: readonly string[], where: readonly string[], whatToDo: string): string[] =>
  names.filter((name) => !where.includes(name)).map((name) => `${whatToDo}: add '${name}'`);

it('is known to the shared tests', () => {
  expect(
    missing(
      SERVER_PROVIDER_NAMES,
      PROVIDERS.map(({ name }) => name),
      'PROVIDERS in src/testing/scripted-server/table.ts, so that the shared tests run over it',
    ),
  ).toEqual([]);
});

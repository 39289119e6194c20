/** A provider is one file and one line. Where a list cannot follow from the registry, this says what it lacks. */
import { expect, it } from 'vitest';
import { FLAGS } from '../cli/flags.ts';
import { CONFIG_KEYS } from '../storage/config-file.ts';
import { PROVIDERS } from '../testing/scripted-server/table.ts';
import { PROVIDER_NAMES, SERVER_PROVIDER_NAMES } from './index.ts';

const missing = (names: readonly string[], where: readonly string[], whatToDo: string): string[] =>
  names.filter((name) => !where.includes(name)).map((name) => `${whatToDo}: add '${name}'`);

it('is known to the flags, to the settings and to the shared tests', () => {
  expect([
    ...missing(PROVIDER_NAMES, FLAGS.provider.choices, 'choices of --provider in src/cli/flags.ts'),
    ...missing(PROVIDER_NAMES, CONFIG_KEYS.provider.oneOf, '`provider` in src/storage/config-file.ts'),
    ...missing(
      SERVER_PROVIDER_NAMES,
      PROVIDERS.map(({ name }) => name),
      'PROVIDERS in src/testing/scripted-server/table.ts, so that the shared tests run over it',
    ),
  ]).toEqual([]);
});

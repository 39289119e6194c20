/** A number and what it counts agree: `1 line`, `2 lines`. Texts say it by `counted`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles, ROOT } from './source-files.ts';

const COUNTED =
  'attempts|bytes|calls|characters|checks|commands|corrections|documents|entries|errors|events|files|folders|hits|images|items|iterations|jobs|lines|messages|models|pages|parts|paths|pictures|places|problems|prompts|questions|repairs|requests|resources|results|rows|rules|servers|sessions|steps|symbols|tasks|times|tools|turns|vectors|warnings|ways|words';
const NUMBER_AND_NOUN = new RegExp(`(\\S*) ?\\$\\{([^{}]*)\\}\\}? (?:[a-z]+ )?(?:${COUNTED})\\b`, 'g');

/** A limit is more than one; so is the whole of which a part is shown. */
const isMoreThanOne = (before: string, expression: string): boolean =>
  /LIMITS\.|^(?:grouped\()?(?:max|most|limit)/i.test(expression) || /(?:^|[(`])of$/.test(before);

/** Expressions that are never one, or no number, each with the reason. */
const NEVER_ONE: Readonly<Record<string, string>> = {
  'files.length': 'one is said in other words before',
  more: 'one is said in other words before',
  'all.length': 'one is said in other words before',
  'begun.length': 'more than one begins with the word',
  'named.length': 'more than one has the name',
  'texts.length': 'more than one was joined',
  'tasks.length': 'the limit is reached',
  'places.length': 'one place is said in other words before',
  many: 'once is no fault',
  is: 'larger than a limit',
  size: 'larger than a limit',
  bytes: 'a limit',
  'grouped(bytes)': 'a limit',
  'grouped(size)': 'larger than a limit',
  'grouped(paths.length)': 'a limit is reached',
  'scope.length': 'one is said in other words before',
  count: 'one is said in other words before',
  ROUNDS_STOPPED: 'a limit',
  NAME_CHARACTERS: 'a limit',
  old: 'the name of a setting',
  'JSON.stringify(key.slice(ROLE_PREFIX.length))': 'a name',
  'request.redirects': 'a limit',
  'request.maxResponseBytes': 'a limit',
  "text.length.toLocaleString('en')": 'too long to be shown whole',
  "left.join(' and ')": 'words',
  group: 'a word',
  'words[1]': 'a word',
  'COMP_WORDS[COMP_CWORD-1]': 'a word of a shell script',
};

test('no text says "1 lines"', () => {
  const found = [...listFiles('src', ['.ts']), ...listFiles('web/src', ['.ts', '.tsx'])]
    .filter((path) => !/\.test(-d)?\.ts/.test(path))
    .flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(NUMBER_AND_NOUN)].flatMap(
        ([text, before = '', expression = '']) =>
          isMoreThanOne(before, expression) || NEVER_ONE[expression] !== undefined ? [] : [`${path}: ${text}`],
      ),
    );
  expect(found, 'Say these with `counted(count, noun)` (src/tools/support/format.ts), or name them above').toEqual([]);
});

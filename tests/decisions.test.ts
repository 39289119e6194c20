/** docs/decisions: numbered without gaps, each with a status and a date, each in the list. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source-files.ts';

const FOLDER = join(ROOT, 'docs', 'decisions');
const files = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const list = readFileSync(join(FOLDER, 'README.md'), 'utf8');

it('numbers the decisions without gaps', () => {
  const wrong = [...files].sort().filter((name, index) => !name.startsWith(`${String(index + 1).padStart(4, '0')}-`));
  expect(wrong, 'rename the file to the next free number of docs/decisions').toEqual([]);
});

it.each(files)('%s has its number, a status, a date and a line in the list', (name) => {
  const [title, , status] = readFileSync(join(FOLDER, name), 'utf8').split('\n');
  expect(title).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. .+`));
  expect(status).toMatch(
    /^Status: (?:proposed|accepted|replaced by \d+) · \d{4}-\d{2}-\d{2}(?:, changed \d{4}-\d{2}-\d{2})?$/,
  );
  expect(list, `add a line for ${name} to docs/decisions/README.md`).toContain(`](${name})`);
});

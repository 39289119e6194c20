/**
 * The packages that search was set on, none of which is reported, and none by the same people. By a package's name alone
 * it is settled what it is for: words are learned from four fifths; on the others the weights are fitted, and looked at.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../tests/source-files.ts';
import type { Package } from './packages.ts';

export type Purpose = 'words' | 'fitted' | 'checked';

const numberOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

const purposeOf = ({ language, name }: Package): Purpose =>
  numberOf(`words ${language} ${name}`) % 5 > 0 ? 'words' : numberOf(`fitted ${name}`) % 5 > 1 ? 'fitted' : 'checked';

const read = (): Package[] => {
  const text = readFileSync(join(ROOT, 'evals', 'retrieval', 'corpus.json'), 'utf8');
  const lists = JSON.parse(text) as Record<Package['language'], Record<string, string>>;
  return (Object.keys(lists) as Package['language'][]).flatMap((language) =>
    Object.entries(lists[language]).map(([name, version]) => ({ language, name, version })),
  );
};

export const packagesFor = (purpose: Purpose): Package[] => read().filter((item) => purposeOf(item) === purpose);

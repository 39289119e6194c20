/** What npm installs with the package says of itself that it runs on the oldest Node that the package names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source-files.ts';

type Locked = { version?: string; engines?: { node?: string }; link?: true } & Record<string, unknown>;

const read = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T;
const OLDEST = read<{ engines: { node: string } }>('package.json')
  .engines.node.replace('>=', '')
  .split('.')
  .map(Number);

/** Of the only form that they have: another one is to be read by a person first. */
const admits = (range: string): boolean => {
  const least = /^>=\s*(\d+(?:\.\d+)*)$/.exec(range)?.[1]?.split('.').map(Number);
  if (least === undefined) return false;
  const at = least.findIndex((part, place) => part !== (OLDEST[place] ?? 0));
  return at < 0 || (least[at] ?? 0) < (OLDEST[at] ?? 0);
};

it('npm warns of no package on the oldest Node', () => {
  const { packages } = read<{ packages: Record<string, Locked> }>('package-lock.json');
  const installed = Object.entries(packages).filter(
    ([name, locked]) =>
      name.startsWith('node_modules/') && !['dev', 'peer', 'optional', 'devOptional'].some((kind) => locked[kind]),
  );
  expect(installed.length).toBeGreaterThan(5);
  const refusing = installed.filter(([, { engines }]) => engines?.node !== undefined && !admits(engines.node));
  expect(refusing.map(([name, { version, engines }]) => `${name}@${version} wants ${engines?.node}`)).toEqual([]);
});

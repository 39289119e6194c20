import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { ROOT } from '../../tests/source-files.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { OUTSIDE_PACKAGES, type OutsidePackage, packageToInstall } from '../core/outside-packages.ts';
import { findPackage, loadPackage } from './load-package.ts';

const PACKAGES = Object.values(OUTSIDE_PACKAGES).map((one): [string, OutsidePackage] => [one.name, one]);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
  string,
  Record<string, string>
>;

const thrown = (message: string, code: string) => () => Promise.reject(Object.assign(new Error(message), { code }));
const missing = thrown("Cannot find package 'x' imported from /a/b.js", 'ERR_MODULE_NOT_FOUND');
/** As the driver of PostgreSQL before 8 ends. */
const withStack = thrown("Cannot find module 'pg-native'\nRequire stack:\n- /a/b.js", 'MODULE_NOT_FOUND');

/** `by`: added to the major, the minor and the patch. */
const moved = ({ version }: OutsidePackage, by: readonly number[]): string =>
  version
    .split('.')
    .map((part, index) => Number(part) + (by[index] ?? 0))
    .join('.');

const said = async (one: OutsidePackage, version: string | undefined, load: () => Promise<unknown> = withStack) => {
  const loaded = await loadPackage(one, load, () => ({ folder: '/f/node_modules/x', version }));
  return loaded.ok ? 'loaded' : loaded.error.message;
};

describe('a package from outside', () => {
  it('is in the table with the version of package.json, as each of them is', () => {
    const wanted = { ...dependencies, ...peerDependencies, ...optionalDependencies };
    expect(Object.fromEntries(PACKAGES.map(([name, { version }]) => [name, version]))).toEqual(wanted);
    const optional = Object.keys({ ...peerDependencies, ...optionalDependencies }).toSorted();
    expect(PACKAGES.flatMap(([name, { isOptional }]) => (isOptional ? [name] : [])).toSorted()).toEqual(optional);
  });

  it('is named in the documents with that version', () => {
    const named: readonly [string, OutsidePackage][] = [
      ['docs/how-to/many-machines.md', OUTSIDE_PACKAGES.postgres],
      ['docs/how-to/many-machines.md', OUTSIDE_PACKAGES.queue],
      ['docs/how-to/run-for-a-team.md', OUTSIDE_PACKAGES.postgres],
      ['docs/how-to/run-for-a-team.md', OUTSIDE_PACKAGES.queue],
      ['docs/how-to/troubleshooting.md', OUTSIDE_PACKAGES.engine],
      ['docs/how-to/use-the-library.md', OUTSIDE_PACKAGES.engine],
      ['deploy/kubernetes.yaml', OUTSIDE_PACKAGES.postgres],
      ['deploy/compose.yaml', OUTSIDE_PACKAGES.queue],
    ];
    for (const [path, one] of named) expect(read(path), path).toContain(packageToInstall(one));
  });

  it.each(PACKAGES)(
    '%s: missing, of another version or damaged, what was found and what mends it is said',
    async (_name, one) => {
      verifies('B12');
      const install = `npm install ${packageToInstall(one)}`;
      const none = await loadPackage(one, missing, () => undefined);
      expect(none).toMatchObject({
        ok: false,
        error: { message: `${one.missing} Install it with \`${install}\`, with -g where halter was.` },
      });
      for (const by of [
        [-1, 9, 9],
        [0, -1, 9],
        [0, 0, -1],
        [1, 0, 0],
      ]) {
        const version = moved(one, by);
        if (/(?:^|\.)-/.test(version)) continue;
        const message = await said(one, version);
        expect(message).toContain(`found ${version} in /f/node_modules/x, needs ${one.version}`);
        expect(message).toContain(install);
      }
      for (const version of [one.version, undefined]) {
        const message = await said(one, version);
        expect(message).toMatch(
          /found .* in \/f\/node_modules\/x\) cannot be loaded: Cannot find module 'pg-native'\. Remove .* Then start halter again\./,
        );
        expect(message).toContain(install);
        expect(message).not.toContain('\n');
      }
      // A package of its own is not found: that one is here, and is not said to be missing.
      expect(await said(one, one.version, missing)).toContain('cannot be loaded');
      expect(await said(one, 'latest')).toContain('found latest in');
    },
  );

  it.each(PACKAGES)('%s: a later version is taken that must keep what halter uses', async (_name, one) => {
    const load = () => Promise.resolve('it');
    const isFixed = one.usesInnerModules || one.version.startsWith('0.');
    expect(await said(one, moved(one, [0, 0, 1]), load)).toBe('loaded');
    const minor = await said(one, moved(one, [0, 1, 0]), load);
    if (isFixed) expect(minor).toContain('needs');
    else expect(minor).toBe('loaded');
  });

  it('is found where Node finds it, and its version is told where it can be', () => {
    const folder = scratchFolder();
    const put = (path: string, text?: string): string => {
      const whole = join(folder, path, 'node_modules', '@a', 'b');
      mkdirSync(whole, { recursive: true });
      if (text !== undefined) writeFileSync(join(whole, 'package.json'), text);
      return whole;
    };
    const from = (path: string): string => pathToFileURL(join(folder, path, 'x.js')).href;
    const above = put('', '{"version":"1.2.3"}');
    expect(findPackage('@a/b', from('c/d/dist'))).toEqual({ folder: above, version: '1.2.3' });
    const nearer = put('c', '{');
    expect(findPackage('@a/b', from('c/d/dist'))).toEqual({ folder: nearer, version: undefined });
    // It is being unpacked.
    put('c/d');
    expect(findPackage('@a/b', from('c/d/dist'))).toEqual({ folder: nearer, version: undefined });
    expect(findPackage('@a/other', from('c/d/dist'))).toBeUndefined();
    // In a bundle.
    expect(findPackage('@a/b', 'webpack://x')).toBeUndefined();
  });
});

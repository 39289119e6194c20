import fs from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { ROOT } from '../../tests/source-files.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { OWN_VERSION, ownPackage, packageFile } from './own-package.ts';

const manifest = (name = 'halter', version = OWN_VERSION): string => JSON.stringify({ name, version });
const url = (...parts: string[]): string => pathToFileURL(join(...parts)).href;
const INSTALLED = 'node_modules/halter/package.json';

/** A program that a bundler wrote to `file`, below a folder with these files. `built`: where the bundler says that it lies. */
const bundleAt = (file: string, files: Readonly<Record<string, string>>, built?: string) => {
  const folder = fs.realpathSync(scratchFolder());
  putFiles(folder, { [file]: '', ...files });
  const running = built ?? url(folder, file);
  const found = ownPackage({
    module: new URL('../disk/own-package.js', running).href,
    running,
    program: built === undefined ? undefined : join(folder, file),
  });
  return { folder, found };
};

describe('the files of the package', () => {
  it('belong to the version of package.json', () => {
    expect(JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8')).version).toBe(OWN_VERSION);
  });

  it('lie beside their modules in a checkout and in the package', () => {
    const place = new URL('./x-worker.ts', import.meta.url);
    expect(packageFile('disk/', place)).toEqual({ ok: true, value: place });
    const folder = scratchFolder();
    putFiles(folder, { 'package.json': manifest() });
    const module = url(folder, 'dist/disk/own-package.js');
    const found = ownPackage({ module, running: url(folder, 'dist/chunks/x.js'), program: undefined });
    expect(found).toEqual({ ok: true, value: { code: new URL(url(folder, 'dist/')), isBeside: false } });
  });

  it.each([
    ['in its folder', 'main.mjs', { [INSTALLED]: manifest() }],
    ['above it', 'out/deep/main.mjs', { [INSTALLED]: manifest() }],
    [
      'above a package of the name of another',
      'out/main.mjs',
      { [INSTALLED]: manifest(), 'package.json': manifest('app') },
    ],
    [
      'above another version',
      'out/main.mjs',
      { [INSTALLED]: manifest(), [`out/${INSTALLED}`]: manifest('halter', '0.1.0') },
    ],
    [
      'above another package in its place',
      'out/main.mjs',
      { [INSTALLED]: manifest(), [`out/${INSTALLED}`]: manifest('x') },
    ],
    ['above one that is being unpacked', 'out/main.mjs', { [INSTALLED]: manifest(), [`out/${INSTALLED}`]: '{' }],
    ['in a folder called dist', 'dist/x/main.mjs', { [INSTALLED]: manifest(), 'package.json': manifest('app') }],
  ])('are found for a bundle in the package that is installed %s', (_where, file, files) => {
    verifies('B12');
    for (const built of [undefined, 'file:///nowhere/that/it/was/built/main.js', 'webpack://app/main.js']) {
      const { folder, found } = bundleAt(file, files, built);
      const code = new URL(url(folder, 'node_modules/halter/dist/'));
      expect(found, built).toEqual({ ok: true, value: { code, isBeside: true } });
    }
  });

  it('are found where the package is a link into a store', () => {
    const store = fs.realpathSync(scratchFolder());
    putFiles(store, { 'halter/package.json': manifest() });
    const folder = scratchFolder();
    fs.mkdirSync(join(folder, 'node_modules'));
    fs.symlinkSync(join(store, 'halter'), join(folder, 'node_modules/halter'));
    const running = url(folder, 'main.mjs');
    fs.writeFileSync(join(folder, 'main.mjs'), '');
    const found = ownPackage({ module: new URL('../disk/x.js', running).href, running, program: undefined });
    expect(found).toMatchObject({ ok: true, value: { code: new URL(url(store, 'halter/dist/')) } });
  });

  it.each([
    ['nothing is installed', {}],
    ['another package has its place', { [INSTALLED]: manifest('other') }],
    ['it lies beside the folder and not above it', { [`workspace/${INSTALLED}`]: manifest() }],
    ['files lie where they would in the package', { 'search/index-worker.js': '', 'package.json': manifest('app') }],
  ])('are not looked for elsewhere where %s, and what to do is said', (_what, files) => {
    verifies('B12');
    const { folder, found } = bundleAt('app/main.mjs', files);
    const install = `Run \`npm install halter@${OWN_VERSION}\` in ${join(folder, 'app')}, or in a folder above it.`;
    expect(found).toMatchObject({ ok: false, error: { message: expect.stringContaining(install) } });
  });

  it('of another version are not run', () => {
    const { folder, found } = bundleAt('main.mjs', { [INSTALLED]: manifest('halter', '0.1.0') });
    const told = `(found 0.1.0 in ${join(folder, 'node_modules/halter')}, needs ${OWN_VERSION})`;
    expect(found).toMatchObject({ ok: false, error: { message: expect.stringContaining(told) } });
  });
});

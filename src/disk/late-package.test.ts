/** A package that is installed while halter runs. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';

/** A halter of its own, beside which packages can be installed while it runs. */
const installedHalter = (run: string): string => {
  const folder = scratchFolder();
  const source = (name: string): string => new URL(`../${name}`, import.meta.url).pathname;
  // Not below node_modules, where Node takes no types away.
  const real = join(folder, 'packages', 'halter');
  fs.mkdirSync(join(folder, 'node_modules'), { recursive: true });
  fs.cpSync(source('core'), join(real, 'src/core'), { recursive: true, filter: (name) => !name.endsWith('.test.ts') });
  fs.cpSync(source('disk'), join(real, 'src/disk'), { recursive: true, filter: (name) => !name.endsWith('.test.ts') });
  fs.writeFileSync(join(real, 'package.json'), JSON.stringify({ name: 'halter', type: 'module' }));
  fs.writeFileSync(join(real, 'src/run.ts'), run);
  return join(real, 'src/run.ts');
};

const RUN = `
import fs from 'node:fs';
import { loadPackage } from './disk/load-package.ts';
const [folder, name, manifest, file] = process.argv.slice(2);
const load = async () => {
  const one = { name, version: '1.2.3', title: 'It', missing: 'NOT THERE' };
  const loaded = await loadPackage(one, () => import(name));
  return loaded.ok ? 'loaded' : loaded.error.message.slice(0, one.missing.length);
};
const told = [await load(), await load()];
// As npm unpacks it: the folder first.
fs.mkdirSync(folder + '/node_modules/' + name, { recursive: true });
told.push(await load());
fs.writeFileSync(folder + '/node_modules/' + name + '/' + file, file.endsWith('.cjs') ? 'exports.a = 1' : 'export const a = await 1');
fs.writeFileSync(folder + '/node_modules/' + name + '/package.json', manifest);
told.push(await load());
console.log(JSON.stringify(told));
`;

it.each([
  ['late-package', { type: 'module', exports: { '.': { import: './it.js' } } }, 'it.js'],
  ['@late/package', { type: 'module', exports: './it.js' }, 'it.js'],
  ['late-main', { type: 'module', main: './it.js' }, 'it.js'],
  ['late-common', { main: './it.cjs' }, 'it.cjs'],
])('finds %s without another start after it was installed', (name, manifest, file) => {
  const script = installedHalter(RUN);
  const folder = join(script, '../../../..');
  const said = execFileSync(process.execPath, [script, folder, name, JSON.stringify({ name, ...manifest }), file], {
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual(['NOT THERE', 'NOT THERE', 'NOT THERE', 'loaded']);
});

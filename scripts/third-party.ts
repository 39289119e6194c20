/** The licences of the packages whose code is in the program, as each of them asks for. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of a package that a module belongs to; undefined for a module of the project. */
const packageFolder = (module: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module.replaceAll('\\', '/'))?.[0];

/** Throws for a package that brings no licence: its code may not be handed on. */
export const thirdPartyLicenses = (modules: readonly string[]): string => {
  const folders = [...new Set(modules.flatMap((module) => packageFolder(module) ?? []))].sort();
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
        license?: string;
      };
      const [file] = globSync('{LICENSE,LICENCE,license,licence,COPYING}*', { cwd: folder });
      if (license === undefined && file === undefined) throw new Error(`${name} brings no licence`);
      const text = file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '';
      return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
};

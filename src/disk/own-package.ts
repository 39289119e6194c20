/**
 * Files of halter that no bundler takes along: threads, grammars, vectors of words. They lie in the package. A bundle
 * finds them in the package that is installed beside it. It looks where the program lies and never where the process
 * works: that may be the folder of a stranger, and what is found is run.
 */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { withFoldersAbove } from './folders-above.ts';
import { manifestIn, NAME, placeOfCode } from './place-of-code.ts';
import { runningFile } from './running-file.ts';

/** As package.json has it: threads of another version speak otherwise. */
export const OWN_VERSION = '0.2.0';

type OwnPackage = {
  /** The folder of the code: `src/` of a checkout, `dist/` of the package. */
  code: URL;
  /** This code runs in a bundle, and the package is installed beside it. */
  isBeside: boolean;
};

type ProgramPlace = {
  /** Where this module stands in the package, if it is not in a bundle. */
  module: string;
  running: string;
  /** What Node was started with: bundlers name files of the machine that they ran on. */
  program: string | undefined;
};

const startedProgram = (): string | undefined => {
  // Otherwise it is an argument, and may be anybody's file.
  if (process.execArgv.some((argument) => /^(?:-[epi]+$|--(?:eval|print|interactive|test))/.test(argument)))
    return undefined;
  return process.argv[1];
};

const here = (): ProgramPlace => ({ module: import.meta.url, running: runningFile, program: startedProgram() });

export const ownPackage = (place: ProgramPlace = here()): Outcome<OwnPackage> => {
  const code = placeOfCode(place.module);
  if (code !== undefined) return succeed({ code, isBeside: false });
  const folders = foldersOf(place);
  const others: string[] = [];
  for (const folder of folders.flatMap(withFoldersAbove)) {
    const found = join(folder, 'node_modules', NAME);
    const { name, version } = manifestIn(found);
    if (name !== NAME) continue;
    if (version === OWN_VERSION)
      return succeed({ code: pathToFileURL(join(realpathSync(found), 'dist', '/')), isBeside: true });
    others.push(`${version} in ${found}`);
  }
  const install = `Run \`npm install ${NAME}@${OWN_VERSION}\` in ${folders[0] ?? 'the folder of the program'}, or in a folder above it.`;
  const found = others.length === 0 ? '' : ` (found ${others[0]}, needs ${OWN_VERSION})`;
  const words = `This program is a bundle, and a bundle does not hold halter's threads and grammars: the package must be installed beside it${found}.`;
  return failure('io_error', `${words} ${install}`, 'not_installed');
};

const foldersOf = ({ running, program }: ProgramPlace): string[] => {
  const files = [running.startsWith('file:') ? fileURLToPath(running) : undefined, program];
  return files.flatMap((file) => {
    try {
      return file === undefined ? [] : [dirname(realpathSync(file))];
    } catch {
      return [];
    }
  });
};

let own: OwnPackage | undefined;

/** Looked for until it is found. */
export const packageCode = (): Outcome<OwnPackage> => {
  if (own !== undefined) return succeed(own);
  const found = ownPackage();
  if (found.ok) own = found.value;
  return found;
};

/** `place`: the file as its module names it; `folder`: where it lies below the code of the package, such as `search/`. */
export const packageFile = (folder: string, place: URL): Outcome<URL> => {
  const found = packageCode();
  if (!found.ok) return found;
  const { code, isBeside } = found.value;
  return succeed(isBeside ? new URL(`${folder}${place.pathname.split('/').at(-1)}`, code) : place);
};

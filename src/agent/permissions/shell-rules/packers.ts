/** Programs that make a package, a backup or a web site of a folder, and send it mostly. */
import { behindOrder, valuesOf } from './uploads.ts';

/**
 * `order`: the words of the command, with options between them. `from`: the folder is the value of this option; otherwise
 * it is what follows, or the folder of the line. `leaves`: files that say what is left out.
 */
type Packer = {
  program: RegExp;
  order?: readonly RegExp[];
  from?: RegExp;
  needs?: RegExp;
  leaves?: readonly string[];
};
export type Packed = { operands: readonly string[]; leaves: readonly string[] };

const OF_NPM = ['package.json', '.npmignore', '.gitignore'];
const PACKS: readonly Packer[] = [
  { program: /^(?:npm|pnpm|yarn)$/, order: [/^(?:pack|publish)$/], leaves: OF_NPM },
  { program: /^yarn$/, order: [/^npm$/, /^publish$/], leaves: OF_NPM },
  { program: /^bun$/, order: [/^publish$/], leaves: OF_NPM },
  { program: /^bun$/, order: [/^pm$/, /^pack$/], leaves: OF_NPM },
  { program: /^(?:vsce|ovsx)$/, order: [/^(?:package|publish)$/], leaves: ['.vscodeignore'] },
  { program: /^helm$/, order: [/^package$/], leaves: ['.helmignore'] },
  { program: /^(?:vercel|vc|now)$/, leaves: ['.vercelignore', '.gitignore'] },
  { program: /^wrangler$/, order: [/^pages$/, /^(?:deploy|publish)$/] },
  { program: /^(?:netlify|ntl)$/, order: [/^deploy$/], from: /^(?:-d|--dir)$/ },
  { program: /^surge$/ },
  {
    program: /^gcloud$/,
    order: [/^(?:run|functions)$/, /^deploy$/],
    from: /^--source$/,
    leaves: ['.gcloudignore', '.gitignore'],
  },
  { program: /^gcloud$/, order: [/^app$/, /^deploy$/], leaves: ['.gcloudignore', '.gitignore'] },
  { program: /^(?:asar)$/, order: [/^(?:p|pack)$/] },
  { program: /^(?:restic|duplicacy|bupstash)$/, order: [/^backup$/] },
  { program: /^bup$/, order: [/^(?:index|save)$/] },
  { program: /^borg$/, order: [/^create$/] },
  { program: /^borgmatic$|^duplicity$|^rdiff-backup$|^unison$|^makeself$|^ditto$|^lrztar$|^zpaq$|^dar$|^star$/ },
  { program: /^kopia$/, order: [/^snap(?:shot)?$/, /^create$/] },
  { program: /^ipfs$/, order: [/^add$/], needs: /^-[a-zA-Z]*r|^--recursive$/ },
  { program: /^(?:croc|wormhole|ffsend|transfer)$/, order: [/^(?:send|upload)$/] },
  { program: /^fpm$/, from: /^-C$/ },
  { program: /^svn$/, order: [/^import$/] },
  { program: /^dpkg-deb$/, needs: /^-b$|^--build$/ },
];
/** It says what it would do, or only what its options are. */
const ONLY_TELLS = /^(?:--dry-run|--help|-h|--version|--list)$/;
/** Other commands of a program that packs where it is told nothing. */
const OTHER_COMMAND: Readonly<Record<string, RegExp>> = {
  vercel: /^(?!deploy$|\.|\/)[a-z][a-z-]*$/,
  vc: /^(?!deploy$|\.|\/)[a-z][a-z-]*$/,
  now: /^(?!deploy$|\.|\/)[a-z][a-z-]*$/,
  surge: /^(?:list|login|logout|whoami|teardown|token|plus|ssl)$/,
  zpaq: /^(?:x|l|extract|list)$/,
};

export const packed = (program: string, rest: readonly string[]): Packed | undefined => {
  if (rest.some((word) => ONLY_TELLS.test(word))) return undefined;
  const [first = ''] = rest.filter((word) => !word.startsWith('-'));
  if (Object.hasOwn(OTHER_COMMAND, program) && OTHER_COMMAND[program]?.test(first)) return undefined;
  const found = PACKS.filter(
    ({ program: name, needs }) => name.test(program) && (needs === undefined || rest.some((word) => needs.test(word))),
  ).flatMap((each) => packedBy(each, rest));
  const operands = found.flatMap((each) => each.operands);
  return found.length === 0 ? undefined : { operands, leaves: found[0]?.leaves ?? [] };
};

const packedBy = ({ order = [], from, leaves = [] }: Packer, rest: readonly string[]): Packed[] => {
  // Where it goes and a word of the command are no files.
  const isFile = (word: string): boolean => !/^(?:-|(?:deploy|a|add)$)|::|:\/\//.test(word);
  const here = valuesOf(rest, /^(?:-C|--prefix|--cwd|--dir)$/);
  return behindOrder(rest, order).map((behind) => {
    const told = (from === undefined ? behind : valuesOf(behind, from)).filter(isFile);
    return { operands: told.length > 0 ? told : here.length > 0 ? here : ['.'], leaves };
  });
};

/** Programs that make a package, a backup or a web site of a folder, and send it mostly. */
import { BUILDERS } from './packers/builders.ts';
import type { Packer } from './packers/packer.ts';
import { PACKERS } from './packers/programs.ts';
import { behindOrder, ofCommand } from './uploads.ts';

export type Packed = {
  operands: readonly string[];
  leaves: readonly string[];
  /** Whether a file, by its path from the operand on, is never taken. */
  skips(below: string): boolean;
};

export const packed = (program: string, rest: readonly string[]): Packed | undefined => {
  const words = ofCommand(program, rest);
  const found = rowsOf(program).flatMap((packer) => packedBy(packer, words));
  if (found.length === 0) return undefined;
  return {
    operands: found.flatMap(({ operands }) => operands),
    // One reading of the line may leave out what another takes.
    leaves: changesIgnored(words) ? [] : (found[0]?.leaves ?? []),
    skips: (below) => found.every(({ skips }) => skips(below)),
  };
};

/** The rows of a program that is known. */
const rowsOf = (program: string): Packer[] =>
  [...PACKERS, ...BUILDERS].filter((packer) => packer.program.test(program));
export const isKnownPacker = (program: string): boolean => rowsOf(program).length > 0;

/** What a program of no row takes, whose words say that it does so. */
export const packedAs = (packer: Packer, words: readonly string[]): readonly string[] => [
  ...new Set(packedBy(packer, words).flatMap(({ operands }) => operands)),
];

const changesIgnored = (words: readonly string[]): boolean =>
  words.some((word) => /^--(?!ignore-scripts)[\w-]*ignore/i.test(word));

const packedBy = (packer: Packer, words: readonly string[]): Packed[] => {
  const { order = [], others, needs, tells = /^--(?:dry-run|help)$/, skips } = packer;
  const leaves = namesOther(packer, words) ? [] : (packer.leaves ?? []);
  const whole = readWords(packer, words);
  if (onlyTells(tells, words, whole)) return [];
  if (needs !== undefined && !words.some((word) => needs.test(word))) return [];
  if (others?.test(whole.plain[0] ?? '')) return [];
  return behindOrder(words, order).map((behind) => {
    const read = readWords(packer, behind);
    return {
      operands: [...placesOf(packer, read, whole.folders), ...namedFolders(packer, words)],
      // A file that is named stands in the folder of the line, and the usual one in what is packed.
      leaves: isFileNamed(packer, words) && !read.plain.every((word) => /^\.\/?$/.test(word)) ? [] : leaves,
      skips: (below) => skips?.test(below) === true,
    };
  });
};

const isFileNamed = ({ otherFile }: Packer, words: readonly string[]): boolean =>
  words.some((word) => otherFile?.test(word));
/** `-f Dockerfile` names the usual one. */
const namesOther = ({ otherFile, leaves = [] }: Packer, words: readonly string[]): boolean =>
  words.some((word, at) => {
    if (!otherFile?.test(word)) return false;
    const value = /^--?[\w-]+$/.test(word) ? words[at + 1] : word.replace(/^[^=]*=/, '');
    return !leaves.includes((value ?? '').replace(/^\.\//, ''));
  });

const namedFolders = ({ named }: Packer, words: readonly string[]): string[] =>
  words.flatMap((word, at) => {
    const [option = '', ...value] = word.split('=');
    if (!named?.test(option)) return [];
    const told = value.length > 0 ? value.join('=') : (words[at + 1] ?? '');
    const folder = told.replace(/^[^=]*=/, '');
    return folder.includes('://') ? [] : [folder];
  });

/** `--dry-run false` is none. */
const onlyTells = (tells: RegExp, words: readonly string[], { options }: Words): boolean =>
  options.some((word) => tells.test(word)) &&
  !words.some(
    (word, at) => /^--no-dry-run|^--dry-run=/.test(word) || (tells.test(word) && SWITCH.test(words[at + 1] ?? '')),
  );
const SWITCH = /^(?:true|false|null|yes|no|on|off|0|1)$/i;

/** The folder of the line is taken unless a word that is surely no option's value names another. */
const placesOf = (
  { isHere, isBeside, least = 1, elsewhere }: Packer,
  { plain, maybe, options }: Words,
  folders: readonly string[],
): string[] => {
  // Where it goes is no file; `src=/opt/x` is what lies in `src`.
  const isFile = (word: string): boolean => !/::|:\/\//.test(word);
  const files = plain.filter(isFile);
  const isElsewhere = [...plain, ...maybe, ...options].some((word) => elsewhere?.test(word));
  const isTold = folders.length > 0 || (!isHere && (isElsewhere || files.length >= least));
  const named = [...files, ...maybe.filter(isFile)].flatMap((word) => [
    word,
    word.replace(/=.*$/s, '') || word,
    ...(isBeside ? [folderOf(word)] : []),
  ]);
  const within = folders.flatMap((folder) => named.map((word) => `${folder}/${word}`));
  return [...new Set([...(isTold ? folders : ['.']), ...named, ...within])];
};
const folderOf = (file: string): string =>
  /\.(?:ya?ml|xml|json|toml)$/i.test(file) ? file.replace(/(?:^|\/)[^/]*$/, '') || '.' : file;

type Words = {
  /** Surely no values of options. */
  plain: readonly string[];
  /** Values of options, or plain words: only the program knows. */
  maybe: readonly string[];
  options: readonly string[];
  folders: readonly string[];
};

const readWords = ({ flags = '', folder, tells, takesMany }: Packer, words: readonly string[]): Words => {
  const alone = new Set(`${flags} --help --dry-run`.split(' '));
  const found = { plain: [] as string[], maybe: [] as string[], options: [] as string[], folders: [] as string[] };
  let mayBeValue = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') {
      // The end of the options, or the value of one.
      (mayBeValue ? found.maybe : found.plain).push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-')) {
      (mayBeValue || SWITCH.test(word) ? found.maybe : found.plain).push(word);
      mayBeValue = mayBeValue && takesMany === true;
      continue;
    }
    const [name = '', ...value] = word.split('=');
    if (!mayBeValue && folder?.test(name)) {
      if (value.length === 0) at += 1;
      found.folders.push(value.length > 0 ? value.join('=') : (words[at] ?? '.'));
      continue;
    }
    if (!mayBeValue) found.options.push(word);
    if (value.length > 0) found.maybe.push(value.join('='));
    mayBeValue = value.length === 0 && !alone.has(word) && tells?.test(word) !== true;
  }
  return found;
};

/**
 * Programs that go through a folder and follow the links in it: `grep -R`, `find -L`, `ls -LR`. No word of the line names
 * what those lead to, so it is looked up.
 */
import { isSecretPath } from '../../../core/policy/sensitive-files.ts';
import { asksForNamesOnly } from './objections/option-tables.ts';
import { line, type Objection } from './objections.ts';
import type { ShellSurroundings } from './surroundings.ts';
import { withoutVersion } from './wrappers.ts';

type Follows = (options: readonly string[]) => boolean;
const given =
  (...forms: readonly RegExp[]): Follows =>
  (options) =>
    forms.every((form) => options.some((option) => form.test(option)));
const always =
  (unless: RegExp, ...forms: readonly RegExp[]): Follows =>
  (options) =>
    !options.some((option) => unless.test(option)) && given(...forms)(options);

const DEREFERENCE = /^-[A-Za-z]*[LH]|^--deref/;
const RECURSIVE = /^-[A-Za-z]*[rR]|^--recurs/;
/** Long options count in every abbreviation; of short ones, letters of a value are an option too many. */
const FOLLOWS: Readonly<Record<string, Follows>> = {
  ...Object.fromEntries(
    'grep egrep fgrep rgrep ggrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep pcregrep pcre2grep'
      .split(' ')
      .map((name) => [name, given(/^-[A-Za-z]*R|^--deref/)]),
  ),
  ugrep: given(/^-[A-Za-z]*[RS]|^--deref/),
  ug: given(/^-[A-Za-z]*[RS]|^--deref/),
  ...Object.fromEntries('rg rga ripgrep-all'.split(' ').map((name) => [name, given(/^-[A-Za-z]*L|^--fo/)])),
  ...Object.fromEntries('ag pt sift ack'.split(' ').map((name) => [name, given(/^-[A-Za-z]*f|^--fo/)])),
  find: given(/^-[A-Za-z]*L|^-follow$/),
  gfind: given(/^-[A-Za-z]*L|^-follow$/),
  ...Object.fromEntries('fd fdfind'.split(' ').map((name) => [name, given(/^-[A-Za-z]*L|^--fo/)])),
  ...Object.fromEntries('ls dir vdir du'.split(' ').map((name) => [name, given(DEREFERENCE)])),
  tree: given(/^-[A-Za-z]*l/),
  diff: always(/^--no-d/, RECURSIVE),
  ...Object.fromEntries('tar gtar bsdtar'.split(' ').map((name) => [name, given(/^-?[A-Za-z]*[hL]|^--deref/)])),
  ...Object.fromEntries('7z 7za 7zz 7zr'.split(' ').map((name) => [name, always(/^-snl/, /^[au]$/)])),
  zip: always(/^-[A-Za-z]*y|^--sym/, RECURSIVE),
  cp: given(DEREFERENCE),
  rsync: given(/^-[A-Za-z]*[LkK]|^--copy-(?:l|unsafe|dirl)/),
  scp: given(RECURSIVE),
};
/** Their first word holds options without a dash. */
const BARE_OPTIONS = /^(?:tar|gtar|bsdtar|7z[arz]?)$/;

export const followedObjections = (
  words: readonly string[],
  folders: readonly string[],
  surroundings: ShellSurroundings,
): Objection[] => {
  const program = withoutVersion(words[0] ?? '');
  const follows = Object.hasOwn(FOLLOWS, program) ? FOLLOWS[program] : undefined;
  const rest = words.slice(1);
  const options = rest.filter((word, at) => word.startsWith('-') || (at === 0 && BARE_OPTIONS.test(program)));
  if (follows === undefined || !follows(options)) return [];
  // A pattern or a value among them is no folder, and nothing lies below it.
  const operands = rest.filter((word) => !word.startsWith('-'));
  const starts = operands.some((word) => folders.some((folder) => surroundings.isA('folder', folder, word)))
    ? operands
    : ['.', ...operands];
  for (const folder of folders)
    for (const start of starts) {
      const found = leadingAway(program, folder, start, surroundings);
      if (found !== undefined) return [found];
    }
  return [];
};

const leadingAway = (
  program: string,
  folder: string,
  start: string,
  surroundings: ShellSurroundings,
): Objection | undefined => {
  const links = surroundings.linksBelow(folder, start);
  if (links === undefined) return line(0, `${start} holds too many files to be looked at`);
  if (links.away !== undefined) {
    const { name, file } = links.away;
    return { ...line(0, `${program} follows ${name}, which leads outside the workspace`), away: file };
  }
  if (asksForNamesOnly(program)) return undefined;
  const isSecret = (place: string): boolean =>
    isSecretPath(place) || surroundings.secretBelow('.', place === '' ? '.' : place) !== undefined;
  const secret = links.places.find(isSecret);
  return secret === undefined
    ? undefined
    : { ...line(0, `${program} follows a link to ${secret || 'the folder'}, which may hold secrets`), about: 'secret' };
};

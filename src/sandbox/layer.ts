/**
 * A layer over a writable folder: the command sees the folder as it is and may write anything, and what it writes lies in
 * a folder of halter's own until the command has ended. The kernel does it (overlayfs), in the command's own mount
 * namespace, so nothing of it is visible outside, and nothing is left if halter is killed.
 */
import { accessSync, chmodSync, constants, rmdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import { removeLater, runProgram } from './run-program.ts';
import { SandboxShortage } from './shortage.ts';

/** `base` holds `l` (a link to the folder), `u` (what was written), `w` (the kernel's own) and `m` (what the command sees). */
export type Layer = { root: string; base: string };

/** What mounts; in fixed places, since a program of that name in the workspace would be somebody else's. */
export type LayerPrograms = { unshare: string; bash: string; mount: string };

export const firstOf = (name: string): string | undefined =>
  [`/usr/bin/${name}`, `/bin/${name}`, `/run/current-system/sw/bin/${name}`].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

export const findLayerPrograms = (): LayerPrograms | undefined => {
  const [unshare, bash, mount] = ['unshare', 'bash', 'mount'].map(firstOf);
  return unshare && bash && mount ? { unshare, bash, mount } : undefined;
};

export const makeLayer = (root: string, base: string): Layer => {
  for (const name of ['u', 'w/1', 'w/2', 'm', 't']) makeFolder(path.join(base, name));
  symlinkSync(root, path.join(base, 'l'));
  // The top folder has the rights of `u`: what the person may not write to, the command may not either.
  if (!isWritable(root)) chmodSync(path.join(base, 'u'), 0o500);
  return { root, base };
};

/** By the person. */
export const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** What was written is moved out of there. */
export const openToUs = (layer: Layer): void => chmodSync(writtenFolder(layer), 0o700);

/** What the command sees in place of the folder, for those that share its mount namespace. */
export const seenFolder = ({ base }: Layer): string => path.join(base, 'm');
export const writtenFolder = ({ base }: Layer): string => path.join(base, 'u');
/** On the same file system as what was written, so that things can be put aside by renaming them. */
export const asideFolder = ({ base }: Layer): string => path.join(base, 't');

/**
 * The folder of a layer is entered first: names of folders may hold what the options of a mount give another meaning. Then
 * sockets of other programs are covered, and every descriptor is closed that somebody left open for us, but the first three
 * and the one that is kept. What went away since it was looked for needs no cover, and could have none. `volatile`:
 * nothing is written to the disk before it is put into the real folder, and then as the command itself would have done it.
 */
const START = `
mount=$1 filter=$2 kept=$3 layers=$4; shift 4
while [ "$1" != -- ]; do
  cd -- "$1" && "$mount" -i -n -t overlay overlay -o lowerdir=l,upperdir=u,workdir="w/$layers",userxattr,volatile m || exit 125
  shift
done
shift
cd /
while [ "$1" != -- ]; do
  "$mount" -i -n --bind /dev/null "$1" 2>/dev/null || [ ! -S "$1" ] || exit 125
  shift
done
shift
for file in /proc/self/fd/*; do
  number=\${file##*/}
  [ "$number" -gt 2 ] && [ "$number" != "$kept" ] && eval "exec $number>&-"
done
[ -n "$filter" ] && exec 9<"$filter"
checked=()
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
  if [ "$1 $2" = '--ro-bind /dev/null' ] && [ ! -e "$3" ]; then shift 3; continue; fi
  checked+=("$1"); shift
done
exec "\${checked[@]}" "$@"
`;

/** What `START` ends with where it could not mount. */
const NOT_MADE = 125;

export type StartOptions = {
  layers: readonly Layer[];
  /** Sockets of other programs. */
  sockets?: readonly string[];
  /** A file with the filter of system calls. */
  filter?: string;
  /** A descriptor that stays open beside the first three. */
  kept?: number;
  /** The layers were mounted before; the kernel wants another folder of its own then. */
  again?: boolean;
};

/** `command` where the layers are mounted, if any, with no descriptor open that it was not given. */
export const startCommand = (
  { unshare, bash, mount }: LayerPrograms,
  { layers, sockets = [], filter = '', kept, again = false }: StartOptions,
  command: readonly string[],
): string[] => [
  ...(layers.length + sockets.length === 0 ? [] : [unshare, ...ownNamespace(), '--mount', '--']),
  ...[bash, '--norc', '--noprofile', '-p', '-c', START, 'layers', mount, filter, String(kept ?? ''), again ? '2' : '1'],
  ...layers.map(({ base }) => base),
  '--',
  ...sockets,
  '--',
  ...command,
];

const ownNamespace = (): string[] => (process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']);

/** Whether such a layer can be made over this folder; throws where that could not be tried. Takes some ten milliseconds. */
export const tryLayer = async (programs: LayerPrograms, layer: Layer): Promise<boolean> => {
  const { code } = await runProgram(startCommand(programs, { layers: [layer] }, ['/bin/sh', '-c', ':']), '');
  // A shell that could make no process says nothing about layers.
  if (code === null || code > NOT_MADE)
    throw new SandboxShortage('the sandbox could not be made: a layer could not be tried');
  return code === 0;
};

/**
 * The names in folders as the command left them; `folders` are relative to the root. A folder that was removed and made
 * again hides what was in it, and only the kernel knows of that. Undefined where it could not be asked.
 */
export const listSeen = async (
  programs: LayerPrograms,
  layer: Layer,
  folders: readonly string[],
): Promise<Map<string, Set<string>> | undefined> => {
  const line = 'cd -- "$1" && xargs -0 -r -n 200 sh -c \'exec find "$@" -mindepth 1 -maxdepth 1 -print0\' sh';
  const command = startCommand(programs, { layers: [layer], again: true }, [
    '/bin/sh',
    '-c',
    line,
    'sh',
    seenFolder(layer),
  ]);
  const { code, output } = await runProgram(command, folders.map((folder) => `./${folder}\0`).join(''));
  if (code !== 0) return undefined;
  const seen = new Map(folders.map((folder) => [folder, new Set<string>()]));
  for (const found of output.toString('utf8').split('\0')) {
    if (found !== '') seen.get(path.posix.dirname(found.slice(2)))?.add(path.posix.basename(found));
  }
  return seen;
};

/**
 * What holds something goes in the background, since nobody waits for it. `rm` follows no link, whatever happens meanwhile
 * to what was moved here.
 */
export const removeLayer = ({ base }: Layer): void => {
  for (const work of ['w/1/work', 'w/2/work']) {
    for (const name of ['', 'incompat', 'incompat/volatile']) unlock(path.join(base, work, name));
  }
  if (removeEmpty(base)) return;
  removeLater(base);
};

/** Without a process, where the command wrote nothing. */
const removeEmpty = (base: string): boolean => {
  try {
    for (const name of ['u', 'm', 't']) rmdirSync(path.join(base, name));
    for (const work of ['w/1', 'w/2']) {
      rmSync(path.join(base, work, 'work/incompat/volatile/dirty'), { force: true });
      for (const name of ['work/incompat/volatile', 'work/incompat', 'work', 'index', '']) {
        removeFolder(path.join(base, work, name));
      }
    }
    rmdirSync(path.join(base, 'w'));
    unlinkSync(path.join(base, 'l'));
    rmdirSync(base);
    return true;
  } catch {
    return false;
  }
};

/** The kernel leaves folders that nobody may enter. */
const unlock = (folder: string): void => {
  try {
    chmodSync(folder, 0o700);
  } catch {
    // It was never mounted.
  }
};

const removeFolder = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

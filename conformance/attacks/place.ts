/** The bad place that a case puts the program into: a full or read-only disk, another user, limits of the system. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { CannotRun, Unmet } from './attack-case.ts';
import type { Scene } from './scene.ts';

export type Place = {
  /** Comes before the program and its arguments. */
  command: string[];
  /** The disk is another one there: files have to be put there from inside. */
  inside: boolean;
};

/** Words of `given` that name such a place. */
export const PLACE_WORDS: readonly string[] = ['disk_free_bytes', 'disk', 'mount', 'run_as', 'ulimit_n', 'ulimit_f_kb'];

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const BIND = ['--dev-bind', '/', '/'];

const limited = (limit: string): Place => ({ command: ['sh', '-c', `${limit}; exec "$@"`, 'sh'], inside: false });

/** Everything but the last block is used up, so that a file that is there can be read and none can be written. */
const fullDisk = (scene: Scene, folder: string): Place => {
  const before = path.join(scene.scratch, 'disk');
  fs.mkdirSync(before, { recursive: true });
  const disk = ['--bind', folder, before, '--size', String(FULL_DISK_BYTES), '--tmpfs', folder];
  return { command: ['bwrap', ...BIND, ...disk, 'sh', '-c', IN_FULL_DISK, before, folder], inside: false };
};
const FULL_DISK_BYTES = 1024 * 1024;
/** The files of before are there, and what came of them is put back at the end. */
const IN_FULL_DISK = [
  'folder=$1; shift; cp -a "$0/." "$folder"; cat /dev/zero > "$folder/filler" 2>/dev/null',
  '"$@"; code=$?',
  'rm "$folder/filler"; cp -a "$folder/." "$0"; exit $code',
].join('\n');

const ofDisk = (scene: Scene, disk: unknown, folder: string): Place => {
  fs.mkdirSync(folder, { recursive: true });
  if (disk === 'full') return fullDisk(scene, folder);
  if (disk === 'read-only') return { command: ['bwrap', ...BIND, '--ro-bind', folder, folder], inside: false };
  throw new Unmet(`a disk that is ${JSON.stringify(disk)} is not known`);
};

/** Who is not root is refused as it is. */
const ofUser = (scene: Scene, user: unknown): Place | undefined => {
  const id = /^uid (\d+)$/.exec(String(user))?.[1];
  if (id === undefined) throw new Unmet(`the user ${JSON.stringify(user)} is not known`);
  if (process.getuid?.() !== 0) return undefined;
  if (!works('setpriv', '--version'))
    throw new CannotRun('root may read everything, and setpriv is not there (apt-get install util-linux)');
  for (const name of [scene.scratch, ...fs.readdirSync(scene.scratch, { recursive: true, encoding: 'utf8' })])
    fs.lchownSync(name === scene.scratch ? name : `${scene.scratch}/${name}`, Number(id), Number(id));
  return { command: ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--'], inside: false };
};

/** `folder`: what lies on the disk that is meant. Undefined where the case names no such place. */
export const badPlace = (scene: Scene, folder: string): Place | undefined => {
  const { disk_free_bytes, disk, mount, run_as, ulimit_n, ulimit_f_kb } = scene.attack.given;
  if (ulimit_n !== undefined) return limited(`ulimit -n ${Number(ulimit_n)}`);
  // The unit of `ulimit -f` is half a kilobyte.
  if (ulimit_f_kb !== undefined) return limited(`ulimit -f ${Number(ulimit_f_kb) * 2}`);
  if ((disk_free_bytes ?? mount ?? disk) !== undefined && !works('bwrap', ...BIND, 'true'))
    throw new CannotRun('bubblewrap does not work here (apt-get install bubblewrap)');
  if (disk !== undefined) return ofDisk(scene, disk, folder);
  if (disk_free_bytes !== undefined)
    return { command: ['bwrap', ...BIND, '--size', String(disk_free_bytes), '--tmpfs', folder], inside: true };
  if (mount === 'read-only') return ofDisk(scene, 'read-only', folder);
  if (mount !== undefined) throw new Unmet(`a mount ${JSON.stringify(mount)} is not known`);
  return run_as === undefined ? undefined : ofUser(scene, run_as);
};

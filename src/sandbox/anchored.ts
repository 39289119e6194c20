/**
 * Folders that are held open, so that a name in one means that very folder whatever is put in the place of its path
 * meanwhile. Another command may be running that swaps a folder for a link that leads outside.
 */
import fs from 'node:fs';

const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_NONBLOCK } = fs.constants;

export class AnchoredFolder {
  readonly #descriptor: number;

  /** Follows no link in the last name. Throws what the system says: ENOTDIR, ELOOP or ENOENT. */
  constructor(path: string) {
    this.#descriptor = fs.openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  }

  /** A path for system calls that names an entry of precisely this folder. */
  at(name: string): string {
    return `/proc/self/fd/${this.#descriptor}/${name}`;
  }

  /** The folder itself, for system calls. */
  get self(): string {
    return `/proc/self/fd/${this.#descriptor}/.`;
  }

  /** Undefined where there is no folder of that name, or a link. */
  child(name: string): AnchoredFolder | undefined {
    try {
      return new AnchoredFolder(this.at(name));
    } catch {
      return undefined;
    }
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }
}

/** The folder of a path below another, anchored on the whole way; undefined where it is missing or leads through a link. */
export const openBelow = (root: string, segments: readonly string[]): AnchoredFolder | undefined => {
  let folder: AnchoredFolder | undefined;
  try {
    folder = new AnchoredFolder(root);
  } catch {
    return undefined;
  }
  for (const segment of segments) {
    const next: AnchoredFolder | undefined = folder.child(segment);
    folder.close();
    if (next === undefined) return undefined;
    folder = next;
  }
  return folder;
};

/** A small regular file, without following a link and without waiting for a pipe. */
export const readSmallFile = (path: string, maxBytes: number): string | undefined =>
  readSmallBytes(path, maxBytes)?.toString('utf8');

export const readSmallBytes = (path: string, maxBytes: number): Buffer | undefined => {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    return fs.readFileSync(descriptor);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
};

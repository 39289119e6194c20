/**
 * A download in the making. It is written beside its goal under a name of its own (`….gguf.<pid>-<n>.part`), so that two
 * processes never write to one file, and becomes the goal by a rename after its checksum was right. What a process left
 * behind is taken over by the next one, which goes on where it stopped.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { escapedPattern } from '../../../core/escaped-pattern.ts';
import { makeFolder, SHARED_MODE } from '../../../disk/make-folder.ts';
import { EMBEDDED_LIMITS } from '../limits.ts';

const isAlive = (pid: number): boolean => {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** What a pull that ended leaves for the next one. */
export const leftPart = (goal: string): string => `${goal}.0-0.part`;

const partPattern = (goal: string): RegExp =>
  new RegExp(`^${escapedPattern(path.basename(goal))}\\.(\\d+)-(\\d+)\\.part$`);

export class PartFile {
  readonly file: string;
  /** Bytes that are on disk and in the hash. */
  size = 0;
  private readonly goal: string;
  private handle: FileHandle;
  private hash: Hash = createHash('sha256');

  private constructor(goal: string, file: string, handle: FileHandle) {
    this.goal = goal;
    this.file = file;
    this.handle = handle;
  }

  static async open(goal: string): Promise<PartFile> {
    makeFolder(path.dirname(goal), SHARED_MODE);
    for (let number = 0; ; number += 1) {
      const file = `${goal}.${process.pid}-${number}.part`;
      try {
        const handle = await open(file, 'wx+');
        const part = new PartFile(goal, file, handle);
        await part.adopt();
        return part;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= EMBEDDED_LIMITS.partFiles) throw error;
      }
    }
  }

  /** Takes over the longest part that no living process owns; the rename lets only one process have it. */
  private async adopt(): Promise<void> {
    const folder = path.dirname(this.goal);
    const pattern = partPattern(this.goal);
    const orphans: { file: string; size: number }[] = [];
    for (const name of await readdir(folder)) {
      const owner = pattern.exec(name)?.[1];
      if (owner === undefined || isAlive(Number(owner))) continue;
      const file = path.join(folder, name);
      const size = await stat(file).then(
        (found) => found.size,
        () => 0,
      );
      orphans.push({ file, size });
    }
    orphans.sort((a, b) => b.size - a.size);
    for (const [index, orphan] of orphans.entries()) {
      if (index === 0 && orphan.size > 0) {
        try {
          await rename(orphan.file, this.file);
          await this.handle.close();
          this.handle = await open(this.file, 'r+');
          await this.readBack();
        } catch {
          // Another process was faster: begin from nothing.
        }
      } else await rm(orphan.file, { force: true });
    }
  }

  private async readBack(): Promise<void> {
    for await (const piece of createReadStream(this.file)) {
      this.hash.update(piece as Buffer);
      this.size += (piece as Buffer).length;
    }
  }

  async restart(): Promise<void> {
    await this.handle.truncate(0);
    this.hash = createHash('sha256');
    this.size = 0;
  }

  async write(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await this.handle.write(bytes, written, bytes.length - written, this.size + written);
      written += bytesWritten;
    }
    this.hash.update(bytes);
    this.size += bytes.length;
  }

  /** The goal is there afterwards, whole, or nothing is. */
  async complete(sha256: string): Promise<boolean> {
    if (this.hash.copy().digest('hex') !== sha256) {
      await this.discard();
      return false;
    }
    await this.handle.sync();
    await this.handle.close();
    await rename(this.file, this.goal);
    return true;
  }

  /** Leaves what is there for the next try. */
  async release(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    if (this.size === 0) await rm(this.file, { force: true });
    else await rename(this.file, leftPart(this.goal)).catch(() => undefined);
  }

  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.file, { force: true });
  }
}

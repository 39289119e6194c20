/** What a judged tree of changes writes or removes, before it is put into the real folder. */
import { chmodSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { LIMITS } from '../core/limits.ts';
import type { CommandChange } from '../core/ports.ts';
import { readSmallBytes } from './anchored.ts';
import type { Changed } from './changes.ts';
import { namesIn } from './folder-entries.ts';
import { type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { statAt as statOf } from './place.ts';

/** What is no file, link or folder is left out, and so is what git and package managers keep for themselves. */
export const changedFiles = (layer: Layer, tree: Changed): [changes: CommandChange[], more: boolean] => {
  const found: CommandChange[] = [];
  const isFull = (): boolean => found.length > SANDBOX_LIMITS.notedFiles;
  const stays = (way: readonly string[], what: string): void =>
    void found.push({ path: way.join('/'), kind: 'written', content: () => undefined, stays: what });
  const removed = (way: readonly string[]): void => {
    const real = path.join(layer.root, ...way);
    const stat = statOf(real);
    const names = stat?.isDirectory() ? namesIn(real) : [];
    const isAlone = stat?.isDirectory() ? names.length === 0 : stat?.isFile() || stat?.isSymbolicLink();
    if (isAlone) found.push({ path: way.join('/'), kind: 'removed', content: () => undefined });
    else if (stat && !stat.isDirectory()) stays(way, SPECIAL);
    for (const name of names) if (!isFull() && !OWN_PLACES.has(name)) removed([...way, name]);
  };
  const visit = (folder: Changed, above: readonly string[]): void => {
    for (const child of folder.children) {
      if (isFull()) return;
      if (OWN_PLACES.has(child.name)) continue;
      const way = [...above, child.name];
      const before = statOf(path.join(layer.root, ...way));
      const written = path.join(writtenFolder(layer), ...way);
      const isPlain = child.kind === 'file' || child.kind === 'link';
      // Something of another kind stands in its place from now on.
      const isFolder = before?.isDirectory() === true;
      const isEmptyFolder = isFolder && isPlain && namesIn(path.join(layer.root, ...way)).length === 0;
      if (child.kind === 'folder' ? !isFolder : isFolder ? !isEmptyFolder : !isPlain) removed(way);
      if (child.kind === 'link')
        found.push({ path: way.join('/'), kind: 'link', target: readlinkSync(written), content: () => undefined });
      if (child.kind === 'other') stays(way, SPECIAL);
      if (child.kind === 'folder') {
        const isOtherMode = child.isMerged && before && modeOf(statOf(written) ?? before) !== modeOf(before);
        if (isOtherMode) stays(way, 'the permissions of a folder');
        const isNew = !child.isMerged && child.children.length === 0;
        if (isNew) found.push({ path: way.join('/'), kind: 'folder', content: () => undefined });
        visit(child, way);
      }
      if (child.kind !== 'file') continue;
      const mode = (statOf(written)?.mode ?? 0) & PERMISSION_BITS;
      found.push({ path: way.join('/'), kind: 'written', content: () => contentOf(written), mode });
    }
  };
  visit(tree, []);
  return [found.slice(0, SANDBOX_LIMITS.notedFiles), isFull()];
};

/** A command may leave a file that its owner cannot read: it is opened meanwhile. */
const contentOf = (written: string): Uint8Array | undefined => {
  const mode = (statOf(written)?.mode ?? 0) & 0o7777;
  const isClosed = (mode & 0o400) === 0;
  if (isClosed) chmodSync(written, mode | 0o400);
  const content = readSmallBytes(written, LIMITS.readFileBytes);
  if (isClosed) chmodSync(written, mode);
  return content;
};

const SPECIAL = 'a pipe, socket or device';
const modeOf = ({ mode }: { mode: number }): number => mode & 0o7777;
const PERMISSION_BITS = 0o777;
const OWN_PLACES = new Set(['.git', 'node_modules', '__pycache__']);

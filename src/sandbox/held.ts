/**
 * Changes that count with a person's yes only: to files that other programs run or load by themselves, and that halter's
 * own tools would ask about too. What was shown is what is written, whatever lies in the layer by then.
 */

import fs from 'node:fs';
import path from 'node:path';
import { isNeverWritten, isSecretPath } from '../core/policy/sensitive-files.ts';
import type { HeldChange } from '../core/ports.ts';
import { type AnchoredFolder, openBelow, readSmallFile } from './anchored.ts';
import { readNames } from './folder-entries.ts';
import { asideFolder, type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { place, putAside, statAt } from './place.ts';

/** `path` of it is relative to the folder of its layer, until it is shown. */
export type Held = HeldChange & { layer: Layer; way: readonly string[] };

/**
 * What lies at `way` in the layer, file by file. Undefined where nobody is asked about it: it holds something that no tool
 * may write, something that cannot be shown whole, or the present content is a secret.
 */
export const heldAt = (layer: Layer, way: readonly string[], reason: string): Held[] | undefined => {
  const found = collect(layer, way, reason, { left: SANDBOX_LIMITS.heldFiles });
  const shown = (found ?? []).reduce((sum, { before = '', after = '' }) => sum + before.length + after.length, 0);
  return shown > SANDBOX_LIMITS.heldCharacters || found?.length === 0 ? undefined : found;
};

const collect = (
  layer: Layer,
  way: readonly string[],
  reason: string,
  budget: { left: number },
): Held[] | undefined => {
  budget.left -= 1;
  if (budget.left < 0 || isNeverWritten(path.join(layer.root, ...way))) return undefined;
  const parent = openBelow(writtenFolder(layer), way.slice(0, -1));
  if (parent === undefined) return undefined;
  try {
    const written = parent.at(way.at(-1) ?? '');
    const stat = statAt(written);
    if (!stat?.isDirectory()) {
      const one = heldFile(layer, way, { written, stat, reason });
      return one === undefined ? undefined : [one];
    }
    const all: Held[] = [];
    for (const name of readNames(written)) {
      const below = collect(layer, [...way, name], reason, budget);
      if (below === undefined) return undefined;
      all.push(...below);
    }
    return all;
  } finally {
    parent.close();
  }
};

type Written = { written: string; stat: fs.Stats | undefined; reason: string };

const heldFile = (layer: Layer, way: readonly string[], { written, stat, reason }: Written): Held | undefined => {
  const isGone = stat === undefined || (stat.isCharacterDevice() && stat.rdev === 0);
  const kind = isGone ? 'removed' : stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : undefined;
  const now = presentAt(layer.root, way);
  if (kind === undefined || now === 'unreadable') return undefined;
  const before = now?.text;
  // The question is kept in the session's log, and what is a secret already does not belong there.
  if (before !== undefined && isSecretPath(way.join('/'))) return undefined;
  const held: Held = { layer, way, path: way.join('/'), kind, reason, ...(before === undefined ? {} : { before }) };
  if (kind === 'removed') return before === undefined ? undefined : held;
  const after = shownText(written, stat);
  if (after === undefined) return undefined;
  return { ...held, after, ...(kind === 'file' && ((stat?.mode ?? 0) & 0o111) !== 0 ? { executable: true } : {}) };
};

/** Text that can be shown and written again as it is. */
export const shownText = (file: string, stat: fs.Stats | undefined): string | undefined => {
  if (stat?.isSymbolicLink()) return fs.readlinkSync(file);
  const text = stat?.isFile() ? readSmallFile(file, SANDBOX_LIMITS.heldCharacters) : undefined;
  return text === undefined || text.includes('\ufffd') || text.includes('\0') ? undefined : text;
};

const presentAt = (root: string, way: readonly string[]): { text: string } | 'unreadable' | undefined => {
  const parent = openBelow(root, way.slice(0, -1));
  if (parent === undefined) return undefined;
  try {
    const real = parent.at(way.at(-1) ?? '');
    const stat = statAt(real);
    const text = shownText(real, stat);
    return stat === undefined ? undefined : text === undefined ? 'unreadable' : { text };
  } finally {
    parent.close();
  }
};

/** Writes what was shown. False where the file is another one by now, or its folder cannot be reached. */
export const placeHeld = (held: Held): boolean => {
  const { layer, way, kind, before, after = '' } = held;
  const now = presentAt(layer.root, way);
  if (now === 'unreadable' || now?.text !== before) return false;
  const copy = path.join(asideFolder(layer), `held-${path.basename(layer.base)}-${counter()}`);
  let parent: AnchoredFolder | undefined;
  try {
    parent = openMaking(layer.root, way.slice(0, -1));
    if (parent === undefined) return false;
    const real = parent.at(way.at(-1) ?? '');
    if (kind === 'removed') putAside(real, copy);
    else {
      if (kind === 'link') fs.symlinkSync(after, copy);
      else fs.writeFileSync(copy, after, { mode: held.executable ? 0o777 : 0o666 });
      place(copy, real);
    }
    return true;
  } catch {
    return false;
  } finally {
    parent?.close();
  }
};

let placed = 0;
const counter = (): number => {
  placed += 1;
  return placed;
};

/** Folders on the way that are missing are made; a link on it ends it. */
const openMaking = (root: string, way: readonly string[]): AnchoredFolder | undefined => {
  for (const [index, name] of way.entries()) {
    const folder = openBelow(root, way.slice(0, index));
    if (folder === undefined) return undefined;
    try {
      if (statAt(folder.at(name)) === undefined) fs.mkdirSync(folder.at(name));
    } finally {
      folder.close();
    }
  }
  return openBelow(root, way);
};

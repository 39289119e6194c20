/** Shows a background command what changed in the real folder: written into its layer, through folders that are held open. */
import fs from 'node:fs';
import type { AnchoredFolder } from './anchored.ts';
import { readNames } from './folder-entries.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { copyLink, fullStatAt, statAt as statOf, targetOf } from './place.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export const signatureOf = ({ ino, size, mtimeNs, ctimeNs }: fs.BigIntStats): string =>
  `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
/** Empty for what is not there. */
export const presentSignature = (file: string): string => {
  const stat = fullStatAt(file);
  return stat === undefined ? '' : signatureOf(stat);
};

export type Budget = {
  left: number;
  /** Whether the layer has a file of its own there; otherwise the command sees the real one, and hears of nothing. */
  isWritten(way: readonly string[]): boolean;
  onBrought(way: readonly string[]): void;
};

export const bringEntry = (
  real: AnchoredFolder,
  seen: AnchoredFolder,
  way: readonly string[],
  budget: Budget,
): void => {
  const name = way.at(-1) ?? '';
  budget.left -= 1;
  if (budget.left < 0) return;
  const now = statOf(real.at(name));
  const shown = statOf(seen.at(name));
  if (now === undefined || (shown !== undefined && now.isDirectory() !== shown.isDirectory())) {
    if (shown !== undefined && !shown.isDirectory()) fs.unlinkSync(seen.at(name));
    else if (shown !== undefined && now === undefined) fs.rmdirSync(seen.at(name));
  }
  if (now?.isDirectory()) bringFolder(real, seen, way, budget);
  else if (now?.isSymbolicLink()) bringLink(real.at(name), seen.at(name));
  else if (now?.isFile() && now.size <= SANDBOX_LIMITS.liveBytes) {
    const isSeen = budget.isWritten(way) && isSame(real.at(name), seen.at(name));
    if (!isSeen) bringContent(real.at(name), seen.at(name), now.mode);
    budget.onBrought(way);
  }
};

const bringFolder = (real: AnchoredFolder, seen: AnchoredFolder, way: readonly string[], budget: Budget): void => {
  const name = way.at(-1) ?? '';
  if (statOf(seen.at(name)) === undefined) fs.mkdirSync(seen.at(name));
  const from = real.child(name);
  const to = seen.child(name);
  try {
    if (from === undefined || to === undefined) return;
    for (const entry of readNames(from.self)) bringEntry(from, to, [...way, entry], budget);
  } finally {
    from?.close();
    to?.close();
  }
};

const bringLink = (real: string, seen: string): void => {
  if (statOf(seen)?.isSymbolicLink() && targetOf(seen).equals(targetOf(real))) return;
  fs.rmSync(seen, { force: true });
  copyLink(real, seen);
};

const bringContent = (real: string, seen: string, mode: number): void => {
  const content = readWhole(real);
  const descriptor = fs.openSync(seen, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, mode & 0o777);
  try {
    if (fs.fstatSync(descriptor).isFile()) fs.writeSync(descriptor, content);
  } finally {
    fs.closeSync(descriptor);
  }
};

export const readWhole = (file: string): Buffer => {
  const descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return fs.fstatSync(descriptor).isFile() ? fs.readFileSync(descriptor) : Buffer.alloc(0);
  } finally {
    fs.closeSync(descriptor);
  }
};

export const isSame = (first: string, second: string): boolean => {
  const [a, b] = [statOf(first), statOf(second)];
  if (a === undefined || b === undefined || a.isSymbolicLink() !== b.isSymbolicLink()) return false;
  if (a.isSymbolicLink()) return targetOf(first).equals(targetOf(second));
  return a.isFile() && b.isFile() && a.size === b.size && readWhole(first).equals(readWhole(second));
};

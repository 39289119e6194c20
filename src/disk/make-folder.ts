/**
 * The one place where folders of halter's own are made with those above them. Node's own `recursive` never ends where the
 * system makes no folder and says of it that it is not there, as below /proc.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, FolderError } from './disk-failure.ts';

/** For nobody else's eyes. */
const OWN_MODE = 0o700;
/** As other programs make theirs. */
export const SHARED_MODE = 0o777;

/** Throws `FolderError`. What is there stays as it is. `mode` is that of folders that are made. */
export const makeFolder = (folder: string, mode = OWN_MODE): void => {
  const whole = path.resolve(folder);
  try {
    if (isFolder(whole)) return;
    for (const at of wayTo(whole)) if (isFolder(at) === undefined) makeOne(at, mode);
    const made = isFolder(whole);
    if (made !== true) throw Object.assign(new Error(), { code: made === false ? 'ENOTDIR' : 'ENOENT' });
  } catch (error) {
    throw new FolderError(whole, error);
  }
};

/** Undefined where nothing is. */
const isFolder = (at: string): boolean | undefined => statSync(at, { throwIfNoEntry: false })?.isDirectory();

/** From the top down. */
const wayTo = (folder: string): string[] => {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [...wayTo(above), folder];
};

/** Another process may make it at the same time. */
const makeOne = (at: string, mode: number): void => {
  try {
    mkdirSync(at, { mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
};

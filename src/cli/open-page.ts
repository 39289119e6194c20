/**
 * Opens the page of `halter serve`. The address holds the token, and what a program is started with can be read by every
 * user of the machine, so the browser is started with a file that only this person can read and that leads there.
 */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import type { Io } from './io.ts';
import { openOwnPage } from './open-in-browser.ts';

/** A browser that is started for it may take so long to read the file. */
const READ_MS = 60_000;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

const pageTo = (url: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${escaped(url)}">
<title>halter</title>
<p><a href="${escaped(url)}">Open halter</a></p>
</html>
`;

/** Returns how to take the file away early. Says so on standard error where nothing can be opened. */
export const openPage = async (
  url: string,
  folder: string,
  io: Pick<Io, 'env' | 'stderr'>,
): Promise<() => Promise<void>> => {
  const path = join(folder, `open-${randomUUID()}.html`);
  const remove = (): Promise<void> => rm(path, { force: true });
  try {
    makeFolder(folder);
    await writeFile(path, pageTo(url), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    io.stderr.write(`halter: the page could not be opened: ${(error as Error).message}\n`);
    return remove;
  }
  if (await openOwnPage(path, io)) {
    setTimeout(() => void remove().catch(() => undefined), READ_MS).unref();
    return remove;
  }
  io.stderr.write('halter: no browser could be opened; open the address above yourself\n');
  await remove();
  return remove;
};

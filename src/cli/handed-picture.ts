/** A picture that the person drops on the terminal or has on the clipboard. Their hand is their word: nothing is asked. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_LIMITS } from '../agent/limits.ts';
import type { Pictures } from '../agent/pictures.ts';
import { desktopEnvironment } from '../io/processes.ts';
import type { HandedPicture } from '../terminal/app-options.ts';
import type { Environment } from '../terminal/theme.ts';
import { CLI_LIMITS } from './limits.ts';

const ENDING = /\.(?:png|jpe?g|gif|webp)$/i;

/** Terminals drop a path as it is, in quotes, with back slashes, or as an address. Undefined for any other text. */
export const droppedPath = (pasted: string, home: string | undefined): string | undefined => {
  const text = pasted.trim();
  if (text.includes('\n') || text.length > CLI_LIMITS.droppedPathCharacters) return undefined;
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text);
  const bare = quoted ? (quoted[1] ?? quoted[2] ?? '') : text.replaceAll(/\\(.)/g, '$1');
  if (!ENDING.test(bare)) return undefined;
  if (bare.startsWith('file://')) return URL.canParse(bare) ? pathOf(bare) : undefined;
  if (bare.startsWith('~/') && home) return `${home}${bare.slice(1)}`;
  return isAbsolute(bare) ? bare : undefined;
};

const pathOf = (address: string): string | undefined => {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
};

export const pictureAt = (pasted: string, env: Environment, pictures: Pictures): HandedPicture | undefined => {
  const path = droppedPath(pasted, env['HOME']);
  if (path === undefined) return undefined;
  try {
    const found = statSync(path);
    if (!found.isFile()) return undefined;
    if (found.size > AGENT_LIMITS.mentionImageBytes)
      return { ok: false, message: `${basename(path)} is larger than ${AGENT_LIMITS.mentionImageBytes} bytes.` };
    return checked(basename(path), readFileSync(path), pictures);
  } catch {
    // A path that leads nowhere is a text like any other.
    return undefined;
  }
};

/** What reads a picture from the clipboard, by what the system is. */
const readers = (env: Environment): readonly (readonly [string, ...string[]])[] => {
  if (process.platform === 'darwin') return [['pngpaste', '-']];
  return [
    ...(env['WAYLAND_DISPLAY'] ? [['wl-paste', '--type', 'image/png'] as const] : []),
    ...(env['DISPLAY'] ? [['xclip', '-selection', 'clipboard', '-t', 'image/png', '-o'] as const] : []),
  ];
};

export const pictureOnClipboard = async (env: Environment, pictures: Pictures): Promise<HandedPicture> => {
  for (const [program, ...args] of readers(env)) {
    const read = spawnSync(program, args, {
      maxBuffer: AGENT_LIMITS.mentionImageBytes,
      timeout: CLI_LIMITS.clipboardMs,
      env: desktopEnvironment(env),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (read.status === 0 && read.stdout.length > 0) return checked('clipboard.png', read.stdout, pictures);
  }
  const needed = process.platform === 'darwin' ? 'pngpaste' : 'wl-paste or xclip';
  return { ok: false, message: `There is no picture on the clipboard, or nothing here that reads it (${needed}).` };
};

const checked = (name: string, bytes: Uint8Array, pictures: Pictures): HandedPicture => {
  const picture = pictures.ofBytes(name, bytes);
  return picture.ok
    ? { ok: true, name, mimeType: picture.value.mimeType, bytes }
    : { ok: false, message: picture.error.message };
};

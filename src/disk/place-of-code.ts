/** Whether code runs in halter's own package. Apart from what looks elsewhere, since every program that imports it loads this. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const NAME = 'halter';

/** A module of the package two folders below its package.json, in `src/` or `dist/`; nothing in a bundle. */
export const placeOfCode = (module: string): URL | undefined => {
  if (!module.startsWith('file:')) return undefined;
  const code = new URL('../', module);
  if (!/\/(?:src|dist)\/$/.test(code.pathname)) return undefined;
  return manifestIn(fileURLToPath(new URL('../', code))).name === NAME ? code : undefined;
};

export const manifestIn = (folder: string): { name?: unknown; version?: unknown } => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? manifest : {};
  } catch {
    return {};
  }
};

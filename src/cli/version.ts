import { readFileSync } from 'node:fs';

/** The version in package.json, which lies two folders above this file in src/ as in dist/. */
export const readVersion = (): string => {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
};

/** The files of the authorities that the person's programs trust: a command that reaches the network needs them as well. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { namesCertificates } from '../core/policy/certificate-variables.ts';
import { readSmallFile } from './anchored.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/** A command sees them anyway, and they are many. */
const OF_THE_SYSTEM = /^\/(?:etc|usr|opt|nix)\//;

/** Certificates and no key: a variable may name a file that holds both. */
const isPublic = (file: string): boolean => {
  const text = readSmallFile(realpathSync(file), SANDBOX_LIMITS.certificateBytes) ?? '';
  return /-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(text) && !/PRIVATE KEY-----/.test(text);
};

const filesAt = (place: string): string[] => {
  try {
    if (!statSync(place).isDirectory()) return isPublic(place) ? [place] : [];
    const names = readdirSync(place).slice(0, SANDBOX_LIMITS.certificateFiles);
    const files = names.map((name) => path.join(place, name)).filter((file) => existsSync(file));
    return files.filter((file) => statSync(file).isFile() && isPublic(file));
  } catch {
    // What cannot be read here is of no use inside.
    return [];
  }
};

export const certificateFiles = (environment: Readonly<Record<string, string | undefined>>): string[] => {
  const named = Object.entries(environment).flatMap(([name, value = '']) =>
    namesCertificates(name, value) ? [path.normalize(value)] : [],
  );
  return [...new Set(named)].filter((place) => !OF_THE_SYSTEM.test(place)).flatMap(filesAt);
};

/** Where halter's own files are, what the person set, and how a failure is reported. Light: no engine is loaded for it. */

import { join, resolve } from 'node:path';
import type { ModelError } from '../core/model-port.ts';
import type { Failure, Outcome } from '../core/outcome.ts';
import { type Config, createConfigFile } from '../storage/config-file.ts';
import { halterPaths } from '../storage/paths.ts';
import { sanitizeText } from '../terminal/sanitize.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

export const pathsOf = (io: Io) => halterPaths(io.env, process.platform);

/** A damaged settings file ends the command: it may hold what the person relies on, such as `offline`. */
export const readConfig = async (io: Io): Promise<Outcome<Config>> => {
  const read = await createConfigFile(pathsOf(io).config).read();
  if (!read.ok) return read;
  for (const warning of read.value.warnings) io.stderr.write(`halter: ${warning}\n`);
  return { ok: true, value: read.value.config };
};

/** Says a failure, in a file too without what steers a terminal, and gives the exit code for it. */
export const reportFailure = (error: Failure, io: Io): ExitCode => {
  io.stderr.write(`halter: ${sanitizeText(error.message)}\n`);
  return EXIT.error;
};

export const reportModelError = (error: ModelError, io: Io): ExitCode => {
  for (const line of [error.message, error.hint]) if (line) io.stderr.write(`halter: ${sanitizeText(line)}\n`);
  return error.code === 'cancelled' ? EXIT.interrupted : EXIT.modelUnusable;
};

/** A path of the settings: from the home folder with `~/`, else from the folder of the settings. */
export const homePath = (path: string, io: Io): string =>
  path.startsWith('~/') ? join(io.env['HOME'] ?? '', path.slice(2)) : resolve(pathsOf(io).config, path);

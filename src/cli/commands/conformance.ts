/** `halter conformance FOLDER`: every case of every JSON file below a folder. What is not known is a failure. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { CommandCode } from '../command-code.ts';
import { isVector, runVector } from '../conformance/vectors.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';

type Failed = { id: string; reason: string };

/** What is wrong with a case; undefined where nothing is. */
const runCase = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null) return 'not a case: it is no object';
  try {
    if (isVector(value)) return runVector(value);
  } catch (error) {
    return `it threw: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { group } = value as { group?: unknown };
  return group === undefined
    ? 'not a case of a known kind'
    : `cases of the group ${JSON.stringify(group)} cannot be run`;
};

const readCases = async (file: string): Promise<{ cases: unknown[] } | { reason: string }> => {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Array.isArray(value) ? { cases: value } : { reason: 'the file holds no list of cases' };
  } catch (error) {
    return { reason: `the file cannot be read: ${(error as Error).message}` };
  }
};

export const conformanceCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const folder = resolve(io.cwd, words[0] as string);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) throw new UsageError(`There is no folder ${JSON.stringify(words[0])}.`, 'conformance');
    const files = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    if (files.length === 0) throw new UsageError(`${words[0]} holds no JSON file.`, 'conformance');

    let passed = 0;
    const failures: Failed[] = [];
    for (const file of files) {
      const name = relative(folder, file);
      const read = await readCases(file);
      if ('reason' in read) failures.push({ id: name, reason: read.reason });
      for (const [index, value] of ('cases' in read ? read.cases : []).entries()) {
        const reason = runCase(value);
        if (reason === undefined) passed += 1;
        else failures.push({ id: (value as { id?: string } | null)?.id ?? `${name}#${index}`, reason });
      }
    }
    if (flags.json) {
      io.stdout.write(`${JSON.stringify({ passed, failed: failures.length, skipped: 0, failures })}\n`);
    } else {
      for (const { id, reason } of failures) io.stdout.write(`failed  ${id}: ${reason}\n`);
      io.stdout.write(`${passed} passed, ${failures.length} failed\n`);
    }
    return failures.length === 0 ? EXIT.answered : EXIT.error;
  },
};

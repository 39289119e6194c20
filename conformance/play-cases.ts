/**
 * Plays every case of every JSON file below a folder, or of one file: tool-call vectors and attack
 * cases. What is not known is a failure; what this system cannot show is a skip, with its reason.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { thrownText } from '../src/core/thrown-text.ts';
import { isAttack } from './attacks/attack-case.ts';
import { type Ending, runAttack } from './attacks/run-attack.ts';
import { isVector, runVector } from './vectors.ts';

type Named = { id: string; reason: string };
type Counts = { passed: number; failed: number; skipped: number };

const runCase = async (value: unknown): Promise<Ending> => {
  if (typeof value !== 'object' || value === null) return { state: 'failed', reason: 'not a case: it is no object' };
  try {
    if (isAttack(value)) return await runAttack(value);
    if (!isVector(value)) return { state: 'failed', reason: notKnown(value) };
    const reason = runVector(value);
    return reason === undefined ? { state: 'passed' } : { state: 'failed', reason };
  } catch (error) {
    return { state: 'failed', reason: `it threw: ${thrownText(error)}` };
  }
};

const notKnown = (value: object): string =>
  'group' in value
    ? `a case of the group ${JSON.stringify(value.group)} has an id, "given", "when" and "then"; this one has not`
    : 'not a case of a known kind';

/** Counted together in the listing: attacks by their group, vectors by their format. */
const groupOf = (value: unknown): string => {
  const { group, format } = (value ?? {}) as { group?: unknown; format?: unknown };
  return String(group ?? (format === undefined ? 'unknown' : 'vectors'));
};

const idOf = (value: unknown, otherwise: string): string => {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : otherwise;
};

const readCases = async (file: string): Promise<{ cases: unknown[] } | { reason: string }> => {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Array.isArray(value) ? { cases: value } : { reason: 'the file holds no list of cases' };
  } catch (error) {
    return { reason: `the file cannot be read: ${(error as Error).message}` };
  }
};

const filesOf = async (place: string, word: string): Promise<{ file: string; name: string }[]> => {
  const kind = await stat(place).catch(() => undefined);
  if (kind?.isFile()) return [{ file: place, name: basename(place) }];
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) throw new NoCases(`There is no folder ${JSON.stringify(word)}.`);
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new NoCases(`${word} holds no JSON file.`);
  return files.map((file) => ({ file, name: relative(place, file) }));
};

/** The folder holds nothing that could be played: a mistake of the caller. */
export class NoCases extends Error {}

export type Report = {
  total: Counts;
  /** In the order of the files. */
  groups: ReadonlyMap<string, Counts>;
  failures: readonly (Named & { group: string })[];
  skips: readonly Named[];
};

/** `word` is the folder or file as the caller wrote it. Throws `NoCases`. */
export const playCases = async (word: string, cwd: string): Promise<Report> => {
  const groups = new Map<string, Counts>();
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: (Named & { group: string })[] = [];
  const skips: Named[] = [];
  const count = (group: string, id: string, ending: Ending): void => {
    const counts = groups.get(group) ?? { passed: 0, failed: 0, skipped: 0 };
    groups.set(group, counts);
    counts[ending.state] += 1;
    total[ending.state] += 1;
    if (ending.state === 'failed') failures.push({ id, group, reason: ending.reason });
    if (ending.state === 'skipped') skips.push({ id, reason: ending.reason });
  };

  for (const { file, name } of await filesOf(resolve(cwd, word), word)) {
    const read = await readCases(file);
    if ('reason' in read) count('files', name, { state: 'failed', reason: read.reason });
    for (const [index, value] of ('cases' in read ? read.cases : []).entries()) {
      count(groupOf(value), idOf(value, `${name}#${index}`), await runCase(value));
    }
  }
  return { total, groups, failures, skips };
};

/** What a person typed before, over all sessions and folders: for the up arrow and for searching it. */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import { CLI_LIMITS } from './limits.ts';

export type InputHistory = {
  /** The oldest first. */
  entries: readonly string[];
  /** Kept for the next time; where that cannot be, it is forgotten. */
  add(text: string): void;
};

const parsed = (line: string): string[] => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' && value !== '' ? [value] : [];
  } catch {
    return [];
  }
};

/** One JSON string a line, in a file that only its owner can read. */
export const openInputHistory = async (folder: string): Promise<InputHistory> => {
  const file = join(folder, 'input-history.jsonl');
  const text = await readFile(file, 'utf8').catch(() => '');
  const all = text.split('\n').flatMap(parsed);
  const entries = all.slice(-CLI_LIMITS.inputHistoryEntries);
  if (all.length > 2 * CLI_LIMITS.inputHistoryEntries) {
    const shorter = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await writeFile(file, shorter, { mode: 0o600 }).catch(() => undefined);
  }
  let last: Promise<unknown> = Promise.resolve();
  return {
    entries,
    add(typed) {
      if (typed.length > CLI_LIMITS.inputHistoryCharacters) return;
      const line = `${JSON.stringify(typed)}\n`;
      last = last
        .then(() => makeFolder(folder))
        .then(() => appendFile(file, line, { mode: 0o600 }))
        .catch(() => undefined);
    },
  };
};

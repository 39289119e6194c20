/**
 * Each of halter's stores as something that can be written to until the process is killed, and looked through afterwards:
 * what was acknowledged must be there, and nothing may be half written.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event } from '../../src/core/events.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { createConfigFile } from '../../src/storage/config-file.ts';
import { createPoliciesFile } from '../../src/storage/policies-file.ts';
import { createResultFiles } from '../../src/storage/result-files.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { createUndoFiles } from '../../src/storage/undo-files.ts';

export type CrashCheck = {
  /** Acknowledged before the kill, and not there. */
  lost: number;
  /** Half written, or not what was written. */
  corrupt: number;
  /** Lines of a log that cannot be read. */
  unreadable: number;
  /** What a person is told at the next start. */
  notices: string[];
};

export type CrashStore = {
  /** Gets ready and says from which number to go on; `write` resolves when entry `number` is safe. */
  open(folder: string): Promise<{ next: number; write(number: number): Promise<void>; close?(): Promise<void> }>;
  /** As the next start finds it. `acknowledged` is the highest number that was. */
  check(folder: string, acknowledged: number): Promise<CrashCheck>;
};

const must = <T>(outcome: Outcome<T>): T => {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.error.message);
};
const fine = (over: Partial<CrashCheck> = {}): CrashCheck => ({
  lost: 0,
  corrupt: 0,
  unreadable: 0,
  notices: [],
  ...over,
});
const SIZE = 64 * 1024;
const POLICIES_SIZE = 3_900_000;
/** The same text for the same number, in every process. */
const textOf = (number: number): string => `${number} `.repeat(Math.ceil(SIZE / `${number} `.length));
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const eventOf = (seq: number): Event =>
  seq === 1
    ? { seq, at: seq, type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'm' }
    : { seq, at: seq, type: 'user_message_added', content: textOf(seq) };

const sessions: CrashStore = {
  async open(folder) {
    const { log, events } = must(await new SessionFiles({ folder }).open('s'));
    return {
      next: (events.at(-1)?.seq ?? 0) + 1,
      write: async (number) => must(await log.append(eventOf(number))),
      close: log.close,
    };
  },
  async check(folder, acknowledged) {
    const file = join(folder, 's.jsonl');
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const unreadable = lines.filter((line) => !isJson(line)).length;
    const opened = await new SessionFiles({ folder }).open('s');
    if (!opened.ok) return fine({ corrupt: 1, unreadable, notices: [opened.error.message] });
    const { events, warnings, log } = opened.value;
    await log.close();
    const corrupt = events.filter((event) => JSON.stringify(event) !== JSON.stringify(eventOf(event.seq))).length;
    return fine({ lost: Math.max(0, acknowledged - events.length), corrupt, unreadable, notices: warnings });
  },
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const policies: CrashStore = {
  async open(folder) {
    const path = join(folder, 'policies.json');
    // As large as it may be, so that there is time to be killed in.
    const start = JSON.stringify({ version: 1, rules: [], padding: 'x'.repeat(POLICIES_SIZE) });
    await writeFile(path, start, { flag: 'wx' }).catch(() => undefined);
    const file = createPoliciesFile({ folder });
    const { rules } = await file.load('/w');
    return {
      next: rules.length + 1,
      write: async (number) =>
        must(
          await file.add({
            tool: 'bash',
            pattern: `=${number}`,
            decision: 'allow',
            workspace: '/w',
            created_at: number,
          }),
        ),
    };
  },
  async check(folder, acknowledged) {
    const { rules, warnings } = await createPoliciesFile({ folder }).load('/w');
    const kept = new Set(rules.map(({ pattern }) => pattern));
    const lost = upTo(acknowledged).filter((number) => !kept.has(`=${number}`)).length;
    return fine({ lost, corrupt: warnings.length, notices: warnings });
  },
};

const config: CrashStore = {
  async open(folder) {
    const file = createConfigFile(folder);
    const { config: known } = must(await file.read());
    return { next: (known.seed ?? 0) + 1, write: async (number) => must(await file.set('seed', number)) };
  },
  async check(folder, acknowledged) {
    const read = await createConfigFile(folder).read();
    if (!read.ok) return fine({ corrupt: 1, notices: [read.error.message] });
    return fine({ lost: Math.max(0, acknowledged - (read.value.config.seed ?? 0)) });
  },
};

const undo: CrashStore = {
  async open(folder) {
    const files = createUndoFiles({ folder });
    const next = (await filesBelow(folder)).filter((name) => /^[0-9a-f]{64}$/.test(name)).length + 1;
    return {
      next,
      write: async (number) => must(await files.keep(hashOf(textOf(number)), Buffer.from(textOf(number)))),
    };
  },
  async check(folder, acknowledged) {
    const files = createUndoFiles({ folder });
    const checked = fine();
    for (const number of upTo(acknowledged)) {
      if (!(await files.read(hashOf(textOf(number)))).ok) checked.lost += 1;
    }
    for (const name of (await filesBelow(folder)).filter((known) => /^[0-9a-f]{64}$/.test(known))) {
      const read = await files.read(name);
      if (!read.ok) checked.corrupt += 1;
    }
    return checked;
  },
};

const results: CrashStore = {
  async open(folder) {
    const files = createResultFiles(folder);
    const next = (await files.names()).length + 1;
    return { next, write: async (number) => must(await files.keep(`r${number}.txt`, textOf(number))) };
  },
  async check(folder, acknowledged) {
    const files = createResultFiles(folder);
    const checked = fine();
    const names = await files.names();
    checked.lost = upTo(acknowledged).filter((number) => !names.includes(`r${number}.txt`)).length;
    for (const name of names) {
      const read = await files.read(name);
      const expected = textOf(Number(/\d+/.exec(name)?.[0]));
      if (!read.ok || Buffer.from(read.value).toString() !== expected) checked.corrupt += 1;
    }
    return checked;
  },
};

const filesBelow = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** The journal: a file of a workspace is written again and again, each change noted before it is made. */
const journal: CrashStore = {
  async open(folder) {
    const { openJournal } = await import('./journal.ts');
    return openJournal(folder, textOf);
  },
  async check(folder, acknowledged) {
    const { checkJournal } = await import('./journal.ts');
    return fine(await checkJournal(folder, acknowledged, textOf));
  },
};

/** The index of a workspace, which can be made again and still must never be torn. */
const index: CrashStore = {
  async open(folder) {
    const { openIndex } = await import('../../src/search/database.ts');
    const [{ SqliteStore }, { fileEntry }] = await Promise.all([
      import('../../src/search/sqlite-store.ts'),
      import('../../src/search/file-entry.ts'),
    ]);
    const { database } = openIndex(join(folder, 'index.sqlite'));
    const store = new SqliteStore(database);
    return {
      next: (await store.known()).size + 1,
      async write(number) {
        const lines = [`the text of ${number}`];
        const chunks = [{ lineStart: 1, lineEnd: 1, definition: -1, names: [`name${number}`] }];
        const facts = {
          path: `f${number}.txt`,
          size: number,
          modifiedMs: 1,
          hash: hashOf(`${number}`),
          language: 'prose',
          note: '',
        };
        await store.apply([{ type: 'write', entry: fileEntry(facts, { lines, chunks }) }]);
      },
    };
  },
  async check(folder, acknowledged) {
    const { openIndex } = await import('../../src/search/database.ts');
    const { SqliteStore } = await import('../../src/search/sqlite-store.ts');
    const { database, notes } = openIndex(join(folder, 'index.sqlite'));
    const rows = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
    const known = await new SqliteStore(database).known();
    database.close();
    const lost = upTo(acknowledged).filter((number) => !known.has(`f${number}.txt`)).length;
    return fine({ lost, corrupt: rows[0]?.integrity_check === 'ok' ? 0 : 1, notices: notes });
  },
};

export const CRASH_STORES: Readonly<Record<string, CrashStore>> = {
  sessions,
  policies,
  config,
  undo,
  journal,
  results,
  index,
};

/** Every store has its folder to itself, made before it is opened. */
export const prepareFolder = (folder: string): Promise<string | undefined> => mkdir(folder, { recursive: true });

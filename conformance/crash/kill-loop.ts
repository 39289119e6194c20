/** Starts a writer, kills it at a random moment, looks at what is left, and goes on with that. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { programFile } from '../../scripts/built-programs.ts';
import { CRASH_STORES, type CrashCheck, prepareFolder } from './stores.ts';

export type KillReport = {
  kills: number;
  /** Entries that were acknowledged in all. */
  acknowledged: number;
  lost: number;
  corrupt: number;
  /** At most in one look. */
  unreadable: number;
  notices: number;
  /** Temporary files that were left by kills, and those that were still there after the next start. */
  temporaries: number;
  temporariesKept: number;
};

const WRITER = programFile(new URL(`./writer.ts`, import.meta.url));
const START_MS = 30_000;

export type KillOptions = { kills: number; maxDelayMs: number; random?(): number };

/** A store is begun anew now and then: looking through all of it after every kill takes longer the more there is. */
const KILLS_A_STORE = 25;

export const killLoop = async (name: string, folder: string, options: KillOptions): Promise<KillReport> => {
  const sum = noReport();
  for (let done = 0; done < options.kills; done += KILLS_A_STORE) {
    const kills = Math.min(KILLS_A_STORE, options.kills - done);
    const report = await killStore(name, join(folder, `${done}`), { ...options, kills });
    for (const key of Object.keys(sum) as (keyof KillReport)[]) {
      sum[key] = key === 'unreadable' ? Math.max(sum[key], report[key]) : sum[key] + report[key];
    }
  }
  return sum;
};

const noReport = (): KillReport => ({
  kills: 0,
  acknowledged: 0,
  lost: 0,
  corrupt: 0,
  unreadable: 0,
  notices: 0,
  temporaries: 0,
  temporariesKept: 0,
});

const killStore = async (name: string, folder: string, options: KillOptions): Promise<KillReport> => {
  const store = CRASH_STORES[name];
  if (store === undefined) throw new Error(`there is no store ${name}`);
  const random = options.random ?? Math.random;
  const report = noReport();
  await prepareFolder(folder);
  for (let kill = 1; kill <= options.kills; kill += 1) {
    report.acknowledged = Math.max(report.acknowledged, await killOnce(name, folder, random() * options.maxDelayMs));
    report.kills = kill;
    report.temporaries += (await temporariesIn(folder)).length;
    const found: CrashCheck = await store.check(folder, report.acknowledged);
    report.lost += found.lost;
    report.corrupt += found.corrupt;
    report.unreadable = Math.max(report.unreadable, found.unreadable);
    report.notices += found.notices.length;
  }
  // The next start, and the first thing that it writes, clear away what is nobody's any more.
  const opened = await store.open(folder);
  await opened.write(opened.next);
  await opened.close?.();
  report.temporariesKept = (await temporariesIn(folder)).filter((file) => !file.startsWith('.halter-')).length;
  return report;
};

const temporariesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.tmp'))
    .map(({ name }) => name);

/** The highest number that was acknowledged. */
const killOnce = async (name: string, folder: string, delayMs: number): Promise<number> => {
  const child = spawn(process.execPath, [WRITER, name, folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  const ready = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (out.includes('ready\n')) ready.resolve();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  await Promise.race([ready.promise, ended]);
  if (child.exitCode === null) await wait(delayMs);
  child.kill('SIGKILL');
  await ended;
  clearTimeout(timer);
  if (child.signalCode !== 'SIGKILL') throw new Error(`the writer of ${join(folder, name)} ended by itself: ${errors}`);
  // A line that was cut off was not acknowledged.
  const numbers = out.slice(0, out.lastIndexOf('\n') + 1).match(/^\d+$/gm) ?? [];
  return Number(numbers.at(-1) ?? 0);
};

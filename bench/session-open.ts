/**
 * `npm run bench:session`: what opening a session of 100 MB and 100,000 events costs, against reading the same file and
 * parsing its lines with nothing else. Each is a process of its own, in turn; the ratio of their processor times and
 * what their memory grew by are printed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';
import { createProjection } from '../src/core/model-projection.ts';
import { activePath } from '../src/core/session-tree.ts';
import { fold } from '../src/core/step.ts';
import { SessionFiles } from '../src/storage/session-files.ts';
import { encodeSession } from '../src/storage/session-format.ts';
import { EVENTS_A_TURN, longLog } from './long-log.ts';

const EVENTS = 100_000;
const CHARACTERS_A_RESULT = 6_000;
const ROUNDS = 3;
const MB = 1024 * 1024;

const RESULT = 'A line of what a tool found, with "quotes" and a path\\n'.repeat(CHARACTERS_A_RESULT / 54);
const TURNS = Math.ceil((EVENTS - 1) / EVENTS_A_TURN);

type Figures = { cpu_ms: number; rss_mb: number; parts: Record<string, number> };
const parts: Record<string, number> = {};
const timed = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
  const before = performance.now();
  const done = await work();
  parts[name] = Math.round(performance.now() - before);
  return done;
};

const parseLines = (folder: string): unknown[] => {
  const bytes = readFileSync(join(folder, 'huge.jsonl'));
  const values: unknown[] = [];
  for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) {
    values.push(JSON.parse(bytes.toString('utf8', start, end)));
  }
  return values;
};
const openSession = async (folder: string): Promise<unknown> => {
  const store = new SessionFiles({ folder });
  const opened = await timed('read', () => store.open('huge'));
  if (!opened.ok) throw new Error(opened.error.message);
  const { events, log } = opened.value;
  const state = await timed('fold', () => fold(DEFAULT_LIMITS, events));
  const messages = await timed('project', () => {
    const projection = createProjection({
      system: '',
      results: 'full',
      summaryCharacters: 900,
      summaryItems: () => undefined,
    });
    for (const event of activePath(events)) projection.add(event);
    return projection.messages();
  });
  await log.close();
  return [events, state, messages];
};

const [mode, place] = process.argv.slice(2);
if (mode !== undefined && place !== undefined) {
  const base = process.memoryUsage().rss;
  const before = process.cpuUsage();
  const kept = mode === 'bare' ? parseLines(place) : await openSession(place);
  const cpu = process.cpuUsage(before);
  const figures: Figures = {
    cpu_ms: (cpu.user + cpu.system) / 1_000,
    rss_mb: (process.resourceUsage().maxRSS * 1_024 - base) / MB,
    parts,
  };
  process.stdout.write(JSON.stringify(figures), () => process.exit(kept === undefined ? 1 : 0));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'halter-session-'));
  const text = encodeSession('huge', 1, longLog({ id: 'huge', workspace: '/work', turns: TURNS, data: RESULT }));
  writeFileSync(join(folder, 'huge.jsonl'), text);
  const run = (how: string): Figures =>
    JSON.parse(
      spawnSync(process.execPath, [import.meta.filename, how, folder], { encoding: 'utf8' }).stdout,
    ) as Figures;
  const median = (values: number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
  const rounds = Array.from({ length: ROUNDS }, () => ({ bare: run('bare'), open: run('open') }));
  const ratio = median(rounds.map(({ bare, open }) => open.cpu_ms / bare.cpu_ms));
  const show = ({ cpu_ms, rss_mb }: Figures): string => `${cpu_ms.toFixed(0)} ms, +${rss_mb.toFixed(0)} MB`;
  console.log(`${(text.length / MB).toFixed(0)} MB, ${EVENTS} events`);
  for (const { bare, open } of rounds) {
    console.log(`lines parsed ${show(bare)}; session opened ${show(open)} ${JSON.stringify(open.parts)}`);
  }
  console.log(`opening costs ${ratio.toFixed(2)} × parsing the lines`);
  rmSync(folder, { recursive: true, force: true });
}

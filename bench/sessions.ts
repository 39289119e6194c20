/**
 * `npm run bench:sessions`: a list, the newest session and a search over many session files, as the built program does
 * them, each a process of its own. The first of each makes the index, the others use it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COUNT = Number(process.argv[2] ?? 10_000);
const MESSAGES = 10;
const RUNS = 5;
const GOAL_S = 0.3;
const ROOT = join(import.meta.dirname, '..');
const MAIN = join(ROOT, 'dist', 'cli', 'main.js');

const home = mkdtempSync(join(tmpdir(), 'halter-bench-sessions-'));
const work = join(home, 'work');
const folder = join(home, '.local', 'share', 'halter', 'sessions');
mkdirSync(work);
mkdirSync(folder, { recursive: true });
const AT = 1_790_000_000_000;
for (let number = 0; number < COUNT; number += 1) {
  const id = `s${number}`;
  const at = AT + number * 1000;
  const lines: object[] = [
    { type: 'halter_session', version: 1, id, created_at: at },
    { seq: 1, at, type: 'session_started', version: 1, session_id: id, workspace: work, model: 'm', message_count: 0 },
  ];
  for (let message = 0; message < MESSAGES; message += 1) {
    const content = `Message ${message} of conversation${number}: ${'some words that people write '.repeat(10)}`;
    lines.push({ seq: message + 2, at: at + message, type: 'user_message_added', content, message_count: message + 1 });
  }
  writeFileSync(join(folder, `${id}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

const seconds = (args: readonly string[]): { took: number; out: string } => {
  const from = performance.now();
  const { stdout, status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: work,
    env: { HOME: home, PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { took: (performance.now() - from) / 1000, out: stdout };
};
process.stdout.write(`${COUNT} sessions of ${MESSAGES} messages\n`);
process.stdout.write(`a start of the program alone: ${seconds(['--version']).took.toFixed(2)} s\n`);
for (const [name, args] of [
  ['list', ['sessions', 'list', '--limit', '20']],
  ['search', ['sessions', 'search', `conversation${COUNT - 7}`]],
  ['newest', ['sessions', 'list', '--limit', '1', '--json']],
] as const) {
  const first = seconds(args).took;
  const runs = Array.from({ length: RUNS }, () => seconds(args));
  const times = runs.map(({ took }) => took).sort((a, b) => a - b);
  const median = times[Math.floor(RUNS / 2)] as number;
  const verdict = median <= GOAL_S ? 'ok' : 'NOT REACHED';
  process.stdout.write(
    `${name}: ${median.toFixed(2)} s (slowest ${(times.at(-1) as number).toFixed(2)} s, first ${first.toFixed(2)} s); goal ${GOAL_S} s: ${verdict}\n`,
  );
}
rmSync(home, { recursive: true, force: true });

/** Plays the cases in which a store is written to while it is killed, held by another halter, or very large. */
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { programFile } from '../../scripts/built-programs.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { killLoop } from '../crash/kill-loop.ts';
import { asObject, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer, MODEL, startModelServer } from './model-server.ts';
import { killed } from './processes.ts';
import type { Scene } from './scene.ts';

const SESSION = 'crash';
const besides = (name: string): string => programFile(new URL(`../crash/${name}.ts`, import.meta.url));

/** What is written in a case's `op`, by its first words. */
const LOOPS: readonly { begins: RegExp; store: string }[] = [
  { begins: /^policies\.json save/, store: 'policies' },
  { begins: /^session\.jsonl append/, store: 'sessions' },
  { begins: /^index\/db insert/, store: 'index' },
  { begins: /^config\.json /, store: 'config' },
  { begins: /^undo /, store: 'undo' },
  { begins: /^journal /, store: 'journal' },
  { begins: /^results? /, store: 'results' },
];
const THEN_LOOP = [
  'corrupt',
  'missing',
  'stale_tmp_removed_at_next_start',
  'lost_acknowledged',
  'unparsable_lines_max',
  'resume',
  'integrity_check',
];

export const withKills = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['signal']);
  onlyKnown('then', then, THEN_LOOP);
  const loop = LOOPS.find(({ begins }) => begins.test(String(given['op'])));
  if (loop === undefined) throw new Unmet(`the operation "${String(given['op'])}" is not known`);
  const latest = /(\d+)\s*ms/.exec(String(when['signal']))?.[1];
  hold(/^SIGKILL\b/.test(String(when['signal'])), `the signal ${String(when['signal'])} is not known`);
  const report = await killLoop(loop.store, path.join(scene.scratch, 'store'), {
    kills: Number(given['kills']),
    maxDelayMs: latest === undefined ? 60 : Number(latest),
  });
  const most = (word: string, value: number): void => {
    if (then[word] !== undefined) hold(value <= Number(then[word]), `${word}: ${value} after ${report.kills} kills`);
  };
  most('corrupt', report.corrupt);
  most('missing', report.lost);
  most('lost_acknowledged', report.lost);
  most('unparsable_lines_max', report.unreadable);
  if (then['stale_tmp_removed_at_next_start'] === true) {
    hold(report.temporariesKept === 0, `${report.temporariesKept} temporary files are left`);
  }
  if (then['integrity_check'] !== undefined) hold(report.corrupt === 0, 'the integrity check finds damage');
  if (then['resume'] !== undefined) {
    // Every start looked through the store again; at most one thing was said of each torn end.
    hold(
      report.corrupt === 0 && report.notices <= report.kills,
      `${report.notices} notices after ${report.kills} kills`,
    );
  }
};

/** A session file of many megabytes, gone on with. */
export const withHugeSession = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['resume']);
  onlyKnown('then', then, ['max_ms', 'rss_growth_mb_max']);
  const megabytes = Number(asObject(given['session.jsonl'])['size_mb']);
  const folder = path.join(scene.scratch, 'huge');
  const ran = spawnSync(process.execPath, [besides('huge-session'), folder, String(megabytes)], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Unmet(`it does not open: ${ran.stderr.slice(0, 300)}`);
  const { milliseconds, growth_mb } = JSON.parse(ran.stdout) as { milliseconds: number; growth_mb: number };
  if (then['max_ms'] !== undefined) hold(milliseconds <= Number(then['max_ms']), `it takes ${milliseconds} ms`);
  if (then['rss_growth_mb_max'] !== undefined) {
    hold(growth_mb <= Number(then['rss_growth_mb_max']), `memory grows by ${growth_mb} MB`);
  }
};

/** Another halter holds the locks: of a session, and of the folder's index. */
export const withLockedStore = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['start']);
  onlyKnown('then', then, ['starts', 'notice', 'max_ms']);
  hold(given['db'] === 'locked by a second halter process', `"${String(given['db'])}" is not known`);
  const notices: string[] = [];
  const server = await startModelServer(MODEL, () => answer(['done']));
  scene.onEnd(() => server.close());
  const options = {
    provider: 'openai',
    baseUrl: server.baseUrl,
    model: MODEL,
    allow: ['*'],
    onWarning: (_code: string, message: string) => void notices.push(message),
  };
  const holder = spawn(process.execPath, [besides('hold-locks'), scene.home, scene.root, SESSION], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  scene.onEnd(() => killed(holder));
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve());
    holder.once('close', () => reject(new Unmet('the second halter does not start')));
  });
  const started = performance.now();
  const halter = await scene.open(options);
  const own = await halter.openSession({ id: 'another' });
  if (then['starts'] !== undefined) hold(own.ok === then['starts'], 'no session opens beside the one that is in use');
  const locked = await halter.openSession({ id: SESSION });
  if (!locked.ok) notices.push(locked.error.message);
  const asked: JsonValue = { relation: 'defines', symbol: 'anything' };
  const looked = await halter.executeTool('code_graph', asked);
  hold(looked.error_type !== 'internal_error', `the index that is in use is a defect: ${looked.error_message}`);
  const milliseconds = Math.round(performance.now() - started);
  if (then['notice'] === true)
    hold(
      notices.some((notice) => notice.includes('another halter')),
      'nothing is said of it',
    );
  if (then['max_ms'] !== undefined) hold(milliseconds <= Number(then['max_ms']), `it takes ${milliseconds} ms`);
};

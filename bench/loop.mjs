/**
 * `npm run bench:loop`: what a conversation with tools costs beside the same loop written by hand, over the same streamed
 * answers, each job in a fresh process and in turn, so that noise hits both alike. Ratios are of medians.
 */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'loop');
const ROUNDS = Number(process.argv[2] ?? 5);

const server = spawn(process.execPath, [join(FOLDER, 'server.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));

const work = (side, job) => {
  const args = ['--expose-gc', join(FOLDER, 'worker.mjs'), side, job, port];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${side} ${job}: ${stderr}`);
  return JSON.parse(stdout);
};
const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

const JOBS = ['steps', 'growth', 'parallel', 'many'];
const results = Object.fromEntries(JOBS.map((job) => [job, { baseline: [], halter: [] }]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const job of JOBS) {
    for (const side of ['baseline', 'halter']) results[job][side].push(work(side, job));
  }
}
server.kill();

const of = (job, side, what) => median(results[job][side].map((result) => result[what]));
const row = (label, job, what, show) => {
  const [baseline, halter] = ['baseline', 'halter'].map((side) => of(job, side, what));
  console.log(
    `${label.padEnd(46)} ${show(baseline).padStart(9)} ${show(halter).padStart(9)}   ${(halter / baseline).toFixed(2)}×`,
  );
};
console.log(`${''.padEnd(46)} ${'by hand'.padStart(9)} ${'halter'.padStart(9)}   ratio`);
row('processor time a step, 50 steps', 'steps', 'step', (ms) => `${ms.toFixed(2)} ms`);
row('growth of a step from 250 to 1,000 steps', 'growth', 'growth', (times) => `${times.toFixed(2)}×`);
row('8 calls of 100 ms in one turn', 'parallel', 'wall', (ms) => `${ms.toFixed(0)} ms`);
row('200 conversations of 10 steps, processor time', 'many', 'cpu', (ms) => `${(ms / 1_000).toFixed(1)} s`);
row('200 conversations of 10 steps, memory', 'many', 'memory', (bytes) => `${(bytes / 1e6).toFixed(0)} MB`);

/**
 * `npm run bench:floods [-- words of a name]`: how much a flood makes halter grow (goal G10: less than 64 MB). The highest memory of a
 * real run in which something pours out far more than is kept, less that of the same run with a word in its place. Both
 * are run in turn, so that what else the machine does falls on both.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLOODS, type FloodCase, SMALL } from './floods/cases.ts';
import { MB } from './floods/endless.ts';
import { type Peak, peakOf } from './floods/peak.ts';
import { servePeakOf } from './floods/serve-peak.ts';
import { terminalPeakOf } from './floods/terminal-peak.ts';

const GOAL_MB = 64;
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const NODE_FLAGS = (process.env['NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');

const play = async (flood: FloodCase, bytes: number): Promise<Peak> => {
  const folder = mkdtempSync(join(tmpdir(), 'halter-flood-'));
  const home = mkdtempSync(join(tmpdir(), 'halter-flood-home-'));
  const scene = await flood.open(bytes, folder, home);
  try {
    if (flood.readers !== undefined)
      return await servePeakOf({ args: scene.args, home, readers: flood.readers, nodeFlags: NODE_FLAGS });
    if (flood.terminal === undefined) return await peakOf(scene.args, home, NODE_FLAGS);
    const isSlow = flood.terminal === 'slow';
    return await terminalPeakOf({ args: scene.args, folder, home, isSlow, nodeFlags: NODE_FLAGS });
  } finally {
    scene.close();
    for (const place of [folder, home]) rmSync(place, { recursive: true, force: true });
  }
};

const words = process.argv.slice(2).join(' ');
let worst = 0;
for (const flood of FLOODS.filter(({ name }) => name.includes(words))) {
  const grown: number[] = [];
  let quiet: Peak | undefined;
  let loud: Peak | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet = await play(flood, SMALL);
    loud = await play(flood, flood.flood);
    grown.push((loud.bytes - quiet.bytes) / MB);
  }
  const most = Math.max(...grown);
  worst = Math.max(worst, most);
  const all = grown.map((one) => one.toFixed(0)).join(' ');
  const base = `${((quiet?.bytes ?? 0) / MB).toFixed(0)} MB`;
  const ends = `exit ${quiet?.code}/${loud?.code}, ${loud?.seconds.toFixed(1)} s`;
  console.log(
    `${flood.name.padEnd(48)} +${most.toFixed(0).padStart(3)} MB ${most < GOAL_MB ? ' ' : '!'} (${all}; quiet ${base}; ${ends})`,
  );
  if (process.env['ERRORS']) console.log(`  ${quiet?.errors.trim()}\n  ${loud?.errors.trim()}`);
}
console.log(`the worst: +${worst.toFixed(0)} MB; the goal is less than ${GOAL_MB} MB`);

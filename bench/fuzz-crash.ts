/** `npm run fuzz:crash`: kill -9 on each of halter's stores, 200 times each (or as often as is said). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLoop } from '../conformance/crash/kill-loop.ts';
import { CRASH_STORES } from '../conformance/crash/stores.ts';

/** A save of 4 MB takes longer than an appended line. */
const DELAYS: Readonly<Record<string, number>> = { policies: 250, config: 120 };
const kills = Number(process.argv[2] ?? 200);
const only = process.argv.slice(3);
let bad = 0;
for (const name of Object.keys(CRASH_STORES)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const folder = mkdtempSync(join(tmpdir(), `halter-crash-${name}-`));
  const started = performance.now();
  const report = await killLoop(name, folder, { kills, maxDelayMs: DELAYS[name] ?? 60 });
  rmSync(folder, { recursive: true, force: true });
  bad += report.lost + report.corrupt + report.temporariesKept;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${name.padEnd(9)} ${report.kills} kills, ${report.acknowledged} acknowledged, ${report.lost} lost, ${report.corrupt} corrupt, ${report.temporaries} temporary files left and ${report.temporariesKept} after the next start, at most ${report.unreadable} torn line (${seconds} s)`,
  );
}
process.exit(bad === 0 ? 0 : 1);

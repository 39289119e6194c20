/**
 * `npm run bench:interrupt`: how long after Esc the prompt is back (goal G10: less than 500 ms), in the real terminal app at a
 * pseudo-terminal, whatever the person was waiting for.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedServer } from '../src/testing/index.ts';
import { openApp } from '../tests/support/app-in-pty.ts';
import { AGAIN, type Situation, situations } from '../tests/support/interrupt-situations.ts';

const GOAL_MS = 500;
const ROUNDS = 3;

const play = async (situation: Situation): Promise<number> => {
  const server = await startScriptedServer({ turns: [situation.turn, AGAIN] });
  const [folder, home] = [mkdtempSync(join(tmpdir(), 'halter-esc-')), mkdtempSync(join(tmpdir(), 'halter-esc-home-'))];
  mkdirSync(join(home, '.config/halter'), { recursive: true });
  writeFileSync(join(home, '.config/halter/config.json'), '{"allow_private":"127.0.0.1"}');
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--allow', 'bash', '--allow', 'web_fetch'];
  const app = openApp(flags, { folder, home });
  try {
    await app.until('test-model ·');
    app.type('go\r');
    await app.until(situation.shows);
    // A moment, so that a flood is in full flow.
    await new Promise((resolve) => setTimeout(resolve, GOAL_MS));
    app.forget();
    const before = performance.now();
    app.type('\u001b');
    await app.until('Stopped.');
    const took = performance.now() - before;
    app.type('hello\r');
    await app.until('Here again.');
    return took;
  } finally {
    app.close();
    await app.ended;
    await server.close();
    for (const place of [folder, home]) rmSync(place, { recursive: true, force: true });
  }
};

const silent = createServer().listen(0, '127.0.0.1');
await new Promise((resolve) => silent.once('listening', resolve));
const address = silent.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
let worst = 0;
for (const situation of situations(url)) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await play(situation));
  const most = Math.max(...times);
  worst = Math.max(worst, most);
  const all = times.map((time) => time.toFixed(0)).join(' ');
  console.log(`${situation.name.padEnd(34)} ${most.toFixed(0).padStart(5)} ms ${most < GOAL_MS ? ' ' : '!'} (${all})`);
}
console.log(`the slowest: ${worst.toFixed(0)} ms; the goal is less than ${GOAL_MS} ms`);
silent.close();
process.exit();

/**
 * Records the terminal app at work and draws it as `docs/recording.svg`: a real session in a real terminal (tmux), with
 * the embedded starter model. `node scripts/record.ts`; needs tmux and the starter model (`halter models pull starter`).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawFrames, type Frame } from './record-svg.ts';

const COLUMNS = 84;
const ROWS = 24;
const POLL_MS = 50;
const WAIT_MS_MAX = 60_000;

const root = join(import.meta.dirname, '..');
// A home of its own, so that nothing of this machine is in the picture.
const home = mkdtempSync(join(tmpdir(), 'halter-record-'));
const folder = join(home, 'holiday');
const data = join(home, '.local', 'share', 'halter');
mkdirSync(folder);
mkdirSync(data, { recursive: true });
symlinkSync(join(homedir(), '.local', 'share', 'halter', 'models'), join(data, 'models'));
for (const [name, text] of Object.entries({
  'packing.md': '- passport\n- sunscreen\n- tent\n',
  'budget.csv': 'what,euro\ntrain,120\nfood,90\n',
  'route.txt': 'Day 1: the coast\nDay 2: the old town\n',
})) {
  writeFileSync(join(folder, name), text);
}

const tmux = (...args: string[]): string =>
  execFileSync('tmux', ['-L', 'halter-record', ...args], { encoding: 'utf8' });
const screen = (): string => tmux('capture-pane', '-e', '-p', '-t', 'record');

/** The screen once it shows this, and has stopped changing. */
const until = async (shown: RegExp): Promise<string> => {
  let before = '';
  for (let waited = 0; waited < WAIT_MS_MAX; waited += POLL_MS) {
    await sleep(POLL_MS);
    const now = screen();
    if (now === before && shown.test(tmux('capture-pane', '-p', '-t', 'record'))) return now;
    before = now;
  }
  throw new Error(`the screen never showed ${shown}:\n${before}`);
};

const frames: Frame[] = [];
const keep = (text: string, seconds: number): void => {
  frames.push({ text, seconds });
};
const type = async (text: string): Promise<void> => {
  for (const word of text.split(/(?<= )/)) {
    tmux('send-keys', '-t', 'record', '-l', word);
    await sleep(POLL_MS * 2);
    keep(screen(), 0.18);
  }
  tmux('send-keys', '-t', 'record', 'Enter');
};

const command = `cd ${folder} && HOME=${home} ${process.execPath} ${join(root, 'src/cli/main.ts')} --provider embedded --no-session`;
tmux('new-session', '-d', '-s', 'record', '-x', String(COLUMNS), '-y', String(ROWS), command);
try {
  keep(await until(/of [\d.]+k context/), 1.2);
  await type('What files are here?');
  keep(await until(/packing\.md[\s\S]*route\.txt[\s\S]*tokens\/s/), 2.5);
  await type('Show me packing.md');
  const asked = await until(/\[4\] Deny/);
  keep(asked, 2.5);
  // The question takes no key that was pressed before it could be read.
  await sleep(500);
  tmux('send-keys', '-t', 'record', '2');
  keep(await until(/sunscreen[\s\S]*tokens\/s/), 4);
} finally {
  tmux('kill-server');
  rmSync(home, { recursive: true, force: true });
}
writeFileSync(join(root, 'docs', 'recording.svg'), drawFrames(frames, COLUMNS, ROWS));
console.log(`docs/recording.svg: ${frames.length} frames`);

/**
 * Records the terminal app at work and draws it as `docs/recording.svg`: a real session in a real terminal (tmux), in a
 * project with a failing test. What the model says is scripted, so that the recording can be made anywhere and again; what
 * halter does with it is not: it reads, asks, writes and runs the tests. `node scripts/record.ts`; needs tmux.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../src/core/json.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { scriptArguments } from './arguments.ts';
import { drawFrames, type Frame } from './record-svg.ts';

scriptArguments('node scripts/record.ts');

const COLUMNS = 92;
const ROWS = 30;
const POLL_MS = 50;
const WAIT_MS_MAX = 60_000;
/** A question takes no key that was pressed before it could be read. */
const READING_MS = 700;

const root = join(import.meta.dirname, '..');
// A home of its own, so that nothing of this machine is in the picture.
const home = mkdtempSync(join(tmpdir(), 'halter-record-'));
const folder = join(home, 'shop');
mkdirSync(folder);
const BUG = 'items.reduce((sum, item) => sum + item.price, 0)';
for (const [name, text] of Object.entries({
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'total.js': `/** What a basket costs, in cents. */\nexport const total = (items) =>\n  ${BUG};\n`,
  'total.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { total } from './total.js';

test('counts every piece of an item', () => {
  assert.equal(total([{ price: 250, count: 3 }, { price: 100, count: 1 }]), 850);
});
`,
})) {
  writeFileSync(join(folder, name), text);
}

const call = (name: string, args: JsonObject) => ({ calls: [{ name, arguments: args }] });
const server = await startScriptedServer({
  models: [{ id: 'scripted' }],
  turns: [
    call('read_file', { path: 'total.test.js' }),
    call('read_file', { path: 'total.js' }),
    call('edit_file', {
      path: 'total.js',
      old_text: BUG,
      new_text: BUG.replace('item.price', 'item.price * item.count'),
    }),
    call('bash', { command: 'node --test --test-reporter=dot && echo "all tests pass"' }),
    {
      text: 'The test passes now. `total` left out how many pieces of an item there are:\n\n```js\nsum + item.price * item.count\n```\n',
    },
  ],
});

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
/** Shows a question for so long, and answers it. */
const answer = async (question: RegExp, key: string, seconds: number): Promise<void> => {
  keep(await until(question), seconds);
  await sleep(READING_MS);
  tmux('send-keys', '-t', 'record', key);
};

const model = `--provider openai --base-url ${server.openaiUrl} -m scripted`;
const command = `cd ${folder} && HOME=${home} ${process.execPath} ${join(root, 'src/cli/main.ts')} ${model} --no-session`;
const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
tmux('-u', '-f', '/dev/null', 'new-session', '-d', '-s', 'record', ...size, '-e', 'COLORTERM=truecolor', command);
try {
  keep(await until(/of [\d.]+k context/), 1.2);
  await type('The test fails. Find out why and mend it.');
  await answer(/Read files here\?[\s\S]*Press 1, 2/, '2', 2.5);
  await answer(/item\.price \* item\.count[\s\S]*Press 1, 2/, '1', 4);
  await answer(/node --test[\s\S]*Press 1, 2/, '1', 2.5);
  keep(await until(/all tests pass[\s\S]*sum \+ item[\s\S]*❯/), 5);
} finally {
  tmux('kill-server');
  await server.close();
  rmSync(home, { recursive: true, force: true });
}
writeFileSync(join(root, 'docs', 'recording.svg'), drawFrames(frames, COLUMNS, ROWS));
console.log(`docs/recording.svg: ${frames.length} frames`);

/**
 * Streams 3,000 lines through the terminal app and through pi-tui as its README uses it, each as a program of its own
 * on a pseudo-terminal, and prints CPU and memory side by side. Then a million random strings go through the sanitiser.
 *
 *   node bench/terminal.ts [lines] [strings]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MarkdownTheme } from '@earendil-works/pi-tui';
import type { SessionFace, SessionUpdate } from '../src/core/events.ts';
import { randomFrom } from '../tests/support/random.ts';

const DEFAULT_LINES = 3_000;
const DEFAULT_STRINGS = 1_000_000;
const LINES_A_BATCH = 10;
const BATCH_MS = 10;
const PIECE_CHARACTERS = 12;
const ROUNDS = 3;
const MARK = 'measured:';

type Figures = { cpu_ms: number; rss_mb: number; bytes: number };

const line = (index: number): string =>
  `${index} the quick brown fox jumps over the **lazy** dog and goes on with \`code\`\n`;

const stream = async (lines: number, push: (delta: string) => void): Promise<void> => {
  for (let first = 0; first < lines; first += LINES_A_BATCH) {
    for (let index = first; index < Math.min(lines, first + LINES_A_BATCH); index += 1) {
      for (const piece of line(index).match(new RegExp(`[\\s\\S]{1,${PIECE_CHARACTERS}}`, 'g')) ?? []) push(piece);
    }
    await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
  }
};

const report = (): void => {
  const cpu = process.cpuUsage();
  const figures = { cpu_ms: (cpu.user + cpu.system) / 1000, rss_mb: process.resourceUsage().maxRSS / 1024 };
  process.stdout.write(`\r\n${MARK}${JSON.stringify(figures)}\r\n`);
};

const playHalter = async (lines: number): Promise<void> => {
  let listener: (update: SessionUpdate) => void = () => {};
  const session: SessionFace = {
    id: 'bench',
    send: async () => ({ ok: true }),
    subscribe(each) {
      listener = each;
      return () => {};
    },
    log: () => [],
    idle: async () => {},
    close: async () => {},
  };
  const { runTerminal } = await import('../src/terminal/run-terminal.ts');
  const left = runTerminal({
    session,
    openSession: async () => session,
    tools: [],
    model: { name: 'bench', endpoint: 'nowhere' },
    sandbox: { text: 'sandboxed', confined: true },
    environment: process.env,
  });
  listener({ type: 'model_started', model: 'bench', iteration: 1 });
  await stream(lines, (delta) => listener({ type: 'text_delta', delta }));
  listener({ seq: 1, at: Date.now(), type: 'run_completed', sources: [] });
  await new Promise((resolve) => setTimeout(resolve, 100));
  process.emit('SIGTERM');
  await left;
  report();
  process.exit(0);
};

const plain = (text: string): string => text;
const MARKDOWN_THEME: MarkdownTheme = {
  heading: plain,
  link: plain,
  linkUrl: plain,
  code: plain,
  codeBlock: plain,
  codeBlockBorder: plain,
  quote: plain,
  quoteBorder: plain,
  hr: plain,
  listBullet: plain,
  bold: plain,
  italic: plain,
  strikethrough: plain,
  underline: plain,
};

const playPi = async (lines: number, kind: string): Promise<void> => {
  const { Markdown, ProcessTerminal, Text, TuiMainScreen } = await import('@earendil-works/pi-tui');
  const terminal = new ProcessTerminal();
  const tui = new TuiMainScreen(terminal);
  const component = kind === 'pi-text' ? new Text('', 0, 0) : new Markdown('', 0, 0, MARKDOWN_THEME);
  tui.addChild(component);
  tui.start();
  let text = '';
  await stream(lines, (delta) => {
    text += delta;
    component.setText(text);
    tui.requestRender();
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  tui.stop();
  report();
  process.exit(0);
};

/** Compiled code is kept between the rounds: what is measured is the program, not the taking away of its types. */
let cache = '';

const measure = async (kind: string, lines: number): Promise<Figures> => {
  const { spawn } = await import('@lydell/node-pty');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [import.meta.filename, `--play=${kind}`, String(lines)], {
      cols: 100,
      rows: 30,
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    });
    let bytes = 0;
    let tail = '';
    child.onData((data) => {
      bytes += Buffer.byteLength(data);
      tail = (tail + data).slice(-2_000);
    });
    child.onExit(() => {
      const found = new RegExp(`${MARK}(\\{.*?\\})`).exec(tail);
      if (found) resolve({ ...(JSON.parse(found[1]!) as Omit<Figures, 'bytes'>), bytes });
      else reject(new Error(`${kind} ended without figures: ${tail}`));
    });
  });
};

const best = async (kind: string, lines: number): Promise<Figures> => {
  const runs: Figures[] = [];
  for (let round = 0; round < ROUNDS; round += 1) runs.push(await measure(kind, lines));
  return runs.reduce((left, right) => (right.cpu_ms < left.cpu_ms ? right : left));
};

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const SEEDS = [
  '\u001b[31m',
  '\u001b]0;x\u0007',
  '\u009b',
  '\r',
  '\b',
  '\u202e',
  '\u200b',
  '\u{e0041}',
  '\ud83d',
  '\ude00',
  '\ufe0f',
  '⚠',
];

const sanitise = async (count: number): Promise<{ unsafe: number; ms: number }> => {
  const { Sanitizer } = await import('../src/terminal/sanitize.ts');
  const next = randomFrom(42);
  let unsafe = 0;
  const start = performance.now();
  for (let round = 0; round < count; round += 1) {
    const sanitizer = new Sanitizer('text');
    let out = '';
    for (let piece = 0; piece < 4; piece += 1) {
      const code = Math.floor(next() * (next() < 0.5 ? 0x300 : 0x110000));
      out += sanitizer.push(next() < 0.3 ? SEEDS[Math.floor(next() * SEEDS.length)]! : String.fromCodePoint(code));
      if (next() < 0.2) out += sanitizer.push(String.fromCharCode(Math.floor(next() * 0x10000)));
    }
    out += sanitizer.end();
    if (UNSAFE.test(out.replaceAll('\n', ' '))) unsafe += 1;
  }
  return { unsafe, ms: performance.now() - start };
};

const main = async (): Promise<void> => {
  const lines = Number(process.argv[2] ?? DEFAULT_LINES);
  const strings = Number(process.argv[3] ?? DEFAULT_STRINGS);
  cache = mkdtempSync(join(tmpdir(), 'halter-bench-'));
  await measure('halter', 1);
  await measure('pi-text', 1);
  const empty = await best('halter', 1);
  const halter = await best('halter', lines);
  const text = await best('pi-text', lines);
  const markdown = lines <= DEFAULT_LINES ? await measure('pi-markdown', lines) : undefined;
  const row = (name: string, figures: Figures): void => {
    const ratio = (figures.cpu_ms / halter.cpu_ms).toFixed(2);
    console.log(
      `${name.padEnd(34)} ${figures.cpu_ms.toFixed(0).padStart(7)} ms CPU ${ratio.padStart(6)}x ${figures.rss_mb.toFixed(0).padStart(5)} MB ${(figures.bytes / 1024).toFixed(0).padStart(7)} kB written`,
    );
  };
  console.log(`${lines} streamed lines, best of ${ROUNDS}; ratios to halter`);
  row('halter', halter);
  row('halter, one line (its start)', empty);
  row('pi-tui, one growing Text', text);
  if (markdown) row('pi-tui, one growing Markdown', markdown);
  const checked = await sanitise(strings);
  console.log(
    `${strings} random strings sanitised: ${checked.unsafe} with an unsafe character, ${checked.ms.toFixed(0)} ms`,
  );
  rmSync(cache, { recursive: true, force: true });
  if (checked.unsafe > 0) process.exitCode = 1;
};

const play = process.argv[2]?.startsWith('--play=') ? process.argv[2].slice('--play='.length) : undefined;
if (play === undefined) await main();
else if (play === 'halter') await playHalter(Number(process.argv[3]));
else await playPi(Number(process.argv[3]), play);

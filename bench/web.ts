/**
 * The web app in a real Chromium, against the real server: the weight of the first view, how many nodes a long session
 * opens with, and what the page does while a long answer streams. `npm run bench:web`, or `node bench/web.ts --only "one
 * code block"`. What is asked of the page while it works is asked seldom: to look for something in it costs it time too.
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { launchChromium } from '../tests/browser/support/chromium.ts';
import { keepSession } from '../tests/browser/support/keep-session.ts';
import { startScriptedModel } from '../tests/browser/support/scripted-model.ts';
import { serve } from '../tests/browser/support/serve.ts';
import { asked, putSessions, scrollUp } from './web/long-lists.ts';

const WEB = fileURLToPath(new URL('../dist/web/', import.meta.url));
const KB = 1024;
const PIECE_CHARACTERS = 20;
const PIECE_MS = 4;
const STREAM_MS = 180_000;
const ASK_MS = 500;
/** A very long answer, as a model that writes a whole program gives it. */
const LONG_KB = 240;

/** What the browser must have before it shows anything. */
const firstView = (): { files: number; gzipped: number } => {
  const page = readFileSync(join(WEB, 'index.html'), 'utf8');
  const names = readdirSync(join(WEB, 'assets')).filter((name) => page.includes(`/assets/${name}`));
  const parts = [page, ...names.map((name) => readFileSync(join(WEB, 'assets', name)))];
  return { files: parts.length, gzipped: parts.reduce((sum, part) => sum + gzipSync(part).length, 0) };
};

const PROSE =
  'A paragraph with **strong** words, `code`, a [link](https://example.test/page) and enough text to wrap.\n';
const mixed = (bytes: number): string => {
  const parts: string[] = [];
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const code = `\`\`\`ts\n${`export const value${index} = (name: string): string => \`\${name} ${index}\`; // why\n`.repeat(12)}\`\`\`\n`;
    const part = `## Part ${index}\n\n${PROSE.repeat(3)}\n- one item\n- another *item*\n\n${code}\n| a | b |\n|---|---|\n| ${index} | two |\n\n`;
    parts.push(part);
    size += part.length;
  }
  return parts.join('').slice(0, bytes);
};
const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  mixed,
  'one code block': (bytes) =>
    `\`\`\`ts\n${'const a = (b: number): number => b + 1; // c\n'.repeat(bytes / 44)}\`\`\`\n`,
  'one paragraph': (bytes) => PROSE.repeat(bytes / PROSE.length),
  'one list': (bytes) => '- an item of a list with `code`\n'.repeat(bytes / 32),
};

const nodesOf = async (page: Page, url: string, id: string, last: string): Promise<{ nodes: number; ms: number }> => {
  const began = performance.now();
  await page.goto(`${url}#/s/${id}`);
  await page.getByText(last, { exact: true }).waitFor();
  const ms = performance.now() - began;
  await page.waitForTimeout(1_500);
  const nodes = await page.evaluate(`document.querySelectorAll('*').length`);
  return { nodes: Number(nodes), ms };
};

type Streamed = { longest: number; over: number; cpuMs: number; seconds: number; nodes: number };
type TraceEvent = { name: string; ph: string; tid: number; pid: number; tdur?: number; args?: { name?: string } };

/** Tasks of the page's main thread, by that thread's own clock: what else the machine does is not counted. */
const tasksOf = (trace: Buffer): number[] => {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && mains.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1_000);
};

const streamed = async (page: Page, name: string): Promise<Streamed> => {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
  const began = performance.now();
  await page.getByRole('textbox', { name: 'Message' }).fill(name);
  await page.keyboard.press('Enter');
  const until = performance.now() + STREAM_MS;
  while (!(await page.evaluate("document.querySelector('footer') !== null"))) {
    if (performance.now() > until) throw new Error(`${name}: no end after ${STREAM_MS / 1_000} s`);
    await page.waitForTimeout(ASK_MS);
  }
  // Colours come a moment later.
  await page.waitForTimeout(1_500);
  const tasks = tasksOf(await browser.stopTracing());
  return {
    longest: Math.max(0, ...tasks),
    over: tasks.filter((ms) => ms > 50).length,
    cpuMs: tasks.reduce((sum, ms) => sum + ms, 0),
    seconds: (performance.now() - began) / 1_000,
    nodes: Number(await page.evaluate(`document.querySelectorAll('*').length`)),
  };
};

const SESSIONS = 5_000;
const LONG_MESSAGES = 10_000;
const SCROLLED_FRAMES = 300;
const SCROLLED_PIXELS = 120;

const manySessions = async (page: Page): Promise<void> => {
  const list = await asked(page, '/api/sessions?limit=100');
  const one = await asked(page, `/api/sessions?limit=20&q=conversation${SESSIONS - 7}`);
  const many = await asked(page, '/api/sessions?limit=20&q=people+write');
  console.log(
    `${SESSIONS} sessions: the list in ${Math.round(list)} ms, a word of one in ${Math.round(one)} ms, words of all in ${Math.round(many)} ms (goal 100)`,
  );
};

const longSession = async (page: Page, url: string): Promise<void> => {
  const opened = await nodesOf(page, url, 'longest-session', `Question ${LONG_MESSAGES / 2 - 1}`);
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
  const { nodes, seconds } = await scrollUp(page, SCROLLED_FRAMES, SCROLLED_PIXELS);
  const tasks = tasksOf(await browser.stopTracing());
  const cpu = tasks.reduce((sum, ms) => sum + ms, 0) / SCROLLED_FRAMES;
  console.log(
    `${LONG_MESSAGES} messages: open in ${Math.round(opened.ms)} ms; scrolled ${SCROLLED_FRAMES} frames of ${SCROLLED_PIXELS} pixels up: CPU ${cpu.toFixed(1)} ms a frame (goal 16.7), longest task ${Math.round(Math.max(0, ...tasks))} ms, ${Math.round(SCROLLED_FRAMES / seconds)} frames a second, ${nodes} nodes`,
  );
};

const home = mkdtempSync(join(tmpdir(), 'halter-bench-web-'));
const model = await startScriptedModel();
putSessions(join(home, '.local/share/halter/sessions'), realpathSync(home), SESSIONS);
const [browser, served] = await Promise.all([launchChromium(), serve(model.server.openaiUrl, home, home)]);
try {
  const { files, gzipped } = firstView();
  console.log(`first view: ${(gzipped / KB).toFixed(1)} KB gzipped in ${files} files (goal 150)`);

  const sessions = join(home, '.local/share/halter/sessions');
  await keepSession(sessions, 'short-session', 100, mixed(600));
  await keepSession(sessions, 'long-session', 2_000, mixed(600));
  await keepSession(sessions, 'longest-session', LONG_MESSAGES, mixed(600));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(served.url);
  const base = new URL('/', served.url).href;
  const short = await nodesOf(page, base, 'short-session', 'Question 49');
  const long = await nodesOf(page, base, 'long-session', 'Question 999');
  console.log(`session of 100 messages: ${short.nodes} nodes, open in ${Math.round(short.ms)} ms`);
  console.log(`session of 2,000 messages: ${long.nodes} nodes, open in ${Math.round(long.ms)} ms`);

  await manySessions(page);
  await longSession(page, base);

  const only = process.argv[process.argv.indexOf('--only') + 1];
  for (const [name, text] of Object.entries(TEXTS)) {
    if (process.argv.includes('--only') && name !== only) continue;
    const least = new Map<number, number>();
    // What is compared is measured twice, in turn: the machine does other things as well.
    for (const size of [25, 50, 100, 50, 100, ...(name === 'mixed' ? [LONG_KB] : [])]) {
      const key = `${name}, ${size} KB`;
      const pieces = text(size * KB).match(new RegExp(`[\\s\\S]{1,${PIECE_CHARACTERS}}`, 'g')) ?? [];
      model.onAsked(key, () => ({
        text: pieces,
        gates: Object.fromEntries(
          pieces.flatMap((_, index) =>
            index % 25 === 0 ? [[index, new Promise((resolve) => setTimeout(resolve, index * PIECE_MS))]] : [],
          ),
        ),
      }));
      await page.goto(`${base}#/`);
      await page.reload();
      const told = await streamed(page, key);
      least.set(size, Math.min(told.cpuMs, least.get(size) ?? Number.POSITIVE_INFINITY));
      console.log(
        `${key}: ${told.over} tasks over 50 ms, longest ${Math.round(told.longest)} ms (goal 100), CPU ${Math.round(told.cpuMs)} ms in ${told.seconds.toFixed(1)} s, ${told.nodes} nodes`,
      );
    }
    const ratio = (least.get(100) ?? 0) / (least.get(50) ?? 1);
    console.log(`${name}: CPU of 100 KB is ${ratio.toFixed(2)} times that of 50 KB (linear: 2)`);
  }
} finally {
  await browser.close();
  await served.close();
  await model.server.close();
  rmSync(home, { recursive: true, force: true });
}

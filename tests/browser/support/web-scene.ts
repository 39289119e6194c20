/** The real server with a scripted model, in a folder of its own, and pages of a real browser on it. */

import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished, test } from 'vitest';
import type { ScriptedServerOptions } from '../../../src/testing/index.ts';
import { IS_LONG } from '../../support/long.ts';
import { putFiles } from '../../support/scratch.ts';
import { CHROMIUM, NO_CHROMIUM, sharedChromium } from './chromium.ts';
import { type ScriptedModelServer, startScriptedModel } from './scripted-model.ts';
import { serve } from './serve.ts';

export type WebScene = {
  folder: string;
  /** The person's own. */
  home: string;
  /** Where its sessions are kept. */
  sessions: string;
  /** With the token in it. */
  url: string;
  model: ScriptedModelServer;
  browser: Browser;
  /** A page that is closed after the test; with options, in a browser of its own. */
  page(options?: BrowserContextOptions): Promise<Page>;
  /** Ends the server by this signal, and leaves it so. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again at the same address, with another folder or other flags where they are named; `url` is the new one then. */
  startAgain(folder?: string, flags?: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
type Finding = { id: string; impact: string; nodes: { html: string }[] };
/** What axe finds, whatever its grade. The page's own policy allows no injected script, so it is evaluated. */
export const findings = async (page: Page): Promise<string[]> => {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(fs.readFileSync(AXE, 'utf8'));
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Finding[] };
  return violations.map(
    ({ id, impact, nodes }) => `${impact}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
};

const THEMES = ['light', 'dark'] as const;
/** The themes in which the n-th part of a page is looked at: usually one, in turn; in a long run both. */
export const themesFor = (index: number): readonly (typeof THEMES)[number][] =>
  IS_LONG ? THEMES : THEMES.filter((_, at) => at === index % THEMES.length);

/** How long a page is waited for, and a test may take: a browser on a busy machine is slow. */
const WAIT_MS = 60_000;
const TIMEOUT_MS = 180_000;
const VIEWPORT = { width: 1280, height: 800 };

/** Scripts that make pictures use a scene too; for them the end is the end of the scene. */
const closeLater = (close: () => Promise<void>): void => {
  try {
    onTestFinished(close);
  } catch {
    // There is no test.
  }
};

export const openWebScene = async (
  files: Record<string, string | Uint8Array>,
  flags: readonly string[] = [],
  /** The person's own files, such as settings. */
  ofHome: Record<string, string> = {},
  /** In whose protocol the model is asked, and what it says of models that it gets. */
  { provider = 'openai', pulls }: { provider?: 'openai' | 'ollama'; pulls?: ScriptedServerOptions['pulls'] } = {},
): Promise<WebScene> => {
  const base = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'halter-web-'));
  const [folder, home] = [path.join(base, 'project'), path.join(base, 'home')];
  fs.mkdirSync(home);
  putFiles(base, { project: null });
  putFiles(home, ofHome);
  putFiles(folder, files);
  const model = await startScriptedModel(pulls);
  const modelUrl = provider === 'openai' ? model.server.openaiUrl : model.server.url;
  const [browser, served] = await Promise.all([sharedChromium(), serve(modelUrl, folder, home, flags, 0, provider)]);
  let running = served;
  const { port } = new URL(served.url);
  let shared: Promise<BrowserContext> | undefined;
  return {
    folder,
    home,
    sessions: path.join(home, '.local/share/halter/sessions'),
    get url() {
      return running.url;
    },
    model,
    browser,
    async page(options) {
      shared ??= browser.newContext({ viewport: VIEWPORT });
      const context = await (options ? browser.newContext({ viewport: VIEWPORT, ...options }) : shared);
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS);
      closeLater(() => (options ? context.close() : page.close()));
      await page.goto(running.url);
      return page;
    },
    stop: (signal) => running.close(signal),
    async startAgain(otherFolder = folder, otherFlags = flags) {
      running = await serve(modelUrl, otherFolder, home, otherFlags, Number(port), provider);
    },
    async close() {
      await (await shared)?.close();
      // A script ends when nothing is left to wait for.
      if (process.env['VITEST'] === undefined) await browser.close();
      await running.close();
      await model.server.close();
      fs.rmSync(base, { recursive: true, force: true });
    },
  };
};

/** A test that is skipped, and says why, where there is no browser. */
export const inBrowser = (name: string, run: () => Promise<void>): void =>
  test(name, { timeout: TIMEOUT_MS }, async (context) => {
    if (CHROMIUM === undefined) context.skip(NO_CHROMIUM);
    await run();
  });

/** What takes long on a page, and what is decided for it is tested in web/src: played in a long run alone. */
export const inLongRun = (name: string, run: () => Promise<void>): void => {
  if (IS_LONG) inBrowser(name, run);
};

/** All that is written of the sessions so far. */
export const keptText = ({ sessions }: WebScene): string =>
  fs
    .readdirSync(sessions, { withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? fs.readFileSync(path.join(sessions, entry.name), 'utf8') : []))
    .join('');

/** The calls on the page: what they are called and how they stand. */
export const callsIn = (page: Page): Promise<{ name: string; state: string }[]> =>
  page.locator('[data-call]').evaluateAll((cards) =>
    cards.map((card) => ({
      name: (card.getAttribute('aria-label') ?? '').replace('Tool call ', ''),
      state: card.getAttribute('data-state') ?? '',
    })),
  );

/** Shows what stands at the right of the conversation, where the window has no empty margin for it. */
export const openSide = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Show tasks and files' }).click();

/**
 * The run is over, and not only its last words are there: while it goes on a message waits in the queue, and nothing is
 * edited, answered again or left for another branch.
 */
export const ended = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });

/** Writes a message and sends it. */
export const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
};

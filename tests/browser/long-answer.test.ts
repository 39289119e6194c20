/** An answer that is longer than anybody reads: the page stays light, and is drawn in short pieces. */
import { realpathSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { keepSession } from './support/keep-session.ts';
import { inBrowser, openWebScene, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({});
});
afterAll(() => scene?.close());

const CHARACTERS = 150_000;
const LINES_OF_WORDS = 2_500;
const grown = (line: (index: number) => string): string => {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < CHARACTERS; length += parts.at(-1)?.length ?? 1, index += 1)
    parts.push(line(index));
  return `${parts.join('')}\n\nThe end of it.`;
};
const SHAPES: Readonly<Record<string, string>> = {
  list: grown((index) => `- item **${index}** with \`code\`\n`),
  table: `| a | b |\n|---|---|\n${grown((index) => `| ${index} | \`two\` |\n`)}`,
  // A session is opened at its end, so that is where the heaviest passages are.
  mathematics: grown((index) =>
    index < LINES_OF_WORDS
      ? `Words before them, line ${index}.\n\n`
      : `$$\\sum_{i=0}^{${index}} x_i = \\frac{1}{2}$$\n\n`,
  ),
  references: `${grown((index) => `See [page][1] and [${index}][1].\n\n`)}\n\n[1]: https://example.test/\n`,
};

/** Elements that come on the page between two looks of its own, and those that stay. */
const COUNTED = `(() => {
  window.most = 0;
  new MutationObserver((records) => {
    let came = 0;
    for (const { addedNodes } of records)
      for (const node of addedNodes) if (node instanceof Element) came += 1 + node.querySelectorAll('*').length;
    window.most = Math.max(window.most, came);
  }).observe(document, { childList: true, subtree: true });
})()`;
/** All of it takes a quiet machine some seconds. */
const DRAWN_MS = 120_000;
const isDrawn = (page: Page): Promise<void> =>
  page.locator('.passage > .whitespace-pre-wrap').first().waitFor({ state: 'detached', timeout: DRAWN_MS });
/** Of one commit: the page, and a passage of the heaviest kind. Each formula is some seventy. */
const ELEMENTS_AT_ONCE = 3_000;

describe('an answer of 150 KB that is opened', () => {
  for (const [name, text] of Object.entries(SHAPES)) {
    inBrowser(`comes on the page in short pieces, all of it: ${name}`, async () => {
      verifies('L7');
      await keepSession(scene.sessions, `long-${name}`, 2, text, realpathSync(scene.folder));
      const page = await scene.page({});
      await page.evaluate(COUNTED);
      await page.goto(`${new URL('/', scene.url).href}#/s/long-${name}`);
      await page.getByText('The end of it.').waitFor();
      await page.locator('.passage').nth(20).waitFor({ state: 'attached' });
      await isDrawn(page);
      if (name === 'mathematics') await page.locator('.formula-display').first().waitFor();
      const most = Number(await page.evaluate('window.most'));
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(ELEMENTS_AT_ONCE);
    });
  }
});

describe('a list that is cut within an item', () => {
  inBrowser('goes on at its depth, without a second mark of the item', async () => {
    const items = Array.from({ length: 900 }, (_, index) => `     - item ${index}\n`).join('');
    const text = `1. outer\n   - middle\n${items}   - after`;
    await keepSession(scene.sessions, 'cut-list', 2, text, realpathSync(scene.folder));
    const page = await scene.page({});
    await page.goto(`${new URL('/', scene.url).href}#/s/cut-list`);
    await page.getByText('after', { exact: true }).waitFor();
    await isDrawn(page);
    const found = (await page.evaluate(`[...document.querySelectorAll('.prose li')].map((item) => {
      let depth = 0;
      for (let at = item; at; at = at.parentElement.closest('li')) depth += 1;
      return [item.firstChild.textContent.trim(), depth, getComputedStyle(item).listStyleType === 'none'];
    })`)) as [string, number, boolean][];
    const inner = found.filter(([words]) => /^item \d+$/.test(words));
    expect(inner.map(([words]) => words)).toEqual(Array.from({ length: 900 }, (_, index) => `item ${index}`));
    expect(new Set(inner.map(([, depth, isCarried]) => `${depth} ${isCarried}`))).toEqual(new Set(['3 false']));
    expect(found.filter(([words]) => words === 'after')).toEqual([['after', 2, false]]);
    expect(await page.locator('.carried').count()).toBeGreaterThan(0);
    expect(await page.evaluate("document.body.innerText.includes('\\u{E0F8}')")).toBe(false);
  });
});

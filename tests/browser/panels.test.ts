/** Every panel: opened and closed by the keyboard alone, in both themes, wide and on a phone, and axe finds nothing. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, themesFor, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' }, ['--allow', 'write_file']);
});
afterAll(() => scene?.close());

const it = inBrowser;

/** The button that opens a panel, by what it is called, and the panel. */
const PANELS: readonly [button: RegExp, dialog: RegExp][] = [
  [/^Settings/, /^Settings$/],
  [/^MCP servers/, /^MCP servers$/],
  [/^Open on another device/, /^Open on another device$/],
  [/^Model /, /^Models$/],
  [/^Review changes/, /^Changes of this session$/],
  [/^Compare/, /^Compare answers$/],
];

const openByKeys = async (page: Page, name: RegExp): Promise<void> => {
  const button = page.getByRole('button', { name }).first();
  const side = page.getByRole('button', {
    name: /Review/.test(name.source) ? 'Show tasks and files' : 'Show sessions',
  });
  // One of them comes into sight with what the page has just heard.
  await button.or(side).filter({ visible: true }).first().waitFor();
  if (!(await button.isVisible())) {
    await side.focus();
    await page.keyboard.press('Enter');
  }
  await button.focus();
  await page.keyboard.press('Enter');
};

describe('every panel', () => {
  for (const [turn, width] of [1280, 360].entries()) {
    it(`is reached and left by the keyboard, and is accessible, at ${width} pixels`, async () => {
      const question = `change it at ${width}`;
      let round = 0;
      scene.model.onAsked(question, () => {
        round += 1;
        if (round !== 1) return { text: `Answer ${round}.` };
        return { calls: [{ name: 'write_file', arguments: { path: `notes-${width}.txt`, content: 'two\n' } }] };
      });
      const page = await scene.page({ viewport: { width, height: 800 }, reducedMotion: 'reduce' });
      await say(page, question);
      await page.getByText('Answer 2.').waitFor();
      for (const [index, [button, name]] of PANELS.entries()) {
        if (name.test('Compare answers')) {
          await page.getByRole('button', { name: 'Answer again' }).click();
          await page.getByText('Answer 3.').waitFor();
        }
        await openByKeys(page, button);
        const dialog = page.getByRole('dialog', { name });
        await dialog.waitFor();
        for (const colorScheme of themesFor(index + turn)) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          expect([name.source, await findings(page)]).toEqual([name.source, []]);
        }
        expect([name.source, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          name.source,
          width,
        ]);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        // What stood over the conversation on a phone is closed by the same key.
        await page.keyboard.press('Escape');
      }
    });
  }
});

/** The search of sessions by the keyboard alone: what Enter opens is in sight, and is what the typed words find. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { keepSession } from './support/keep-session.ts';
import { inBrowser, openWebScene, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
/** One for all rows: each closes the search and opens it anew. */
let page: Page;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
  for (let index = 0; index < 25; index += 1)
    await keepSession(scene.sessions, `kept-${index}`, 2, index === 3 ? 'It was marmalade.' : 'Yes.', scene.folder);
  const context = await scene.browser.newContext({ viewport: { width: 1280, height: 480 } });
  page = await context.newPage();
}, 120_000);
afterAll(async () => {
  await page?.context().close();
  await scene?.close();
});

const it = inBrowser;
const openSearch = async (): Promise<Page> => {
  if (page.url() === 'about:blank') await page.goto(scene.url);
  // What a row held back is its own.
  await page.unrouteAll();
  if (await page.getByRole('dialog').isVisible()) {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  if (opened(page) !== '') {
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
  }
  await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: 'Question 0' }).first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  return page;
};
/** The session in the address; where a new one begins there is none. */
const opened = (page: Page): string => new URL(page.url()).hash.replace(/^#\/$/, '');

describe('the search of sessions', () => {
  it('keeps in sight what the arrows choose, to the last one and back', async () => {
    verifies('U1');
    const page = await openSearch();
    const chosen = page.getByRole('option', { selected: true });
    const isSeen = (): Promise<boolean> =>
      chosen.evaluate((option) => {
        const [own, list] = [option.getBoundingClientRect(), option.parentElement?.getBoundingClientRect()];
        return own.top >= (list?.top ?? 0) - 1 && own.bottom <= (list?.bottom ?? 0) + 1;
      });
    await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(15);
    const count = await page.getByRole('option').count();
    for (const key of ['ArrowDown', 'ArrowUp'])
      for (let step = 1; step < count; step += 1) {
        await page.keyboard.press(key);
        await expect.poll(async () => [key, step, await isSeen()]).toEqual([key, step, true]);
      }
  });

  it('opens what the words find, though Enter comes before the answer', async () => {
    verifies('U1');
    const page = await openSearch();
    await page.keyboard.insertText('marmalade');
    await page.keyboard.press('Enter');
    await page.getByText('It was marmalade.').waitFor();
    expect(opened(page)).toBe('#/s/kept-3');
  });

  it('uses the answer for the words that stand there, though the list changes before it comes', async () => {
    verifies('U1');
    const page = await openSearch();
    const held: (() => void)[] = [];
    await page.route(/\/api\/sessions\?.*q=/, async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await page.keyboard.insertText('marmalade');
    await expect.poll(() => held.length).toBe(1);
    await keepSession(scene.sessions, 'kept-meanwhile', 2, 'Yes.', scene.folder);
    await page.locator('nav a[href="#/s/kept-meanwhile"]').waitFor();
    await page.getByRole('dialog').getByText('Searching…').waitFor();
    expect(await page.getByRole('dialog').getByRole('option').count()).toBe(0);
    for (const go of held) go();
    await page.getByRole('option').filter({ hasText: 'marmalade' }).waitFor();
    expect(held).toHaveLength(1);
  });

  it('opens nothing where nothing is found', async () => {
    verifies('U1');
    const page = await openSearch();
    await page.keyboard.insertText('nobody said this');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Nothing found.').waitFor();
    expect(opened(page)).toBe('');
  });

  it('leaves Enter to words that are still being composed', async () => {
    verifies('U1');
    const page = await openSearch();
    await page.getByRole('combobox').evaluate((field) => {
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, isComposing: true }));
    });
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(opened(page)).toBe('');
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
  });

  it('keeps what was chosen while the list of sessions changes', async () => {
    verifies('U1');
    const page = await openSearch();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
    const chosen = page.getByRole('option', { selected: true });
    const id = await chosen.getAttribute('data-session');
    await keepSession(scene.sessions, 'came-later', 2, 'Later.', scene.folder);
    const listed = page.waitForResponse(/\/api\/sessions\?/);
    await page.evaluate(async () => {
      const headers = { authorization: `Bearer ${localStorage.getItem('halter key')}` };
      await fetch('/api/sessions/kept-0', { method: 'DELETE', headers });
    });
    await listed;
    await page.getByRole('option').first().waitFor();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(id).not.toBeNull();
    expect(await chosen.getAttribute('data-session')).toBe(id);
  });
});

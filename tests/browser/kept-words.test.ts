/** Where a browser keeps nothing, or has no room, what a person wrote is sent or stays in sight. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { everyNth } from '../support/long.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
  scene.model.on('begin here', [{ text: 'Begun.' }]);
}, 120_000);
afterAll(() => scene?.close());

const it = inBrowser;
const ready = (page: Page): Promise<void> => page.getByRole('heading', { name: /is ready/ }).waitFor();
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const queue = (page: Page) => page.getByRole('list', { name: 'Messages that wait' });
/** How often the words stand on the page: in the field, among what waits, or said. */
const inSight = async (page: Page, words: string): Promise<number> => {
  const written = (await field(page).isVisible()) ? await field(page).inputValue() : '';
  const listed = await queue(page).getByText(words).count();
  const said = await page.locator('[data-row=user]').getByText(words).count();
  return (written.includes(words) ? 1 : 0) + listed + said;
};
const stays = (page: Page, words: string): Promise<void> => expect.poll(() => inSight(page, words)).toBe(1);

/** Nothing more has room there. */
const FULL = (name: 'localStorage' | 'sessionStorage'): string => `
  for (let size = 1 << 20; size > 0; size >>= 1)
    for (let at = 0; at < 20; at += 1)
      try { ${name}.setItem('other ' + size + ' ' + at, 'x'.repeat(size)); } catch { break; }`;
/** As where the person forbids a page to keep anything. */
const BLOCKED = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError'); } });`;

const ROWS = ([['localStorage'], ['sessionStorage'], ['localStorage', 'sessionStorage']] as const)
  .flatMap((full) => (['a new session', 'a session'] as const).map((place) => ({ full, place })))
  .flatMap((row) => [true, false].map((answered) => ({ ...row, answered })))
  .map((row, index) => ({ ...row, index }));

describe('a browser that has no room', () => {
  // Four rows of each that is full, so that every seventh one is of another, in both places, with and without an answer.
  for (const { index, full, place, answered } of everyNth(ROWS, 7))
    it(`of ${full.join(' and ')} in ${place}, ${answered ? 'with' : 'without'} an answer`, async () => {
      verifies('L8');
      const words = `no room ${index}.`;
      scene.model.on(words, [{ text: `Answered ${words}` }]);
      const page = await scene.page({});
      await ready(page);
      if (place === 'a session') {
        await say(page, 'begin here');
        await page.getByText('Begun.').waitFor();
      }
      for (const name of full) await page.evaluate(FULL(name));
      if (!answered) await page.route(/\/api\/sessions(\/[^/]+\/commands)?$/, (route) => route.abort());
      await say(page, words);
      if (answered) await page.getByText(`Answered ${words}`).waitFor();
      await stays(page, words);
      if (answered) return;
      await page.unroute(/\/api\/sessions(\/[^/]+\/commands)?$/);
      const again = queue(page).getByRole('button', { name: 'Send now' });
      // Where it stands is known once nothing of it is under way.
      await expect
        .poll(async () => (await again.isVisible()) || (await field(page).inputValue()).includes(words))
        .toBe(true);
      if (await again.isVisible()) await again.click();
      else await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText(`Answered ${words}`).waitFor();
    });

  it('that keeps nothing at all', async () => {
    verifies('L8');
    scene.model.on('kept nowhere', [{ text: 'Answered all the same.' }]);
    const page = await scene.page({});
    await page.addInitScript(BLOCKED);
    await page.goto(scene.url);
    await ready(page);
    await say(page, 'kept nowhere');
    await page.getByText('Answered all the same.').waitFor();
  });
});

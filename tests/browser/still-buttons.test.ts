/** The buttons of a decision: in sight and in their place, whatever is to be read above them and however it grows. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { everyNth, onlyLong } from '../support/long.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
}, 120_000);
afterAll(() => scene?.close());

const it = inBrowser;

type Size = { width: number; height: number; seen?: number };
const SIZES: readonly Size[] = [
  { width: 320, height: 568 },
  { width: 360, height: 740 },
  { width: 740, height: 360 },
  { width: 390, height: 740, seen: 330 },
  { width: 1280, height: 800 },
  ...onlyLong([
    { width: 480, height: 800 },
    { width: 768, height: 1024 },
  ] as const),
];
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');
type Kind = { about: string; call: (file: string) => { name: string; arguments: Record<string, string> } };
const KINDS: readonly Kind[] = [
  {
    about: 'a change of many lines in a file with a long path',
    call: (file) => ({
      name: 'write_file',
      arguments: { path: `${'deep-folder-with-a-name/'.repeat(6)}${file}`, content: lines(120) },
    }),
  },
  {
    about: 'one line without a blank, of signs that are wide',
    call: (file) => ({
      name: 'write_file',
      arguments: { path: `${'資料夾'.repeat(20)}-${file}`, content: '漢字👩‍👩‍👧‍👦'.repeat(150) },
    }),
  },
  {
    about: 'a long command',
    call: (file) => ({
      name: 'bash',
      arguments: { command: `echo ${'x'.repeat(900)}; touch ${file}; echo ${'words of it '.repeat(60)}` },
    }),
  },
];
const DECISIONS = ['Allow once', 'Deny'] as const;

/** As where the keyboard lies over the window and only `visualViewport` says so. */
const coverWindow = (height: number): string => `
  Object.defineProperty(window.visualViewport, 'height', { get: () => ${height} });
  window.visualViewport.dispatchEvent(new Event('resize'));`;

type Place = { name: string; x: number; y: number; isSeen: boolean };
/** Where each button stands, and whether all of it can be seen and pressed. */
const placesIn = async (card: Locator, seen: number): Promise<Place[]> => {
  const found = await Promise.all(
    DECISIONS.map((name) =>
      card.getByRole('button', { name }).evaluate((button) => {
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const corners = [
          [left + 4, top + 4],
          [right - 4, bottom - 4],
        ] as const;
        const isTop = corners.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
        return { x: Math.round(left), y: Math.round(top), bottom, isTop };
      }),
    ),
  );
  return found.map(({ x, y, bottom, isTop }, at) => ({
    name: DECISIONS[at] as string,
    x,
    y,
    isSeen: isTop && bottom <= seen + 0.5,
  }));
};

const asked = async (page: Page, isInbox: boolean, words: string): Promise<Locator> => {
  if (!isInbox) return page.getByRole('alertdialog');
  const opener = page.getByRole('button', { name: 'Show sessions' });
  const list = page.getByRole('navigation', { name: 'Sessions' });
  await list.or(opener).first().waitFor();
  if (!(await list.isVisible())) await opener.click();
  return list.locator('[data-waiting]').filter({ hasText: words });
};

const ROWS = SIZES.flatMap((size) =>
  KINDS.flatMap((kind) => [false, true].map((isInbox) => ({ size, kind, isInbox }))),
).map((row, index) => ({ ...row, index }));

describe('the buttons of a decision', () => {
  // Six rows a size, so that every eleventh one is of another size, and of another kind or place.
  for (const { index, size, kind, isInbox } of everyNth(ROWS, 11)) {
    const { width, height, seen = height } = size;
    const where = isInbox ? 'the list of sessions' : 'the question';
    it(`are in sight and still while ${kind.about} is opened in ${where}, in ${width} × ${seen} of ${height}`, async () => {
      verifies('H7');
      const words = `still ${index}.`;
      scene.model.on(words, [{ calls: [kind.call(`still-${index}.txt`)] }, { text: `Over with ${index}.` }]);
      const options = { viewport: { width, height }, ...(width < 1000 ? { hasTouch: true, isMobile: true } : {}) };
      const asking = await scene.page(options);
      await say(asking, words);
      const question = asking.getByRole('alertdialog');
      await question.waitFor();
      // What waited in the row before is answered, so each list has this one alone.
      const page = isInbox ? await scene.page(options) : asking;
      if (seen < height) await page.evaluate(coverWindow(seen));
      const card = await asked(page, isInbox, words);
      await expect.poll(() => card.getByRole('button', { name: 'Deny' }).isEnabled()).toBe(true);
      await card.scrollIntoViewIfNeeded();
      await expect
        .poll(async () => (await placesIn(card, seen)).map(({ name, isSeen }) => [name, isSeen]))
        .toEqual(DECISIONS.map((name) => [name, true]));
      const before = await placesIn(card, seen);
      await card.getByRole('button', { name: 'Allow once' }).click();
      const hint = card.getByText(/Read it to its end/);
      // Where all of it has room it is read at once.
      await expect.poll(() => card.locator('[data-left-out]').count()).toBe(0);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      expect(await placesIn(card, seen)).toEqual(before);
      // What is read has the room for it, beside what decides: on a phone that stands upright more than a third of what is seen.
      const area = card.getByLabel('What is asked');
      const box = await area.boundingBox();
      if (!isInbox && seen > width) expect(box?.height ?? 0).toBeGreaterThan(seen * 0.34);
      // A tap goes on by what is in sight, and nothing moves for it.
      const steps = await area.evaluate((element) => Math.ceil(element.scrollHeight / element.clientHeight) * 2);
      const on = card.locator('[data-below]');
      for (let step = 0; step < steps && (await on.count()) > 0; step += 1) {
        // The last one goes while it is aimed at.
        const gone = on.waitFor({ state: 'detached' });
        await Promise.race([on.click({ timeout: 2_000 }).catch(() => {}), gone.catch(() => {})]);
        expect(await placesIn(card, seen)).toEqual(before);
      }
      await hint.waitFor({ state: 'detached' });
      expect(await placesIn(card, seen)).toEqual(before);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await card.getByRole('button', { name: 'Deny' }).click();
      await asking.getByText(`Over with ${index}.`).waitFor();
    });
  }
});

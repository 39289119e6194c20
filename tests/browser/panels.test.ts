/** Every panel: opened and closed by the keyboard alone, in both themes, wide and on a phone, and axe finds nothing. */
import type { Locator, Page } from 'playwright-core';
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

/** Controls of the panel that are outside the screen, too small for a finger, or over another one; by their names. */
const ILL_PLACED = `(() => {
  const dialog = document.querySelector('dialog[open]');
  const scrolls = (element) => {
    for (let at = element.parentElement; at && at !== dialog; at = at.parentElement)
      if (at.scrollWidth > at.clientWidth && /auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  // What stays in sight lies over what scrolls under it.
  const stays = (element) => {
    for (let at = element; at && at !== dialog; at = at.parentElement)
      if (getComputedStyle(at).position === 'sticky') return true;
    return false;
  };
  const shown = [...dialog.querySelectorAll('button, input, select, textarea, summary, [role=tab]')].filter((each) =>
    each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().width > 1);
  const named = (each) => (each.getAttribute('aria-label') ?? each.textContent.trim() ?? '').slice(0, 40) || each.tagName + ' ' + (each.id || each.name || each.type);
  const boxOf = (each) => (each.matches('input[type=checkbox], input[type=radio]') ? each.closest('label') ?? each : each).getBoundingClientRect();
  const found = [];
  for (const [index, each] of shown.entries()) {
    const box = boxOf(each);
    if (!scrolls(each) && (box.left < -0.5 || box.right > innerWidth + 0.5)) found.push('outside: ' + named(each));
    if (box.height < 39.5) found.push('small: ' + named(each) + ' ' + Math.round(box.height));
    for (const other of shown.slice(index + 1)) {
      if (each.contains(other) || other.contains(each) || stays(each) !== stays(other)) continue;
      const next = boxOf(other);
      if (next.top === box.top && next.left === box.left && next.right === box.right) continue;
      const wide = Math.min(box.right, next.right) - Math.max(box.left, next.left);
      const high = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
      if (wide > 2 && high > 2) found.push('over each other: ' + named(each) + ' and ' + named(other));
    }
  }
  return found;
})()`;

const illPlaced = async (page: Page): Promise<string[]> => {
  const found = (await page.evaluate(ILL_PLACED)) as string[];
  const tabs = page.locator('dialog[open] [role=tab]');
  for (let index = 0; index < (await tabs.count()); index += 1) {
    await tabs.nth(index).focus();
    await page.keyboard.press('Enter');
    const name = await tabs.nth(index).textContent();
    found.push(...((await page.evaluate(ILL_PLACED)) as string[]).map((each) => `${name}: ${each}`));
  }
  return [...new Set(found)];
};

const titleOf = (dialog: Locator): Promise<{ size: string; height: number }> =>
  dialog
    .getByRole('heading', { level: 2 })
    .first()
    .evaluate((title) => ({
      size: getComputedStyle(title).fontSize,
      height: Math.round(title.parentElement?.getBoundingClientRect().height ?? 0),
    }));

describe('a search over what is being written', () => {
  it('gives the field back as it was: what is typed next arrives', async () => {
    const page = await scene.page();
    const field = page.getByRole('textbox', { name: 'Message' });
    for (const [keys, name] of [
      ['Control+k', 'Search sessions'],
      ['Control+/', 'Shortcuts'],
    ] as const) {
      await field.fill('');
      await field.pressSequentially('hello ');
      await page.keyboard.press(keys);
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.keyboard.type('world');
      await expect.poll(() => field.inputValue()).toBe('hello world');
    }
    await field.fill('');
  });
});

describe('every panel', () => {
  for (const [turn, width] of [1280, 360, 320].entries()) {
    it(`is reached and left by the keyboard, and is accessible, at ${width} pixels`, async () => {
      const question = `change it at ${width}`;
      let round = 0;
      scene.model.onAsked(question, () => {
        round += 1;
        if (round !== 1) return { text: `Answer ${round}.` };
        return { calls: [{ name: 'write_file', arguments: { path: `notes-${width}.txt`, content: 'two\n' } }] };
      });
      const isPhone = width < 640;
      const touch = isPhone ? { hasTouch: true, isMobile: true } : {};
      const page = await scene.page({ viewport: { width, height: 800 }, reducedMotion: 'reduce', ...touch });
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
        // Siblings look alike, wherever in the page each of them stands.
        expect([name.source, await titleOf(dialog)]).toEqual([name.source, { size: '16px', height: 48 }]);
        for (const colorScheme of themesFor(index + turn)) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          expect([name.source, await findings(page)]).toEqual([name.source, []]);
        }
        expect([name.source, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          name.source,
          width,
        ]);
        if (isPhone) expect([name.source, await illPlaced(page)]).toEqual([name.source, []]);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        // What stood over the conversation on a phone is closed by the same key.
        await page.keyboard.press('Escape');
      }
    });
  }
});

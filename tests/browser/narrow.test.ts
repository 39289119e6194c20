/** The page on a phone: everything can be reached, with a finger. */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { onlyLong } from '../support/long.ts';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n', 'lines.txt': 'one\ntwo\nthree\nfour\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;

/** Buttons and links that are shown, but those within a text, which are too small for a finger or outside of the view. */
const outOfReach = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('button, a[href], summary, input:not([hidden]), textarea')].flatMap((each) => {
    const { width, height, left, right } = each.getBoundingClientRect();
    const isHidden = width === 0 || height === 0 || each.closest('.prose, .sr-only') || each.tabIndex < 0;
    if (isHidden || getComputedStyle(each).visibility === 'hidden') return [];
    const isReached = left >= 0 && right <= window.innerWidth + 0.5 && height >= 39.5 && (width >= 39.5);
    return isReached ? [] : [each.outerHTML.slice(0, 120) + ' ' + [width, height, left, right].map(Math.round).join(' ')];
  })`) as Promise<string[]>;

/** How much of a thing is in sight, of what scrolls around it and of the window: 1 is all of it. */
const seen = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => {
    let { top, bottom } = element.getBoundingClientRect();
    const whole = bottom - top;
    for (let around = element.parentElement; around; around = around.parentElement) {
      const box = around.getBoundingClientRect();
      top = Math.max(top, box.top);
      bottom = Math.min(bottom, box.bottom);
    }
    return Math.max(0, bottom - top) / whole;
  });

/** As where the keyboard lies over the window and only `visualViewport` says so. */
const coverWindow = (height: number): string => `
  Object.defineProperty(window.visualViewport, 'height', { get: () => ${height} });
  window.visualViewport.dispatchEvent(new Event('resize'));`;

describe('a narrow page', () => {
  for (const width of [320, ...onlyLong([360, 480])]) {
    it(`has everything within reach at ${width} pixels, with a long name of a model and figures of an answer`, async () => {
      scene.model.on('narrow', [
        {
          text: 'An answer.',
          usage: { prompt_tokens: 3_412, cached_tokens: 3_106, completion_tokens: 214 },
        },
      ]);
      scene.model.on('ask on a phone', [
        {
          calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'two\n' } }],
          // The size of a window, and less than before: a prompt that was cut, so the page has a warning to show beside the question.
          usage: { prompt_tokens: 2_048, completion_tokens: 20 },
        },
        { text: 'Done.' },
      ]);
      const page = await scene.page({ viewport: { width, height: 700 }, hasTouch: true, isMobile: true });
      await page.getByRole('heading', { name: /is ready/ }).waitFor();
      await page.getByRole('button', { name: /^Model / }).click();
      await page.locator('[data-model*="very-long"]').click();
      await say(page, 'narrow');
      await page.locator('footer').waitFor();
      expect(await outOfReach(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await say(page, 'ask on a phone');
      await page.getByRole('alertdialog').waitFor();
      expect(await outOfReach(page)).toEqual([]);
      // Nobody says yes to what is not in sight, whatever else there is to tell.
      await page.getByRole('list', { name: 'Warnings' }).getByText('1 warning').waitFor();
      await expect.poll(() => seen(page, '[role=alertdialog] h2')).toBe(1);
      await expect.poll(() => seen(page, '[role=alertdialog] [data-risk]')).toBe(1);
      await expect.poll(() => seen(page, '[role=alertdialog] [data-sign="-"]')).toBe(1);
      // What is typed meanwhile leaves Stop where it is.
      await page.getByRole('textbox', { name: 'Message' }).fill('more');
      expect(await page.getByRole('button', { name: 'Stop', exact: true }).isVisible()).toBe(true);
      expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(true);
      expect(await outOfReach(page)).toEqual([]);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).click();
      await page.getByText('Done.').waitFor();
      await page.getByRole('button', { name: 'Show sessions' }).click();
      await page.getByRole('navigation', { name: 'Sessions' }).waitFor();
      expect(await outOfReach(page)).toEqual([]);
    });
  }

  const BUILDS = Array.from({ length: 60 }, (_, part) => `npm run build-part-${part} -- --flag=${part}`);
  for (const [index, { width, between, left }] of [
    { width: 360, between: ' && ', left: /… [\d,]+ more characters: show all/ },
    { width: 360, between: '\n', left: /… 58 more lines: show all/ },
    { width: 1280, between: ' && ', left: /… [\d,]+ more characters: show all/ },
    { width: 1280, between: '\n', left: /… 52 more lines: show all/ },
  ].entries()) {
    it(`shows the end of a long command, and says how much is left out, at ${width} pixels, parted by ${JSON.stringify(between)}`, async () => {
      const command = [...BUILDS, 'rm -rf the-end'].join(between);
      scene.model.on(`long command ${index}`, [
        { calls: [{ name: 'bash', arguments: { command } }] },
        { text: 'Not run.' },
      ]);
      const isPhone = width < 640;
      const page = await scene.page({ viewport: { width, height: 740 }, hasTouch: isPhone, isMobile: isPhone });
      await say(page, `long command ${index}`);
      const asked = page.getByRole('alertdialog');
      await asked.locator('[data-end]').filter({ hasText: 'rm -rf the-end' }).waitFor();
      await expect.poll(() => seen(page, '[role=alertdialog] [data-end]')).toBe(1);
      expect(await asked.locator('[data-left-out]').textContent()).toMatch(left);
      await expect.poll(() => seen(page, '[role=alertdialog] [data-left-out]')).toBe(1);
      if (isPhone) expect((await asked.boundingBox())?.height).toBeLessThanOrEqual(740 / 2);
      await asked.getByRole('button', { name: 'show all' }).click();
      expect(await asked.locator('[data-argument]').textContent()).toBe(command);
      // What is below says so, until it is in sight.
      const below = await asked.locator('[data-below]').boundingBox();
      const area = await asked.getByLabel('What is asked').boundingBox();
      // It lies over nothing that is to be read.
      expect(below?.y).toBeGreaterThanOrEqual((area?.y ?? 0) + (area?.height ?? 0) - 0.5);
      expect(await findings(page)).toEqual([]);
      await asked.getByLabel('What is asked').evaluate((area) => area.scrollTo(0, area.scrollHeight));
      await asked.locator('[data-below]').waitFor({ state: 'detached' });
      await asked.getByRole('button', { name: 'Deny' }).click();
      await page.getByText('Not run.').waitFor();
    });
  }

  /** A phone on its side, and phones with their keyboard up: in the window, or only in what of it is seen. */
  for (const [index, { width, height, seen: seenHeight }] of [
    { width: 740, height: 360, seen: 360 },
    { width: 390, height: 740, seen: 330 },
    ...onlyLong([
      { width: 568, height: 320, seen: 320 },
      { width: 412, height: 430, seen: 430 },
      { width: 360, height: 320, seen: 320 },
    ]),
  ].entries()) {
    it(`shows all of a question in ${width} × ${seenHeight} of ${height} pixels, and keeps nothing that was not read`, async () => {
      const path_ = `short-${index}.txt`;
      scene.model.on(`ask ${path_}`, [
        { calls: [{ name: 'write_file', arguments: { path: path_, content: 'one\n' } }] },
        { text: `Done with ${path_}.` },
      ]);
      const page = await scene.page({ viewport: { width, height }, hasTouch: true, isMobile: true });
      await page.getByRole('heading', { name: /is ready/ }).waitFor();
      if (seenHeight < height) await page.evaluate(coverWindow(seenHeight));
      await say(page, `ask ${path_}`);
      const asked = page.getByRole('alertdialog');
      await asked.getByText(`Create ${path_}`).waitFor();
      const button = (name: string) => asked.getByRole('button', { name });
      await vi.waitUntil(() => button('Deny').isEnabled(), { timeout: 60_000 });
      const parts = [
        'h2',
        '[data-sign="+"]',
        '[data-risk]',
        'button:has-text("Allow once")',
        'button:has-text("Deny")',
      ];
      const inSight = async (selector: string) => [selector, await seen(page, `[role=alertdialog] ${selector}`)];
      await expect.poll(() => Promise.all(parts.map(inSight))).toEqual(parts.map((selector) => [selector, 1]));
      await expect.poll(() => seen(page, 'textarea[aria-label=Message]')).toBe(1);
      const stop = await page.getByRole('button', { name: 'Stop', exact: true }).boundingBox();
      expect((stop?.y ?? height) + (stop?.height ?? 0)).toBeLessThanOrEqual(seenHeight);
      expect(await outOfReach(page)).toEqual([]);
      // Two taps that follow one another are one answer, to what was in sight.
      await button('Session').dblclick();
      await asked.getByText('press Session once more').waitFor();
      expect(fs.existsSync(path.join(scene.folder, path_))).toBe(false);
      await expect.poll(() => seen(page, '[role=alertdialog] [data-rule]')).toBe(1);
      expect(await asked.locator('[data-rule]').textContent()).toContain(`write_file(${path_})`);
      await button('Session').click();
      await page.getByText(`Done with ${path_}.`).waitFor();
    });
  }

  it('takes no lasting yes to a rule of which the end is not in sight, in a wide window too', async () => {
    const write = { name: 'write_file', arguments: { path: 'long.txt', content: 'one\n' } };
    scene.model.on('ask a long rule', [{ calls: [write] }, { text: 'Told no.' }]);
    const page = await scene.page({ viewport: { width: 1280, height: 800 } });
    await say(page, 'ask a long rule');
    const asked = page.getByRole('alertdialog');
    await vi.waitUntil(() => asked.getByRole('button', { name: 'Deny' }).isEnabled(), { timeout: 60_000 });
    await asked.getByRole('button', { name: 'Change' }).click();
    await asked.getByLabel(/^Pattern of what/).fill('a-very-long-word/'.repeat(60));
    await asked.getByRole('button', { name: 'Done' }).click();
    await asked.getByRole('button', { name: 'Session' }).click();
    await asked.getByText('press Session once more').waitFor();
    await expect.poll(() => seen(page, '[role=alertdialog] [data-rule]')).toBe(1);
    await asked.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Told no.').waitFor();
  });

  it('keeps Send in sight below everything that waits', async () => {
    scene.model.on('wait here', [
      { calls: [{ name: 'write_file', arguments: { path: 'waits.txt', content: 'one\n'.repeat(9) } }] },
      { text: 'Over.' },
    ]);
    const page = await scene.page({ viewport: { width: 740, height: 360 }, hasTouch: true, isMobile: true });
    for (const count of [1, 2]) {
      await page.evaluate("location.hash = '#/'");
      await page.getByRole('heading', { name: /is ready/ }).waitFor();
      await say(page, 'wait here');
      await page.getByRole('alertdialog').waitFor();
      await page.evaluate("location.hash = '#/'");
      await vi.waitUntil(async () => (await page.locator('[data-waiting]').count()) >= count, { timeout: 60_000 });
    }
    const send = await page.getByRole('button', { name: 'Send' }).boundingBox();
    expect((send?.y ?? 360) + (send?.height ?? 0)).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: 'Deny' }).last().scrollIntoViewIfNeeded();
    expect(await outOfReach(page)).toEqual([]);
  });

  it('asks in half of the height at most, with so much of a change that it can be judged, and says what a lasting yes allows before it takes one', async () => {
    scene.model.on('ask in a third', [
      { calls: [{ name: 'write_file', arguments: { path: 'third.txt', content: 'one\n'.repeat(40) } }] },
      { calls: [{ name: 'write_file', arguments: { path: 'lines.txt', content: 'one\ntwo\nthree\nfive\n' } }] },
      { text: 'Not written.' },
    ]);
    const page = await scene.page({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
    await say(page, 'ask in a third');
    const asked = page.getByRole('alertdialog');
    await asked.getByText('Create third.txt').waitFor();
    expect((await asked.boundingBox())?.height).toBeLessThanOrEqual(640 / 2);
    const lines = asked.locator('[data-sign="+"]');
    const area = await asked.getByLabel('What is asked').boundingBox();
    const seventh = await lines.nth(6).boundingBox();
    expect((seventh?.y ?? 640) + (seventh?.height ?? 0)).toBeLessThanOrEqual((area?.y ?? 0) + (area?.height ?? 0));
    // What it is about stays in sight above it.
    await expect.poll(() => seen(page, '[data-call]')).toBe(1);
    await expect.poll(() => seen(page, '[role=alertdialog] [data-risk]')).toBe(1);
    const rule = asked.getByText('Session and Remember allow write_file(third.txt)');
    const reason = asked.getByLabel('Why you deny it, for the model');
    expect([await rule.count(), await reason.count()]).toEqual([0, 0]);
    await asked.getByRole('button', { name: 'Remember' }).click();
    await rule.waitFor();
    expect(fs.existsSync(path.join(scene.folder, 'third.txt'))).toBe(false);
    expect(await outOfReach(page)).toEqual([]);
    expect(await findings(page)).toEqual([]);
    // Forty lines are read to their end first.
    await asked.getByText(/^Read it to its end/).waitFor();
    await asked.locator('[data-read-end]').evaluateAll((ends) => ends.at(-1)?.scrollIntoView({ block: 'end' }));
    await vi.waitUntil(
      async () => (await asked.getByRole('button', { name: 'Remember', disabled: false }).count()) > 0,
      { timeout: 60_000 },
    );
    await asked.getByRole('button', { name: 'Remember' }).click();
    await asked.getByText('Write lines.txt').waitFor();
    // The change is in sight before what stands round it.
    await expect.poll(() => seen(page, '[role=alertdialog] [data-sign="+"]')).toBe(1);
    expect(fs.existsSync(path.join(scene.folder, 'third.txt'))).toBe(true);
    expect(await reason.count()).toBe(0);
    await asked.getByRole('button', { name: 'Session' }).click();
    await asked.getByText('press Session once more').waitFor();
    await expect.poll(() => seen(page, '[role=alertdialog] [data-sign="+"]')).toBe(1);
    await asked.getByRole('button', { name: 'Less' }).click();
    await asked.getByRole('button', { name: 'More' }).click();
    expect(await asked.getByText('once more').count()).toBe(0);
    await reason.fill('no third file');
    await asked.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Not written.').waitFor();
    expect(scene.model.server.requests.at(-1)?.text).toContain('no third file');
  });
});

/** Two windows of one browser, and sessions that somebody deletes: what a person wrote is in sight, and is sent once. */
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
}, 120_000);
afterAll(() => scene?.close());

const it = inBrowser;
const never = new Promise<void>(() => {});
const queueOf = (page: Page) => page.getByRole('list', { name: 'Messages that wait' });
const entryOf = (page: Page, words: string) => queueOf(page).getByRole('listitem').filter({ hasText: words });
const asked = (words: string): number => scene.model.server.requests.filter(({ text }) => text.includes(words)).length;
const ready = (page: Page): Promise<void> => page.getByRole('heading', { name: /is ready/ }).waitFor();

/** Requests to this path stop until they are let through, or go nowhere. */
const hold = async (page: Page, pattern: RegExp) => {
  let held: ((how: 'on' | 'away') => void)[] = [];
  await page.route(pattern, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const how = await new Promise<'on' | 'away'>((resolve) => held.push(resolve));
    return how === 'on' ? route.continue() : route.abort();
  });
  return {
    count: () => held.length,
    end(how: 'on' | 'away') {
      for (const go of held) go(how);
      held = [];
    },
  };
};

const UNDER_WAY = [
  ['its session is begun', /\/api\/sessions$/],
  ['it is sent', /\/commands$/],
] as const;
const DELETED = ['waits for its turn', 'was not answered'] as const;

describe('a first message under way in one window', () => {
  for (const [at, pattern] of everyNth(UNDER_WAY, 2)) {
    it(`is not offered in another window while ${at}`, async () => {
      verifies('L8');
      const words = `once while ${at}.`;
      scene.model.on(words, [{ text: `Answered ${words}` }]);
      const [one, other] = [await scene.page(), await scene.page()];
      await Promise.all([ready(one), ready(other)]);
      const way = await hold(one, pattern);
      await say(one, words);
      await expect.poll(way.count).toBe(1);
      // One that looks now, and one that is opened now.
      await other.reload();
      await ready(other);
      const third = await scene.page();
      await ready(third);
      // What they know of other windows is known once the own message shows.
      for (const page of [other, third]) {
        await page.evaluate(() => navigator.locks.query());
        await page.evaluate(() => new Promise(requestAnimationFrame));
        expect(await entryOf(page, words).count()).toBe(0);
      }
      way.end('on');
      await one.getByText(`Answered ${words}`).waitFor();
      expect(await entryOf(other, words).count()).toBe(0);
      expect(asked(words)).toBe(1);
    });
  }

  it('that nobody answered is sent by one of two windows that press at once', async () => {
    verifies('L8');
    const words = 'pressed in both windows.';
    scene.model.on(words, [{ text: `Answered ${words}` }]);
    const [one, other] = [await scene.page(), await scene.page()];
    await Promise.all([ready(one), ready(other)]);
    const way = await hold(one, /\/api\/sessions$/);
    await say(one, words);
    await expect.poll(way.count).toBe(1);
    way.end('away');
    await entryOf(one, words).getByRole('button', { name: 'Send now' }).waitFor();
    await entryOf(other, words).getByRole('button', { name: 'Send now' }).waitFor();
    await entryOf(one, words).getByRole('button', { name: 'Send now' }).click();
    await expect.poll(way.count).toBe(1);
    // It may have gone from there already.
    await entryOf(other, words)
      .getByRole('button', { name: 'Send now' })
      .click({ timeout: 3_000 })
      .catch(() => {});
    way.end('on');
    await one.getByText(`Answered ${words}`).waitFor();
    await entryOf(other, words).waitFor({ state: 'detached' });
    expect(asked(words)).toBe(1);
  });

  it('stands in another window once the window that sent it is closed', async () => {
    verifies('L8');
    const words = 'closed while it was sent.';
    scene.model.on(words, [{ text: `Answered ${words}` }]);
    const [one, other] = [await scene.page(), await scene.page()];
    await Promise.all([ready(one), ready(other)]);
    const way = await hold(one, /\/api\/sessions$/);
    await say(one, words);
    await expect.poll(way.count).toBe(1);
    await one.close();
    await entryOf(other, words).getByRole('button', { name: 'Send now' }).click();
    await other.getByText(`Answered ${words}`).waitFor();
    expect(asked(words)).toBe(1);
  });
});

describe('a message of a session that is deleted in another window', () => {
  for (const about of everyNth(DELETED, 2)) {
    it(`stands where a new one begins, and is in sight before: one that ${about}`, async () => {
      verifies('L8');
      const begin = `begin and ${about}`;
      const words = `kept: it ${about}.`;
      scene.model.on(begin, [
        { text: ['Begun. ', 'More.'], gates: about === 'waits for its turn' ? { 2: never } : {} },
      ]);
      scene.model.on(words, [{ text: `Answered ${words}` }]);
      const [page, other] = [await scene.page(), await scene.page()];
      await ready(page);
      await say(page, begin);
      await page.getByText('Begun.').waitFor();
      if (about === 'was not answered') {
        await page.getByText('More.').waitFor();
        await page.route(/\/commands$/, (route) => route.abort());
      }
      await say(page, words);
      await entryOf(page, words).waitFor();
      if (about === 'was not answered') await entryOf(page, words).getByText('Not sent').waitFor();
      const id = new URL(page.url()).hash.replace('#/s/', '');
      await other.evaluate(async (session) => {
        const headers = { authorization: `Bearer ${localStorage.getItem('halter key')}` };
        await fetch(`/api/sessions/${session}`, { method: 'DELETE', headers });
      }, id);
      await page.getByText('This session is gone.').waitFor();
      await entryOf(page, words).getByRole('button', { name: 'To a new session' }).click();
      await page.unroute(/\/commands$/);
      await ready(page);
      await entryOf(page, words).getByRole('button', { name: 'Send now' }).click();
      await page.getByText(`Answered ${words}`).waitFor();
      expect(asked(words)).toBe(1);
    });
  }
});

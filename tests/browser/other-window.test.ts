/** Two windows of one browser, and sessions that somebody deletes: what a person wrote is in sight, and is sent once. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { everyNth } from '../support/long.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, inLongRun, openWebScene, say, type WebScene } from './support/web-scene.ts';

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
const deleteIn = (page: Page, id: string): Promise<void> =>
  page.evaluate(async (session) => {
    const headers = { authorization: `Bearer ${localStorage.getItem('halter key')}` };
    await fetch(`/api/sessions/${session}`, { method: 'DELETE', headers });
  }, id);
const idOf = (page: Page): string => new URL(page.url()).hash.replace('#/s/', '');
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

  // Which window sends is decided in web/src/state/one-sender.ts.
  inLongRun('that nobody answered is sent by one of two windows that press at once', async () => {
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
      await page.getByText(/Begun\./).waitFor();
      if (about === 'was not answered') {
        await page.getByText('More.').waitFor();
        await page.route(/\/commands$/, (route) => route.abort());
      }
      await say(page, words);
      await entryOf(page, words).waitFor();
      if (about === 'was not answered') await entryOf(page, words).getByText('Not sent').waitFor();
      await deleteIn(other, idOf(page));
      await page.getByText('This session is gone.').waitFor();
      // It was before the eyes of this window, so nothing of it is open.
      await entryOf(page, words).getByText('Not sent').waitFor();
      // Nothing can be asked for in it any more; what was said can be copied.
      await expect
        .poll(() =>
          page
            .getByRole('button', { name: /^(Answer again|Edit message|Edit answer|Answer with|Try again|Continue)/ })
            .count(),
        )
        .toBe(0);
      await expect.poll(() => page.getByRole('button', { name: /^Copy/ }).count()).toBeGreaterThan(0);
      await entryOf(page, words).getByRole('button', { name: 'To a new session' }).click();
      await page.unroute(/\/commands$/);
      await ready(page);
      await entryOf(page, words).getByRole('button', { name: 'Send now' }).click();
      await page.getByText(`Answered ${words}`).waitFor();
      expect(asked(words)).toBe(1);
    });
  }
});

describe('a message that waited in a session that its window did not follow to the end', () => {
  const waitsIn = async (page: Page, name: string, gate: Promise<void>): Promise<string> => {
    const words = `left behind, ${name}.`;
    scene.model.on(`begin, ${name}`, [{ text: ['Begun. ', 'More.'], gates: { 2: gate } }]);
    scene.model.on(words, [{ text: `Answered ${words}` }]);
    await ready(page);
    await say(page, `begin, ${name}`);
    await page.getByText(/Begun\./).waitFor();
    await say(page, words);
    await entryOf(page, words).getByText('Waits').waitFor();
    return words;
  };

  inLongRun('is told as one that was not sent, where it waited and its window deleted the session', async () => {
    verifies('L8');
    const page = await scene.page();
    const words = await waitsIn(page, 'deleted here', never);
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByRole('button', { name: /^More about begin, deleted here/ }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await list.getByRole('button', { name: 'Delete', exact: true }).click();
    await ready(page);
    await entryOf(page, words).getByText('Not sent').waitFor();
    await entryOf(page, words).getByRole('button', { name: 'Send now' }).click();
    await page.getByText(`Answered ${words}`).waitFor();
    expect(asked(words)).toBe(1);
  });

  it('is told as one that may have been answered, where it was and the session was deleted later', async () => {
    verifies('L8');
    const gate = Promise.withResolvers<void>();
    const [page, other] = [await scene.page(), await scene.page()];
    const words = await waitsIn(page, 'answered', gate.promise);
    const id = idOf(page);
    await page.close();
    gate.resolve();
    await expect.poll(() => asked(words)).toBe(1);
    await deleteIn(other, id);
    const third = await scene.page();
    await entryOf(third, words).getByText('May have been answered').waitFor();
    expect(await queueOf(third).getByText('Not sent').count()).toBe(0);
    // It stays so until the person decides.
    await third.reload();
    await entryOf(third, words).getByText('May have been answered').waitFor();
    await entryOf(third, words).getByRole('button', { name: 'Remove' }).click();
    await entryOf(third, words).waitFor({ state: 'detached' });
    expect(asked(words)).toBe(1);
  });

  inLongRun(
    'is where it was again, once, when another halter had answered in between that knows no such session',
    async () => {
      verifies('L8');
      const gate = Promise.withResolvers<void>();
      const page = await scene.page();
      const words = await waitsIn(page, 'elsewhere', gate.promise);
      const id = idOf(page);
      await page.close();
      const other = await scene.page();
      const pattern = new RegExp(`/api/sessions/${id}\\?limit=1$|/api/sessions(\\?.*)?$`);
      await other.route(pattern, (route) =>
        route.request().url().includes(id)
          ? route.fulfill({ status: 404, json: { error: { message: 'There is no such session.' } } })
          : route.fulfill({ json: { sessions: [], pinned: [], has_more: false } }),
      );
      await other.reload();
      await entryOf(other, words).getByText('May have been answered').waitFor();
      await other.unroute(pattern);
      await other.reload();
      await ready(other);
      await entryOf(other, words).waitFor({ state: 'detached' });
      await other.goto(`${new URL(scene.url).origin}/#/s/${id}`);
      await entryOf(other, words).getByText('Waits').waitFor();
      expect(await queueOf(other).getByRole('listitem').count()).toBe(1);
      gate.resolve();
      await other.getByText(`Answered ${words}`).waitFor();
      await entryOf(other, words).waitFor({ state: 'detached' });
      expect(asked(words)).toBe(1);
    },
  );
});

/** The address with the token behind `#`: what a person sees who opens it, whoever answers. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
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
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const ready = (page: Page): Promise<void> => page.getByRole('heading', { name: /is ready/ }).waitFor();
const link = (): string => {
  const { origin, searchParams } = new URL(scene.url);
  return `${origin}/#token=${searchParams.get('token')}`;
};
/** In a browser that was never here. */
const stranger = async (): Promise<Page> => {
  const context = await scene.browser.newContext();
  onTestFinished(() => context.close());
  return context.newPage();
};

const ASKED = /\/(api\/.*|healthz)$/;
const SILENCES: readonly (readonly [string, (page: Page) => Promise<() => Promise<void>>])[] = [
  [
    'the exchange of the token hangs',
    async (page) => {
      const way = Promise.withResolvers<void>();
      await page.route(/\/api\/page-key$/, async (route) => {
        await way.promise;
        await route.continue().catch(() => {});
      });
      return async () => way.resolve();
    },
  ],
  [
    'nobody answers',
    async (page) => {
      await page.route(ASKED, (route) => route.abort());
      return () => page.unroute(ASKED);
    },
  ],
  [
    'a proxy answers that halter is not up yet',
    async (page) => {
      await page.route(ASKED, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
      return () => page.unroute(ASKED);
    },
  ],
];

describe('the address with the token behind #', () => {
  for (const [how, silence] of everyNth(SILENCES, 3))
    it(`shows the page while ${how}, and goes on by itself`, async () => {
      verifies('L3', 'L8');
      const page = await stranger();
      const end = await silence(page);
      await page.goto(link());
      await field(page).waitFor();
      await field(page).fill('written meanwhile');
      expect(page.url()).not.toContain('token');
      await end();
      await ready(page);
      expect(await field(page).inputValue()).toBe('written meanwhile');
    });

  it('that is wrong says so, and nothing where the page was let in already', async () => {
    verifies('L3');
    const page = await stranger();
    const wrong = `${new URL(scene.url).origin}/#token=wrong`;
    await page.goto(wrong);
    await page.getByRole('alert').getByText(/token/).first().waitFor();
    expect(page.url()).not.toContain('wrong');
    await page.goto(link());
    await ready(page);
    await page.goto(wrong);
    await ready(page);
    expect(page.url()).not.toContain('wrong');
  });

  it('can be pasted into a page that has none, which says what keeps one, and stays where it is', async () => {
    verifies('L3', 'L8');
    scene.model.on('said by another', [{ text: 'Answered another.' }]);
    const own = await scene.page();
    await say(own, 'said by another');
    await own.getByText('Answered another.').waitFor();
    const page = await stranger();
    await page.goto(`${new URL(scene.url).origin}/${new URL(own.url()).hash}`);
    const alert = page.getByRole('alert');
    await alert.getByText(/--token-file FILE, or HALTER_TOKEN/).waitFor();
    const token = alert.getByLabel('Token');
    await token.fill('wrong');
    await alert.getByRole('button', { name: 'Open' }).click();
    await alert.getByText('This is not the token').waitFor();
    await token.fill(link());
    await alert.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Answered another.').waitFor();
    expect(page.url()).toBe(own.url());
  });

  it('leaves another tab, and the session behind the back button, as they are', async () => {
    verifies('L3');
    scene.model.on('said before', [{ text: 'Answered before.' }]);
    const page = await stranger();
    await page.goto(link());
    await ready(page);
    await say(page, 'said before');
    await page.getByText('Answered before.').waitFor();
    await field(page).fill('half a thought');
    const other = await page.context().newPage();
    await other.goto(link());
    await ready(other);
    expect(await field(page).inputValue()).toBe('half a thought');
    await page.goto(link());
    await ready(page);
    await page.goBack();
    await page.getByText('Answered before.').waitFor();
    await expect.poll(() => field(page).inputValue()).toBe('half a thought');
    await page.reload();
    await page.getByText('Answered before.').waitFor();
  });
});

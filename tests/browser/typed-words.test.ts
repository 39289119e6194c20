/** What is typed into the field stays in the field when the page under it becomes another: its session begins, or is gone. */
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
const ready = (page: Page): Promise<void> => page.getByRole('heading', { name: /is ready/ }).waitFor();
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const attach = async (page: Page): Promise<void> => {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: /^Attach/ }).click(),
  ]);
  await chooser.setFiles({ name: 'seen.png', mimeType: 'image/png', buffer: PICTURE });
  await page.getByRole('button', { name: /^Remove seen\.png/ }).waitFor();
};

const BEGINS = [
  ['its session is begun', /\/api\/sessions$/],
  ['it is sent', /\/commands$/],
] as const;

describe('what is typed behind a first message', () => {
  for (const [at, pattern] of everyNth(BEGINS, 2))
    it(`stays in the field, with its picture, where the typing goes on, while ${at}`, async () => {
      verifies('L8');
      scene.model.on(`first, ${at}`, [{ text: 'Answered the first.' }]);
      const page = await scene.page();
      await ready(page);
      const way = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      await page.route(pattern, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        reached.resolve();
        await way.promise;
        await route.continue();
      });
      await say(page, `first, ${at}`);
      await reached.promise;
      await page.keyboard.type('half a ');
      await attach(page);
      await field(page).focus();
      way.resolve();
      await page.getByText('Answered the first.').waitFor();
      await page.keyboard.type('thought');
      expect(await field(page).inputValue()).toBe('half a thought');
      await page.getByRole('button', { name: /^Remove seen\.png/ }).waitFor();
      // The page where the next session begins has it no more.
      await page.getByRole('button', { name: 'New session' }).click();
      await ready(page);
      expect(await field(page).inputValue()).toBe('');
      expect(await page.getByRole('button', { name: /^Remove seen\.png/ }).count()).toBe(0);
    });
});

describe('a document that comes behind a first message', () => {
  for (const [at, pattern] of BEGINS.slice(1))
    it(`goes with the next one, and what went with the first one does not, while ${at}`, async () => {
      verifies('L8');
      const said = `with a document, while ${at}`;
      scene.model.on(said, [{ text: 'Answered the first.' }]);
      scene.model.on('and the second', [{ text: 'Answered the second.' }]);
      const page = await scene.page();
      await ready(page);
      const chip = (name: string) => page.locator('[data-document="ready"]').filter({ hasText: name });
      const add = async (name: string): Promise<void> => {
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          page.getByRole('button', { name: /^Attach/ }).click(),
        ]);
        await chooser.setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(`Words of ${name}.`) });
        await chip(name).waitFor();
      };
      await add('first.txt');
      const way = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      await page.route(pattern, async (route) => {
        reached.resolve();
        await way.promise;
        await route.continue();
      });
      await say(page, said);
      await reached.promise;
      expect(await chip('first.txt').count()).toBe(0);
      await add('second.txt');
      way.resolve();
      await page.getByText('Answered the first.').waitFor();
      await chip('second.txt').waitFor();
      await say(page, 'and the second');
      await page.getByText('Answered the second.').waitFor();
      const sent = scene.model.server.requests.at(-1)?.body['messages'] as { role: string; content: unknown }[];
      const last = JSON.stringify(sent.findLast(({ role }) => role === 'user'));
      expect(last).toContain('Words of second.txt.');
      expect(last).not.toContain('Words of first.txt.');
    });

  it('is there again where the message is refused', async () => {
    verifies('L8');
    const page = await scene.page();
    await ready(page);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: /^Attach/ }).click(),
    ]);
    await chooser.setFiles({ name: 'refused.txt', mimeType: 'text/plain', buffer: Buffer.from('Words.') });
    const chip = page.locator('[data-document="ready"]').filter({ hasText: 'refused.txt' });
    await chip.waitFor();
    await page.route(/\/commands$/, (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'busy', message: 'It is refused.' } } }),
    );
    await say(page, 'a message that is refused');
    await page.getByText('It is refused.').waitFor();
    await expect.poll(() => field(page).inputValue()).toBe('a message that is refused');
    await chip.waitFor();
  });
});

const list = (page: Page) => page.getByRole('navigation', { name: 'Sessions' });
const LEAVES: readonly (readonly [string, (page: Page, title: string) => Promise<void>])[] = [
  ['by the button of its notice', (page) => page.getByRole('link', { name: 'New session' }).click()],
  ['by the button of the list', (page) => page.getByRole('button', { name: 'New session' }).click()],
  ['by a key', (page) => page.keyboard.press('Control+Shift+O')],
  [
    'by another session',
    async (page) => {
      await list(page).getByText('another one').first().click();
      await page.getByText('Another said.').waitFor();
      await page.getByRole('button', { name: 'New session' }).click();
    },
  ],
  [
    'as it is deleted here',
    async (page, title) => {
      await list(page)
        .getByRole('button', { name: `More about ${title}` })
        .click();
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
      await list(page).getByRole('button', { name: 'Delete', exact: true }).click();
    },
  ],
];

const deleteElsewhere = async (page: Page): Promise<void> => {
  const id = new URL(page.url()).hash.replace('#/s/', '');
  await page.evaluate(async (session) => {
    const headers = { authorization: `Bearer ${localStorage.getItem('halter key')}` };
    await fetch(`/api/sessions/${session}`, { method: 'DELETE', headers });
  }, id);
  await page.getByText('This session is gone.').waitFor();
};

describe('what is typed in a session that is gone', () => {
  for (const [way, leave] of everyNth(LEAVES, 5))
    it(`stands where a new one begins, that is gone to ${way}`, async () => {
      verifies('L8');
      const title = `to be deleted ${way}`;
      scene.model.on('another one', [{ text: 'Another said.' }]);
      scene.model.on(title, [{ text: 'Said here.' }]);
      const page = await scene.page();
      await ready(page);
      await say(page, 'another one');
      await page.getByText('Another said.').waitFor();
      await page.getByRole('button', { name: 'New session' }).click();
      await ready(page);
      await say(page, title);
      await page.getByText('Said here.').waitFor();
      await page.keyboard.type('typed and not sent');
      await attach(page);
      if (!way.includes('here')) {
        await deleteElsewhere(page);
        expect(await field(page).inputValue()).toBe('typed and not sent');
      }
      await leave(page, title);
      await ready(page);
      await expect.poll(() => field(page).inputValue()).toBe('typed and not sent');
      await page.getByRole('button', { name: /^Remove seen\.png/ }).waitFor();
    });
});

describe('a message that is being edited when its session goes', () => {
  for (const what of everyNth(['Edit message', 'Edit answer'], 2))
    it(`cannot be sent there, and goes along to a new one: ${what}`, async () => {
      verifies('L8');
      scene.model.on(`to be edited, ${what}`, [{ text: 'Said here.' }]);
      const page = await scene.page();
      await ready(page);
      await say(page, `to be edited, ${what}`);
      await page.getByText('Said here.').waitFor();
      await page.getByRole('button', { name: what, exact: true }).click();
      await page.getByRole('textbox', { name: what }).fill('words of the edit');
      await deleteElsewhere(page);
      const editor = page.locator('form').filter({ has: page.getByRole('textbox', { name: what }) });
      await expect.poll(() => editor.getByRole('button', { name: /Send|Save/ }).count()).toBe(0);
      expect(await page.getByRole('textbox', { name: what }).inputValue()).toBe('words of the edit');
      await page.getByRole('button', { name: 'New session' }).click();
      await ready(page);
      await expect.poll(() => field(page).inputValue()).toBe('words of the edit');
    });
});

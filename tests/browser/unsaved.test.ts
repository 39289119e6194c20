/** Words that were written into a field and not saved are there again, whatever way the person went. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
  scene.model.on('hello', [{ text: 'Hello.' }]);
  scene.model.on('ask me', [
    { calls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'one\n' } }] },
    { text: 'Over.' },
  ]);
}, 120_000);
afterAll(() => scene?.close());

const it = inBrowser;
const settings = (tab: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: tab }).click();
};
const servers = async (page: Page) => {
  await page.getByRole('button', { name: 'MCP servers' }).click();
  const add = page.getByRole('group').filter({ hasText: 'Add a server' });
  await add.waitFor();
  if (!(await page.getByLabel('Command or address').isVisible())) await page.getByText('Add a server').click();
};
const otherTab = (page: Page) => page.getByRole('tab', { name: 'Browser' }).click();
const besideDialog = (page: Page) => page.mouse.click(4, 4);
const byEscape = (page: Page) => page.keyboard.press('Escape');
const menuEntry = (name: string) => async (page: Page) => {
  const entry = page.getByRole('button', { name: /^More about hello there/ });
  await entry.click();
  await page.getByRole('menuitem', { name }).click();
};

const renameHere = async (page: Page) => {
  await page.getByRole('button', { name: /^More about hello again/ }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
};

/** `label`: of the field. `leave`: ways beside a reload. A secret is never kept by the browser: it asks before a reload. */
type Row = {
  label: RegExp;
  open(page: Page): Promise<void>;
  leave: readonly ((page: Page) => Promise<void>)[];
  text?: string;
  isSecret?: boolean;
  /** What is said first, so that there is something to write at. */
  after?: string;
};
const INSIDE = [byEscape, besideDialog];
const ROWS: readonly Row[] = [
  { label: /^Instructions/, open: settings('Session'), leave: [otherTab, ...INSIDE] },
  { label: /^Temperature/, open: settings('Session'), leave: [otherTab], text: '0.5' },
  { label: /^Instructions/, open: settings('Session'), leave: [otherTab, ...INSIDE], after: 'hello' },
  { label: /^Instructions/, open: settings('Defaults'), leave: [otherTab, ...INSIDE] },
  { label: /^New rule/, open: settings('Rules'), leave: [otherTab, ...INSIDE], text: 'bash(ls *)' },
  { label: /^Key$/, open: settings('Keys'), leave: [otherTab, ...INSIDE], isSecret: true },
  { label: /^Command or address/, open: servers, leave: INSIDE, isSecret: true },
  { label: /^Variables, one a line/, open: servers, leave: INSIDE, text: 'A=b', isSecret: true },
  {
    label: /^What matters \(optional\)/,
    open: menuEntry('Make room in the window'),
    leave: [byEscape],
    after: 'hello there',
  },
  // Escape is a way to take a name back; one that is not taken is not.
  {
    label: /^Name of the session/,
    open: async (page) => {
      const field = page.getByLabel(/^Name of the session/);
      await field.or(page.getByRole('button', { name: /^More about hello again/ })).waitFor();
      if (!(await field.isVisible())) await renameHere(page);
    },
    leave: [],
    text: 'a long name '.repeat(9),
    after: 'hello again',
  },
  { label: /^Why you deny it, for the model/, open: async () => {}, leave: [], after: 'ask me' },
];

describe('a name of a session', () => {
  for (const end of ['Enter', 'Tab'])
    it(`that is too long stays in the field, which says so, after ${end}`, async () => {
      const page = await scene.page({});
      await say(page, 'hello again');
      await page.getByText('Hello.').waitFor();
      await renameHere(page);
      const field = page.getByLabel('Name of the session');
      const name = 'a long name '.repeat(9).trim();
      await field.fill(name);
      await page.keyboard.press(end);
      await page.getByText(/At most 80 characters; these are 107/).waitFor();
      expect(await field.inputValue()).toBe(name);
      await field.fill(`short after ${end}`);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: `short after ${end}` }).waitFor();
    });
});

describe('what was written and not saved', () => {
  for (const [index, { label, open, leave, text = 'my own words', isSecret = false, after }] of ROWS.entries()) {
    it(`in ${index}: ${label.source} is there again`, async () => {
      verifies('U1');
      const page = await scene.page({});
      const asked: string[] = [];
      page.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.dismiss();
      });
      if (after !== undefined) {
        await say(page, after);
        await (after.startsWith('hello') ? page.getByText('Hello.') : page.getByRole('alertdialog')).waitFor();
      }
      const field = page.getByLabel(label);
      await open(page);
      await field.fill(text);
      for (const go of leave) {
        await go(page);
        await field.waitFor({ state: 'hidden' });
        // Another tab of the dialog is left for this one.
        if (await page.getByRole('dialog').isVisible()) await byEscape(page);
        await open(page);
        await expect.poll(async () => [go.name, await field.inputValue()]).toEqual([go.name, text]);
      }
      // Typed again, so that the browser takes it for a page that somebody uses.
      await field.press('End');
      if (isSecret) {
        const dialog = page.waitForEvent('dialog');
        // It does not come to an end: the person stays.
        void page.reload().catch(() => {});
        await dialog;
        expect(asked).toEqual(['beforeunload']);
        expect(await field.inputValue()).toBe(text);
        expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(text);
        return;
      }
      await page.reload();
      await page.getByRole('button', { name: /^Model / }).waitFor();
      if (!(await field.isVisible())) await open(page);
      await expect.poll(() => field.inputValue()).toBe(text);
    });
  }
});

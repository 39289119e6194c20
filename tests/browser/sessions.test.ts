/** The list of sessions: what is done with one, and with several. */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { keepSession } from './support/keep-session.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
  for (const [id, workspace] of [
    ['first-old', scene.folder],
    ['second-old', scene.folder],
    ['third-old', scene.folder],
    ['far-away', '/some/where/else'],
  ] as const)
    await keepSession(scene.sessions, id, 4, 'An answer.', workspace);
});
afterAll(() => scene?.close());

const it = inBrowser;
const list = (page: Page) => page.getByRole('navigation', { name: 'Sessions' });
const rows = (page: Page) => list(page).locator('a[href^="#/s/"]');
const links = (page: Page): Promise<(string | null)[]> =>
  rows(page).evaluateAll((all) => all.map((each) => each.getAttribute('href')));
const row = (page: Page, id: string) => list(page).locator(`a[href="#/s/${id}"]`);
const listMenu = (page: Page) => list(page).getByRole('button', { name: /^Sessions of/ });

describe('the list of sessions', () => {
  it('is named anew in its place, by the keyboard, and what was written is kept when the person goes on', async () => {
    const page = await scene.page();
    await row(page, 'first-old').waitFor();
    await row(page, 'first-old').focus();
    await page.keyboard.press('F2');
    const name = page.getByRole('textbox', { name: 'Name of the session' });
    await name.fill('Tea');
    await page.getByRole('textbox', { name: 'Message' }).click();
    await row(page, 'first-old').getByText('Tea').waitFor();
    await row(page, 'first-old').focus();
    await page.keyboard.press('F2');
    await name.fill('Coffee');
    await page.keyboard.press('Escape');
    await row(page, 'first-old').getByText('Tea').waitFor();
    await page.reload();
    await row(page, 'first-old').getByText('Tea').waitFor();
  });

  it('shows the sessions of all folders, and goes on with one of another folder in a copy alone', async () => {
    scene.model.on('go on here', [{ text: 'Gone on.' }]);
    const page = await scene.page();
    await row(page, 'second-old').waitFor();
    expect(await row(page, 'far-away').count()).toBe(0);
    await listMenu(page).click();
    await page.getByRole('menuitem', { name: 'Show all folders' }).click();
    await row(page, 'far-away').getByText('else').waitFor();
    expect(await findings(page)).toEqual([]);
    await row(page, 'far-away').click();
    await page.getByText('This session belongs to /some/where/else').waitFor();
    await page.getByText('An answer.').first().waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Copy into this folder' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await say(page, 'go on here');
    await page.getByText('Gone on.').waitFor();
    await listMenu(page).click();
    await page.getByRole('menuitem', { name: 'Show this folder only' }).click();
    await row(page, 'far-away').waitFor({ state: 'detached' });
    await row(page, 'second-old').waitFor();
  });

  it('takes in what was exported', async () => {
    const page = await scene.page();
    await row(page, 'second-old').waitFor();
    const log = fs.readFileSync(path.join(scene.sessions, 'second-old.jsonl'), 'utf8');
    const file = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    const take = async (given: ReturnType<typeof file>): Promise<void> => {
      await listMenu(page).click();
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('menuitem', { name: 'Import sessions' }).click(),
      ]);
      await chooser.setFiles([given]);
    };
    const before = (await links(page)).length;
    await take(file('good.jsonl', log.replaceAll('Question 0', 'Brought along')));
    await page.getByRole('log').getByText('Brought along').waitFor();
    await expect.poll(async () => (await links(page)).length).toBe(before + 1);
    await take(file('bad.jsonl', 'no session'));
    await page.getByText(/^bad\.jsonl: /).waitFor();
    expect((await links(page)).length).toBe(before + 1);
  });

  it('says how far an import of many is, can be stopped, tells what was done, and takes nothing twice', async () => {
    const page = await scene.page();
    await row(page, 'second-old').waitFor();
    const log = fs.readFileSync(path.join(scene.sessions, 'second-old.jsonl'), 'utf8');
    const files = Array.from({ length: 40 }, (_, at) => ({
      name: `many-${at}.jsonl`,
      mimeType: 'application/json',
      buffer: Buffer.from(
        log
          .replaceAll('second-old', `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`)
          .replaceAll('Question 0', `Number ${at}`),
      ),
    }));
    const take = async (): Promise<void> => {
      await listMenu(page).click();
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('menuitem', { name: 'Import sessions' }).click(),
      ]);
      await chooser.setFiles(files);
    };
    const kept = (): number => fs.readdirSync(scene.sessions).filter((name) => name.startsWith('00000000')).length;
    await take();
    await list(page)
      .getByText(/^Importing \d+ of 40$/)
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await list(page).getByRole('button', { name: 'Stop' }).click();
    await list(page)
      .getByText(/stopped after \d+ of 40\.$/)
      .waitFor();
    const first = kept();
    expect(first).toBeLessThan(40);
    // What is on its way when the page is closed is told by the next one.
    await take();
    await list(page)
      .getByText(/^Importing \d+ of 40$/)
      .waitFor();
    await page.close();
    const next = await scene.page();
    await list(next)
      .getByText(/^An import was broken off after \d+ of 40 files/)
      .waitFor();
    expect(await findings(next)).toEqual([]);
    await list(next).getByRole('button', { name: 'Close' }).click();
    await listMenu(next).click();
    const [chooser] = await Promise.all([
      next.waitForEvent('filechooser'),
      next.getByRole('menuitem', { name: 'Import sessions' }).click(),
    ]);
    await chooser.setFiles([
      ...files,
      ...files.slice(0, 1),
      { ...(files[0] as (typeof files)[0]), buffer: Buffer.from('no session'), name: 'bad.jsonl' },
    ]);
    await list(next)
      .getByText(/\d+ sessions? imported, \d+ here already, 1 not taken\.$/)
      .waitFor();
    await list(next)
      .getByText(/^bad\.jsonl: /)
      .waitFor();
    expect(kept()).toBe(40);
    for (const id of fs.readdirSync(scene.sessions))
      if (id.startsWith('00000000')) fs.rmSync(path.join(scene.sessions, id));
  });

  it('has pinned ones in front, in every browser, wherever they stand in the list', async () => {
    const page = await scene.page();
    await row(page, 'third-old').waitFor();
    await row(page, 'third-old').hover();
    const entry = list(page)
      .locator('.session-row')
      .filter({ has: page.locator('a[href="#/s/third-old"]') });
    await entry.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('menuitem', { name: 'Pin' }).click();
    await list(page).getByRole('heading', { name: 'Pinned' }).waitFor();
    const other = await scene.page({});
    await list(other).getByRole('heading', { name: 'Pinned' }).waitFor();
    expect((await links(other))[0]).toBe('#/s/third-old');
    // What was pinned in a browser before is not lost.
    await other.evaluate("localStorage.setItem('halter pinned', 'first-old gone-long-ago')");
    await other.reload();
    await expect.poll(async () => (await links(page)).slice(0, 2).sort()).toEqual(['#/s/first-old', '#/s/third-old']);
    expect(await other.evaluate("localStorage.getItem('halter pinned')")).toBe(null);
    for (const id of ['first-old', 'third-old']) {
      const pinned = list(page)
        .locator('.session-row')
        .filter({ has: page.locator(`a[href="#/s/${id}"]`) });
      await row(page, id).hover();
      await pinned.getByRole('button', { name: /^More about/ }).click();
      await page.getByRole('menuitem', { name: 'Unpin' }).click();
    }
    await list(other).getByRole('heading', { name: 'Pinned' }).waitFor({ state: 'detached' });
  });

  it('asks before it deletes, and Escape means no, for one and for several', async () => {
    const page = await scene.page();
    await row(page, 'first-old').waitFor();
    await row(page, 'first-old').hover();
    const entry = list(page)
      .locator('.session-row')
      .filter({ has: page.locator('a[href="#/s/first-old"]') });
    await entry.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await list(page).getByText('It cannot be brought back.').waitFor();
    await page.keyboard.press('Escape');
    await list(page).getByText('It cannot be brought back.').waitFor({ state: 'detached' });
    await expect.poll(() => row(page, 'first-old').evaluate((link) => link === document.activeElement)).toBe(true);
    await listMenu(page).click();
    await page.getByRole('menuitem', { name: 'Select several' }).click();
    await list(page).getByRole('button', { name: 'All' }).click();
    await list(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await list(page).getByText('cannot be brought back.').waitFor();
    await page.keyboard.press('Escape');
    await list(page).getByText('cannot be brought back.').waitFor({ state: 'detached' });
    await list(page).getByRole('button', { name: 'Done' }).click();
    await row(page, 'first-old').waitFor();
  });

  it('is searched for what was said, and shows the place', async () => {
    const said = `## The **plan**\n\n${'We talk of other things for a while. '.repeat(6)}Then the *marmalade* was ready, and ${'more was said of it. '.repeat(6)}`;
    scene.model.on('what is for breakfast', [{ text: said }]);
    const page = await scene.page({ viewport: { width: 390, height: 800 } });
    await say(page, 'what is for breakfast');
    await page.locator('footer').waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Search sessions' });
    await dialog.getByRole('combobox').fill('marmalade');
    const hit = dialog.locator('mark', { hasText: 'marmalade' });
    await hit.waitFor();
    const [place, option] = [await hit.boundingBox(), await dialog.getByRole('option').first().boundingBox()];
    expect((place?.x ?? 1_000) + (place?.width ?? 0)).toBeLessThan((option?.x ?? 0) + (option?.width ?? 0));
    expect(await findings(page)).toEqual([]);
  });

  it('deletes several at once, after a question, and never one that is at work', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    scene.model.on('busy one', [{ text: ['Begun. ', 'Ended.'], gates: { 2: gate } }]);
    const page = await scene.page();
    await say(page, 'busy one');
    await page.getByText('Begun.').waitFor();
    await list(page).getByText('● runs').waitFor();
    await listMenu(page).click();
    await page.getByRole('menuitem', { name: 'Select several' }).click();
    expect(await list(page).getByRole('checkbox', { disabled: true }).count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await list(page).getByRole('button', { name: 'All' }).click();
    const chosen = await list(page).getByRole('checkbox', { checked: true }).count();
    await list(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await list(page).getByText(`Delete ${chosen} sessions? They cannot be brought back.`).waitFor();
    await list(page).getByRole('button', { name: 'Keep' }).click();
    await list(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await list(page)
      .getByRole('button', { name: `Delete ${chosen} sessions` })
      .click();
    await list(page).getByText('0 sessions chosen').waitFor();
    await list(page).getByRole('button', { name: 'Done' }).click();
    await expect.poll(async () => (await links(page)).length).toBe(1);
    open();
    await page.getByText('Ended.').waitFor();
    expect(fs.readdirSync(scene.sessions).filter((name) => name.startsWith('second-old'))).toEqual([]);
    expect(fs.existsSync(path.join(scene.sessions, 'far-away.jsonl'))).toBe(true);
  });
});

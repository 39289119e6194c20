/** A link by which others read a session: what it shows, and that it is worth nothing else. */
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' }, ['--allow', 'read_file']);
});
afterAll(() => scene?.close());

const it = inBrowser;

describe('a session that is shared for reading', () => {
  it('is seen as it goes on, by whoever has the link, until it is ended', async () => {
    scene.model.on('first for others', [
      { text: 'I read.', calls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }] },
      { text: 'The **first** answer.' },
    ]);
    scene.model.on('second for others', [{ text: 'The second answer.' }]);
    const page = await scene.page();
    await say(page, 'first for others');
    await page.getByText('The first answer.').waitFor();
    await page.getByRole('button', { name: 'More about first for others' }).click();
    await page.getByRole('menuitem', { name: 'Share for reading' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share for reading' });
    await dialog.getByText('Only this machine').waitFor();
    const title = dialog.getByRole('heading', { name: 'Share for reading' });
    expect(await title.evaluate((each) => getComputedStyle(each).fontSize)).toBe('16px');
    expect(await dialog.locator('[data-share-link]').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    const link = (await dialog.locator('[data-share-link]').innerText()).trim();
    expect(await findings(page)).toEqual([]);
    // It is shown once, so a window that becomes narrow must not take it away.
    await page.setViewportSize({ width: 700, height: 800 });
    await page.waitForFunction('!matchMedia("(min-width: 1024px)").matches');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await dialog.locator('[data-share-link]').count()).toBe(1);
    await page.setViewportSize({ width: 1280, height: 800 });

    const context = await scene.browser.newContext();
    onTestFinished(() => context.close());
    const asked = new Set<string>();
    const reader = await context.newPage();
    reader.on('request', (request) => asked.add(new URL(request.url()).pathname));
    await reader.goto(link);
    await reader.getByText('The first answer.').waitFor();
    await reader.getByText('notes.txt').first().waitFor();
    expect(await findings(reader)).toEqual([]);
    expect(await reader.getByRole('textbox').count()).toBe(0);
    for (const name of ['Edit message', 'Answer again', 'Send', 'Stop'])
      expect(await reader.getByRole('button', { name }).count()).toBe(0);

    await page.keyboard.press('Escape');
    await say(page, 'second for others');
    await reader.getByText('The second answer.').waitFor();
    expect([...asked].filter((path) => path.startsWith('/api/'))).toEqual(['/api/shared/events']);

    await page.getByRole('button', { name: 'More about first for others' }).click();
    await page.getByRole('menuitem', { name: 'Share for reading' }).click();
    await dialog.getByRole('button', { name: 'End sharing' }).click();
    await reader.getByText('not shared any more').waitFor();
    expect(await reader.getByText('The second answer.').count()).toBe(0);
  });

  it('opens by a token behind #, which is in no address that is asked for, and opens again without it', async () => {
    verifies('L3', 'H12');
    const { origin, searchParams } = new URL(scene.url);
    const token = searchParams.get('token') ?? '';
    const context = await scene.browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${origin}/#token=${token}`);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await expect.poll(() => asked.some((url) => url.includes('/api/sessions'))).toBe(true);
    expect(page.url()).not.toContain(token);
    expect(asked.map((url) => url.replace(/#.*/, '')).join('\n')).not.toMatch(/token=|key=/);
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await page.locator('[data-link]').count()).toBe(0);
    // A link that is pasted into the address of a page that nobody let in.
    await page.evaluate(`localStorage.clear(); location.hash = '#token=${token}'`);
    await expect.poll(() => page.url()).not.toContain(token);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  });
});

/** Messages that are sent while a run goes on: seen, changed, and never lost. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;
const never = new Promise<void>(() => {});
/** Counts how often the page says that a message was not sent. */
const NOTE_UNSENT = `
  window.unsent = 0;
  new MutationObserver(() => {
    if (document.body?.textContent.includes('Not sent:')) window.unsent += 1;
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

describe('a message that waits', () => {
  it('is there after a reload, can be edited and removed, and outlives Stop', async () => {
    scene.model.on('begin long', [{ text: ['A part. ', 'And more.'], gates: { 2: never } }]);
    scene.model.on('the second', [{ text: 'The second is answered.' }]);
    const page = await scene.page();
    await say(page, 'begin long');
    await page.getByText('A part.').waitFor();
    for (const text of ['the first', 'the second', 'the third']) await say(page, text);
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await queue.getByText('the third').waitFor();
    await page.addInitScript(NOTE_UNSENT);
    await page.reload();
    await queue.getByText('Waits:').nth(2).waitFor();
    expect(await queue.getByRole('listitem').count()).toBe(3);
    // Not even for a moment: who sends one then has it sent twice.
    expect(await page.evaluate('window.unsent')).toBe(0);
    await queue.getByRole('listitem').nth(2).getByRole('button', { name: 'Remove' }).click();
    await queue.getByText('the third').waitFor({ state: 'detached' });
    await queue.getByRole('listitem').nth(0).getByRole('button', { name: 'Edit' }).click();
    await queue.getByText('the first').waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('the first');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await queue.getByText('Held:').waitFor();
    await queue.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('The second is answered.').waitFor();
    await queue.waitFor({ state: 'detached' });
  });

  it('comes back to the person where the server was killed before its turn', async () => {
    scene.model.on('begin and die', [{ text: ['Something. ', 'More.'], gates: { 2: never } }]);
    scene.model.on('what was meant', [{ text: 'It was meant so.' }]);
    const page = await scene.page();
    await say(page, 'begin and die');
    await page.getByText('Something.').waitFor();
    await say(page, 'what was meant');
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await queue.getByText('Waits:').waitFor();
    await scene.stop('SIGKILL');
    await page.locator('[data-link="lost"]').waitFor();
    await scene.startAgain();
    await queue.getByText('Not sent:').waitFor();
    await queue.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('It was meant so.').waitFor();
    await queue.waitFor({ state: 'detached' });
  });
});

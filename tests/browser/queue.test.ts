/** Messages that are sent while a run goes on: seen, changed, and never lost. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { DOT } from './support/dot.ts';
import { ended, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

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
    // The server has them: one that is still under way is not known after a reload.
    await queue.getByText('Waits:').nth(2).waitFor();
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
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('the first');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await queue.getByText('Held:').waitFor();
    await queue.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('The second is answered.').waitFor();
    await queue.waitFor({ state: 'detached' });
  });

  it('offers to answer once more after Stop', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scene.model.on('stop this one', [{ text: ['A first part. ', 'Answered after all.'], gates: { 2: promise } }]);
    const page = await scene.page();
    await say(page, 'stop this one');
    await page.getByText('A first part.').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    resolve();
    await again.click();
    await page.getByText('Answered after all.').waitFor();
  });

  it('keeps the picture beside it when it is edited, and when its server is killed', async () => {
    scene.model.on('begin with a picture', [{ text: ['A first part. ', 'And more.'], gates: { 2: never } }]);
    scene.model.on('what is on it', [{ text: 'A dot.' }]);
    const page = await scene.page();
    const attached = page.getByRole('list', { name: 'Attached files' });
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await say(page, 'begin with a picture');
    await page.getByText('A first part.').waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
    await attached.getByText('dot.png').waitFor();
    await say(page, 'what is on it');
    await queue.getByText('1 file').waitFor();
    await queue.getByText('Waits:').waitFor();
    await attached.waitFor({ state: 'detached' });
    await queue.getByRole('button', { name: 'Edit' }).click();
    await attached.getByRole('img').or(attached.locator('img')).first().waitFor();
    // The page shows it before it hears that the server took it. Whoever hears nothing has the words back in the field.
    const taken = page.waitForResponse((answer) => answer.request().postData()?.includes('send_message') === true);
    await page.keyboard.press('Enter');
    await queue.getByText('1 file').waitFor();
    expect(await (await taken).finished()).toBeNull();
    await scene.stop('SIGKILL');
    await page.locator('[data-link="lost"]').waitFor();
    await scene.startAgain();
    await queue.getByText('Not sent:').waitFor();
    await queue.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('A dot.').waitFor();
    await page.getByAltText('Sent with the message').waitFor();
  });

  it('does not take the place of what is being written when it is edited', async () => {
    scene.model.on('begin once more', [{ text: ['A part again. ', 'And more.'], gates: { 2: never } }]);
    const page = await scene.page();
    await say(page, 'begin once more');
    await page.getByText('A part again.').waitFor();
    await say(page, 'in the queue');
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await queue.getByText('in the queue').waitFor();
    await queue.getByText('Waits:').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    await queue.getByRole('button', { name: 'Edit' }).click();
    await queue.waitFor({ state: 'detached' });
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue())
      .toBe('in the queue\n\nhalf a thought');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
  });

  it('does not come back in one window when another removed it', async () => {
    let end = (): void => {};
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
    scene.model.on('seen in two windows', [{ text: ['The part of both. ', 'And the end.'], gates: { 2: gate } }]);
    const page = await scene.page();
    await say(page, 'seen in two windows');
    await page.getByText('The part of both.').waitFor();
    await say(page, 'taken out elsewhere');
    const queueOf = (of: typeof page) => of.getByRole('list', { name: 'Messages that wait' });
    await queueOf(page).getByText('taken out elsewhere').waitFor();
    // Another device: it shares nothing with the first but the server.
    const other = await scene.page({});
    await other.goto(page.url());
    await queueOf(other).getByText('taken out elsewhere').waitFor();
    await queueOf(other).getByRole('button', { name: 'Remove' }).click();
    await queueOf(page).waitFor({ state: 'detached' });
    end();
    await page.getByText('And the end.').waitFor();
    await ended(page);
    await page.reload();
    await page.getByText('And the end.').waitFor();
    await expect
      .poll(() => page.evaluate(`Object.entries(localStorage).filter(([key]) => key.startsWith('halter queue'))`))
      .toEqual([]);
    expect(await queueOf(page).count()).toBe(0);
  });

  it('is not lost where it takes the place of another and cannot be sent, nor when its editor is closed', async () => {
    scene.model.on('first version', [{ text: 'The first.' }]);
    scene.model.on('second version', [{ text: 'The second.' }]);
    const page = await scene.page();
    await say(page, 'first version');
    await page.getByText('The first.').waitFor();
    await ended(page);
    const edit = page.getByRole('button', { name: 'Edit message' });
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    await edit.click();
    await editor.fill('second version');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('The first.').waitFor();
    await edit.click();
    await expect.poll(() => editor.inputValue()).toBe('second version');
    let refused = 0;
    await page.route('**/commands', (route) => {
      if (!route.request().postData()?.includes('send_message')) return route.continue();
      refused += 1;
      return route.abort();
    });
    await page.keyboard.press('Enter');
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await queue.getByText('Not sent:').waitFor();
    // The page tries twice by itself.
    await expect.poll(() => refused).toBe(2);
    // It stays until the server has it.
    await queue.getByRole('button', { name: 'Send now' }).click();
    await expect.poll(() => refused).toBe(4);
    await queue.getByText('Not sent:').waitFor();
    await page.unroute('**/commands');
    await queue.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('The second.').waitFor();
    await queue.waitFor({ state: 'detached' });
  });

  it('is in sight at once where the connection is away when it is sent, while the run goes on', async () => {
    scene.model.on('go on for long', [{ text: ['A long part. ', 'And more.'], gates: { 2: never } }]);
    const page = await scene.page();
    await say(page, 'go on for long');
    await page.getByText('A long part.').waitFor();
    await page.context().setOffline(true);
    await say(page, 'said while away');
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    const unsent = queue.getByRole('listitem').filter({ hasText: 'said while away' });
    await unsent.getByText('Not sent:').waitFor();
    await page.context().setOffline(false);
    await page.locator('[data-link]').waitFor({ state: 'detached' });
    await unsent.getByText('Not sent:').waitFor();
    await unsent.getByRole('button', { name: 'Send now' }).click();
    await unsent.getByText('Waits:').waitFor();
    expect(await unsent.count()).toBe(1);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.close();
  });

  it('comes back to the person where the server was killed before its turn', async () => {
    scene.model.on('begin and die', [{ text: ['Something. ', 'More.'], gates: { 2: never } }]);
    scene.model.on('what was meant', [{ text: 'It was meant so.' }]);
    const page = await scene.page();
    await say(page, 'begin and die');
    await page.getByText('Something.').waitFor();
    const taken = page.waitForResponse((answer) => answer.request().postData()?.includes('what was meant') === true);
    await say(page, 'what was meant');
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await queue.getByText('Waits:').waitFor();
    expect(await (await taken).finished()).toBeNull();
    await scene.stop('SIGKILL');
    await page.locator('[data-link="lost"]').waitFor();
    await scene.startAgain();
    await queue.getByText('Not sent:').waitFor();
    await queue.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('It was meant so.').waitFor();
    await queue.waitFor({ state: 'detached' });
  });
});

describe('a message on its way', () => {
  it('is in sight while the server is slow, in a new session and in one that is there, and is sent once', async () => {
    scene.model.on('slow and first', [{ text: 'The first came.' }]);
    scene.model.on('slow and second', [{ text: ['The second came. ', 'Wholly.'], gates: { 2: never } }]);
    scene.model.on('slow and third', [{ text: 'The third came.' }]);
    const page = await scene.page({});
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    for (const [path, text, came] of [
      ['**/api/sessions', 'slow and first', 'The first came.'],
      ['**/commands', 'slow and second', 'The second came.'],
    ] as const) {
      const go = Promise.withResolvers<void>();
      await page.route(path, async (route) => {
        if (route.request().method() === 'POST') await go.promise;
        await route.continue();
      });
      await ended(page);
      await say(page, text);
      const coming = page.locator('[data-sending]');
      await coming.getByText(text).waitFor();
      await coming.getByText('Sending…').waitFor();
      go.resolve();
      await page.getByText(came).waitFor();
      await coming.waitFor({ state: 'detached' });
      await page.unroute(path);
      expect(await page.locator('[data-row=user]').getByText(text).count()).toBe(1);
    }
    // Behind a run it stands where it will wait.
    const go = Promise.withResolvers<void>();
    await page.route('**/commands', async (route) => {
      await go.promise;
      await route.continue();
    });
    await say(page, 'slow and third');
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await queue.getByText('Sending:').waitFor();
    go.resolve();
    await queue.getByText('Waits:').waitFor();
    expect(await queue.getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
  });

  it('is taken back while its session is begun, as a model is loaded, and goes nowhere', async () => {
    scene.model.on('sent in its place', [{ text: 'This one came.' }]);
    const page = await scene.page({});
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    const go = Promise.withResolvers<void>();
    await page.route('**/api/sessions', async (route) => {
      if (route.request().method() === 'POST') await go.promise;
      await route.continue();
    });
    await say(page, 'never to be sent');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.locator('[data-sending]').waitFor({ state: 'detached' });
    const field = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => field.inputValue()).toBe('never to be sent');
    await field.fill('sent in its place');
    go.resolve();
    await page.keyboard.press('Enter');
    await page.getByText('This one came.').waitFor();
    expect(await page.getByText('never to be sent').count()).toBe(0);
    expect(scene.model.server.requests.some(({ text }) => text.includes('never to be sent'))).toBe(false);
  });
});

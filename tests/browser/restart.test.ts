/** `halter serve` ends under an open page, in every way, and is started again. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import {
  callsIn,
  ended,
  findings,
  inBrowser,
  keptText,
  openWebScene,
  say,
  type WebScene,
} from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\ntwo\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const notice = (page: Page, state: string) => page.locator(`[data-link=${state}]`);
const isBack = (page: Page): Promise<void> => page.locator('[data-link]').waitFor({ state: 'detached' });
/** A word to the person goes away by itself after six seconds: not in this page. */
const NO_END_OF_WORDS = `
  const real = window.setTimeout;
  window.setTimeout = (work, ms, ...rest) => (ms === 6000 ? 0 : real(work, ms, ...rest));
`;
const rows = (page: Page): Promise<string[]> => page.locator('[data-row]').allInnerTexts();

describe('a page whose server ends', () => {
  it('says so, keeps what is written, and goes on by itself, with nothing lost and nothing twice', async () => {
    verifies('B5', 'L8');
    scene.model.on('write three', [
      { text: 'I write.', calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'three\n' } }] },
      { text: 'Written.' },
    ]);
    const page = await scene.page({});
    await page.addInitScript(NO_END_OF_WORDS);
    await page.reload();
    for (const [round, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
      scene.model.on(`hello ${round}`, [{ text: `Answer ${round}.` }]);
      await say(page, `hello ${round}`);
      await page.getByText(`Answer ${round}.`).waitFor();
      await say(page, 'write three');
      await page.getByRole('alertdialog').waitFor();
      await field(page).fill(`a draft, ${signal}`);
      await scene.stop(signal);
      await notice(page, 'lost').getByText('halter does not answer').waitFor();
      // What is sent behind a run that nobody tells of is in sight all the same.
      await say(page, `sent to nobody ${round}`);
      const unsent = page.getByRole('listitem').filter({ hasText: `sent to nobody ${round}` });
      await unsent.getByText('Not sent').waitFor();
      await field(page).fill(`a draft, ${signal}`);
      await scene.startAgain();
      await isBack(page);
      // A word about the lost connection goes with it; its own time never comes here.
      await page.getByText('Is halter serve still running?').waitFor({ state: 'detached' });
      await unsent.getByRole('button', { name: 'Remove' }).click();
      // What was asked belongs to a run that is over, and the page knows.
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await page.getByText('halter was ended in the middle of this run.').nth(round).waitFor();
      expect(await field(page).inputValue()).toBe(`a draft, ${signal}`);
      await expect
        .poll(async () => (await callsIn(page)).map(({ state }) => state))
        .toEqual(Array(round + 1).fill('not_run'));
      const shown = await rows(page);
      await page.reload();
      await page.getByText(`Answer ${round}.`).waitFor();
      // Rows are drawn one after another.
      await expect.poll(() => rows(page)).toEqual(shown);
      await expect.poll(() => field(page).inputValue()).toBe(`a draft, ${signal}`);
      await field(page).fill('');
    }
    scene.model.on('and now', [{ text: 'It goes on.' }]);
    await say(page, 'and now');
    await page.getByText('It goes on.').waitFor();
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`keeps what came of an answer until ${signal}`, async () => {
      verifies('B5', 'L8');
      const never = new Promise<void>(() => undefined);
      scene.model.on(`tell until ${signal}`, [{ text: [`Told until ${signal}. `, 'The rest.'], gates: { 2: never } }]);
      const page = await scene.page();
      await say(page, `tell until ${signal}`);
      const half = page.getByText(`Told until ${signal}.`);
      await half.waitFor();
      await vi.waitFor(() => expect(keptText(scene)).toContain(`"text":"Told until ${signal}.`), { timeout: 60_000 });
      await scene.stop(signal);
      await notice(page, 'lost').waitFor();
      expect(await half.isVisible()).toBe(true);
      await scene.startAgain();
      await isBack(page);
      const isOver = page.getByText('halter was ended in the middle of this run.');
      await isOver.waitFor();
      await half.waitFor();
      const shown = await rows(page);
      await page.reload();
      await isOver.waitFor();
      await half.waitFor();
      // Rows are drawn one after another.
      await expect.poll(() => rows(page), { timeout: 60_000 }).toEqual(shown);
    });

  it('shows the mode of the halter that is there now before anything is sent', async () => {
    scene.model.on('begin here', [{ text: 'Begun.' }]);
    scene.model.on('write freely', [
      { text: 'I write.', calls: [{ name: 'write_file', arguments: { path: 'free.txt', content: 'free' } }] },
      { text: 'Written freely.' },
    ]);
    const page = await scene.page();
    const mode = (name: string) => page.getByRole('button', { name: new RegExp(`^Mode ${name}`) });
    await say(page, 'begin here');
    await page.getByText('Begun.').waitFor();
    await ended(page);
    await mode('ask').click();
    const taken = page.waitForResponse((answer) => answer.request().postData()?.includes('change_mode') === true);
    await page.getByRole('menuitemradio', { name: /^plan/ }).click();
    await mode('plan').waitFor();
    expect((await taken).ok()).toBe(true);
    await scene.stop('SIGTERM');
    await notice(page, 'lost').waitFor();
    await scene.startAgain(scene.folder, ['--mode', 'auto']);
    await isBack(page);
    await mode('auto').waitFor();
    await page.reload();
    await page.getByText('Begun.').waitFor();
    await mode('auto').waitFor();
    // Before the next message runs it is said, with the way back.
    const loosened = page.getByText('This session was in the mode plan. It goes on in auto');
    await loosened.waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back to plan' }).click();
    await mode('plan').waitFor();
    await loosened.waitFor({ state: 'detached' });
    await mode('plan').click();
    await page.getByRole('menuitemradio', { name: /^auto/ }).click();
    await mode('auto').waitFor();
    await say(page, 'write freely');
    await page.getByText('Written freely.').waitFor();
    await scene.stop('SIGTERM');
    await notice(page, 'lost').waitFor();
    await scene.startAgain();
    await isBack(page);
    await mode('ask').waitFor();
  });

  it('says who answers in its place, and goes on when its own is back', async () => {
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await field(page).fill('not sent yet');
    const unsent = page.getByRole('list', { name: 'Messages that wait' }).getByText('not sent yet');
    await scene.stop('SIGKILL');
    // Nothing is under way on this page; sending finds out.
    await page.keyboard.press('Enter');
    await notice(page, 'lost').waitFor();
    await unsent.waitFor();
    const { port } = new URL(scene.url);
    const stranger = createServer((_request, response) => response.end('<h1>a stranger</h1>'));
    await new Promise<void>((resolve) => stranger.listen(Number(port), '127.0.0.1', resolve));
    await notice(page, 'foreign').getByText('Something else answers').waitFor();
    stranger.closeAllConnections();
    await new Promise((resolve) => stranger.close(resolve));
    mkdirSync(`${scene.folder}-other`);
    await scene.startAgain(`${scene.folder}-other`);
    await notice(page, 'other').getByText('Another halter answers').waitFor();
    await scene.stop('SIGTERM');
    await scene.startAgain();
    await isBack(page);
    await unsent.waitFor();
  });
});

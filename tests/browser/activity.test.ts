/** One stream for all sessions: what waits elsewhere is seen and answered without going there. */
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { keepSession } from './support/keep-session.ts';
import { ended, inBrowser, inLongRun, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;

/** A browser lets a host have six connections. */
const WINDOWS = 8;

describe('what goes on in other sessions', () => {
  it('is seen at once, and what waits there is answered from here', async () => {
    scene.model.on('write elsewhere', [
      { calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'two\n' } }] },
      { text: 'Done elsewhere.' },
    ]);
    const [here, there] = [await scene.page(), await scene.page()];
    await say(there, 'write elsewhere');
    await there.getByRole('alertdialog').waitFor();
    const inbox = here.getByRole('region', { name: 'Waiting for you' });
    await inbox.getByText('write elsewhere').waitFor();
    await here.getByRole('navigation').getByText('? waits').waitFor();
    await inbox.getByText(/write notes\.txt/i).waitFor();
    await inbox.getByRole('button', { name: 'Allow once' }).click();
    await there.getByText('Done elsewhere.').waitFor();
    await inbox.waitFor({ state: 'detached' });
  });

  it('is seen too where another program began a session, and removed it', async () => {
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await keepSession(scene.sessions, 'begun-elsewhere', 2, 'An answer.', scene.folder);
    const entry = page.getByRole('navigation').getByRole('link', { name: /Question 0/ });
    await entry.waitFor();
    await fetch(`http://${new URL(scene.url).host}/api/sessions/begun-elsewhere`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${new URL(scene.url).searchParams.get('token')}` },
    });
    await entry.waitFor({ state: 'detached' });
    expect(await entry.count()).toBe(0);
  });

  inLongRun('eight windows leave room to send, stop and allow in each, and each shows its own session', async () => {
    verifies('L8');
    const gate = new Promise<void>((resolve) => onTestFinished(() => resolve()));
    const pages = await Promise.all(
      Array.from({ length: WINDOWS }, async (_, at) => {
        await keepSession(scene.sessions, `side-${at}`, 2, `Answer of ${at}.`, scene.folder);
        const page = await scene.page();
        await page.goto(`${new URL(scene.url).origin}/#/s/side-${at}`);
        await page.getByText(`Answer of ${at}.`).waitFor();
        return page;
      }),
    );
    for (const [at, page] of [pages[0], pages.at(-1)].entries()) {
      if (page === undefined) continue;
      scene.model.on(`stop side ${at}`, [{ text: ['Slowly ', 'on.'], gates: { 2: gate } }]);
      await say(page, `stop side ${at}`);
      await page.getByText('Slowly', { exact: false }).last().waitFor();
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await ended(page);
      const path = `side-${at}.txt`;
      scene.model.on(`allow side ${at}`, [
        { calls: [{ name: 'write_file', arguments: { path, content: 'two\n' } }] },
        { text: `Written ${at}.` },
      ]);
      await say(page, `allow side ${at}`);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Allow once' }).click();
      await page.getByText(`Written ${at}.`).waitFor();
      await ended(page);
      expect(await page.getByText(/^Answer of/).count()).toBe(1);
    }
  });
});

/** What goes on elsewhere, from one place: seen, answered, stopped, and told of to who looks away. */
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, themesFor, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
}, 120_000);
afterAll(() => scene?.close());

const it = inBrowser;
type Page = Awaited<ReturnType<WebScene['page']>>;
const writes = (path: string) => [
  { calls: [{ name: 'write_file', arguments: { path, content: 'two\n' } }] },
  { text: `Over with ${path}.` },
];
/** Begins a session in a tab of its own. It ends with its test: the next one would be told of it. */
const begin = async (text: string): Promise<Page> => {
  const page = await scene.page();
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  onTestFinished(async () => {
    if (await stop.isVisible()) await page.keyboard.press('Escape');
    await stop.waitFor({ state: 'detached' });
  });
  await say(page, text);
  return page;
};

describe('runs of other sessions', () => {
  it('stand in the list while they go on, and are stopped from there', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    try {
      scene.model.on('a long one', [{ text: ['Slowly ', 'on.'], gates: { 1: gate } }]);
      const other = await begin('a long one');
      await other.getByRole('button', { name: 'Stop', exact: true }).waitFor();
      const page = await scene.page();
      const running = page.getByRole('region', { name: 'Running now' });
      await running.getByRole('link', { name: /a long one/ }).waitFor();
      await running.getByRole('button', { name: /^Stop/ }).click();
      await running.waitFor({ state: 'detached' });
      await other.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    } finally {
      goOn();
    }
  });

  it('that wait are the first thing on a phone, and answered there', async () => {
    scene.model.on('ask the phone', writes('phone.txt'));
    const other = await begin('ask the phone');
    await other.getByRole('alertdialog').waitFor();
    const page = await scene.page({ viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true });
    const waiting = page.getByRole('region', { name: 'Waiting for you' });
    await waiting
      .getByText(/phone\.txt/)
      .first()
      .waitFor();
    await expect.poll(() => waiting.locator('[data-sign="+"]').allTextContents()).toEqual(['+two']);
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    // Nothing of it has to be scrolled to.
    const allow = await waiting.getByRole('button', { name: 'Allow once' }).boundingBox();
    expect((allow?.y ?? 1_000) + (allow?.height ?? 0)).toBeLessThan(500);
    await waiting.getByRole('button', { name: 'Allow once' }).click();
    await other.getByText('Over with phone.txt.').waitFor();
    await waiting.waitFor({ state: 'detached' });
  });

  it('that wait say what would be done, also how a long command ends', async () => {
    const command = `${Array.from({ length: 30 }, (_, step) => `echo step-${step} >> log.txt`).join(' && ')} && rm -rf ../elsewhere`;
    scene.model.on('ask for long', [{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'Over.' }]);
    const other = await begin('ask for long');
    await other.getByRole('alertdialog').waitFor();
    for (const viewport of [
      { width: 320, height: 700 },
      { width: 1280, height: 800 },
    ]) {
      const page = await scene.page({ viewport });
      const waiting = page.getByRole('region', { name: 'Waiting for you' });
      await waiting.getByRole('button', { name: 'Allow once' }).waitFor();
      const shown = (await waiting.locator('[data-argument="command"]').textContent()) ?? '';
      expect(shown).toContain('echo step-0');
      expect(shown).toMatch(/rm -rf \.\.\/elsewhere$/);
      expect(shown).toMatch(/\d+ more characters/);
      expect(await waiting.getByText(/elsewhere/).isVisible()).toBe(true);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    }
    await other.getByRole('button', { name: /^\S*\s*Deny/ }).click();
  });
});

describe('who looks elsewhere', () => {
  it('is told by a notification that leads to the session, once they chose it', async () => {
    scene.model.on('ask from afar', writes('afar.txt'));
    const page = await scene.page({ permissions: ['notifications'] });
    await page.getByRole('button', { name: 'Settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.getByRole('tab', { name: 'Browser' }).click();
    await dialog.getByRole('radio', { name: 'Notification and sound' }).check();
    for (const colorScheme of themesFor(1)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }
    // The browser asks its person first, and starts what shows it; what waits before that is told by nobody.
    await expect.poll(() => page.evaluate("localStorage.getItem('halter alerts')")).toBe('notify');
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await page.keyboard.press('Escape');
    await page.evaluate('document.hasFocus = () => false');
    const other = await begin('ask from afar');
    await other.getByRole('alertdialog').waitFor();
    await expect
      .poll(() =>
        page.evaluate(
          `navigator.serviceWorker.getRegistration().then((all) => all?.getNotifications() ?? []).then((all) => all.map(({ title, body }) => [title, body]))`,
        ),
      )
      .toEqual([[expect.stringMatching(/waits for you$/), expect.stringContaining('afar.txt')]]);
    await other.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).click();
    await other.getByText('Over with afar.txt.').waitFor();
  });

  it('is asked about it while a run takes long, and not after', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    scene.model.on('take your time', [{ text: ['Slowly ', 'over.'], gates: { 2: gate } }]);
    const page = await scene.page({});
    await page.clock.install();
    await page.reload();
    await say(page, 'take your time');
    await page.getByText('Slowly').waitFor();
    // Only what is told of as running is timed, and that comes by another stream than the answer.
    await page.getByText('● runs').waitFor();
    const asked = page.getByRole('region', { name: 'Notifications' });
    try {
      await page.clock.fastForward(20_000);
      await asked.waitFor();
    } finally {
      goOn();
    }
    await page.getByText('Slowly over.').waitFor();
    await asked.waitFor({ state: 'detached' });
  });

  it('is told of nothing as long as they did not choose it', async () => {
    scene.model.on('ask in silence', writes('silence.txt'));
    const page = await scene.page({ permissions: ['notifications'] });
    await page.evaluate('document.hasFocus = () => false');
    const other = await begin('ask in silence');
    await page.getByRole('region', { name: 'Waiting for you' }).waitFor();
    expect(await page.evaluate('navigator.serviceWorker.getRegistration().then((found) => found === undefined)')).toBe(
      true,
    );
    await other.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).click();
    await other.getByText('Over with silence.txt.').waitFor();
  });
});

describe('the app', () => {
  it('can be installed: its manifest is read without an error, and every icon is there', async () => {
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    const { errors, data } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const {
      icons,
      start_url: start,
      display,
    } = JSON.parse(data ?? '{}') as {
      icons: { src: string; sizes: string }[];
      start_url: string;
      display: string;
    };
    expect([start, display]).toEqual(['/', 'standalone']);
    for (const { src, sizes } of icons) {
      const size = await page.evaluate(
        `new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth); image.onerror = () => reject(new Error('not there')); image.src = ${JSON.stringify(src)}; })`,
      );
      if (sizes !== 'any') expect(`${size}x${size}`).toBe(sizes);
    }
    // An installed app begins at its start, without a token in its address.
    await page.goto(new URL(scene.url).origin);
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
  });
});

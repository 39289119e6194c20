/** Spoken words: only where the browser says that it recognises them on this machine. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({});
});
afterAll(() => scene?.close());

const it = inBrowser;

/** A recogniser as browsers have it, whose words are put into it. */
const recogniser = (available: string, knowsLocal: boolean): string => `
  window.SpeechRecognition = class {
    static available = async ({ processLocally }) => (processLocally ? '${available}' : 'available');
    ${knowsLocal ? 'set processLocally(value) { window.isLocal = value; } get processLocally() { return window.isLocal; }' : ''}
    start() { window.hear = (text) => this.onresult({ resultIndex: 0, results: [{ isFinal: true, 0: { transcript: text } }] }); }
    stop() { this.onend(); }
    abort() {}
  };
`;

describe('dictation', () => {
  it('writes what was said into the field, and is told to stay on this machine', async () => {
    const page = await scene.page({});
    await page.addInitScript(recogniser('available', true));
    await page.reload();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Please');
    const button = page.getByRole('button', { name: 'Dictate' });
    await button.click();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    await page.evaluate(`hear(' read the notes ')`);
    await expect.poll(() => field.inputValue()).toBe('Please read the notes');
    expect(await page.evaluate('window.isLocal')).toBe(true);
    await button.click();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('false');
  });

  for (const [what, available, knowsLocal] of [
    ['would send it elsewhere', 'available', false],
    ['would have to get it first', 'downloadable', true],
    ['has none', 'unavailable', true],
  ] as const) {
    it(`is not offered where the browser ${what}`, async () => {
      const page = await scene.page({});
      await page.addInitScript(recogniser(available, knowsLocal));
      await page.reload();
      await page.getByRole('heading', { name: /is ready/ }).waitFor();
      expect(await page.getByRole('button', { name: 'Dictate' }).count()).toBe(0);
    });
  }
});

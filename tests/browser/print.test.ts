/** A conversation on paper: all that is on the page, and nothing around it. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { ended, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
}, 120_000);
afterAll(() => scene?.close());

describe('a conversation that is printed', () => {
  inBrowser('is as long as it is on paper, dark on white, without what stands around it', async () => {
    verifies('L3');
    const lines = Array.from({ length: 200 }, (_, index) => `Line ${index}.`).join('\n\n');
    const wide = `\`\`\`ts\n${'const wide = 1; '.repeat(40)}\n\`\`\``;
    const table = '| a | b |\n|---|---|\n| 1 | 2 |';
    scene.model.on('tell a long story', [
      { reasoning: 'A thought.', calls: [{ name: 'get_file_tree', arguments: {} }] },
      { text: `${wide}\n\n${table}\n\n${lines}\n\nThe last word.` },
    ]);
    const page = await scene.page({ colorScheme: 'dark' });
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await say(page, `tell a long story ${'of many words '.repeat(400)}`);
    await page.getByText('The last word.').waitFor();
    await ended(page);
    const counted = async (): Promise<number> => {
      const text = (await page.pdf({ width: '800px', height: '1000px' })).toString('latin1');
      return [...text.matchAll(/\/Type\s*\/Page\b/g)].length;
    };
    expect(await counted()).toBeGreaterThan(4);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.getByText('Line 0.', { exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole('textbox', { name: 'Message' }).isVisible()).toBe(false);
    expect(await page.getByRole('navigation', { name: 'Sessions' }).isVisible()).toBe(false);
    const cut = await page
      .locator('[data-scroller] pre')
      .evaluateAll((all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1).length);
    expect(cut).toBe(0);
    const shown = page.locator('[data-scroller] :is(button, [role=button])').filter({ visible: true });
    // What ran, what was thought and how much is folded are told by what opens them.
    await expect
      .poll(() => shown.evaluateAll((all) => all.map(({ textContent }) => textContent)))
      .toEqual([
        expect.stringMatching(/^Show all [\d,]+ characters$/),
        expect.stringMatching(/^Thought for/),
        expect.stringContaining('get_file_tree'),
      ]);
    expect(await page.locator('[data-scroller] .table-actions').isVisible()).toBe(false);
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    expect(ink).toMatch(/^rgb\(\d{1,2}, \d{1,2}, \d{1,2}\)$|^(lab|oklch|color)\(/);
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  });
});

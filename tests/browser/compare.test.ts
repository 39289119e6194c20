/** Answers in other words and by other models: branches of their own, looked at beside each other. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({});
});
afterAll(() => scene?.close());

const it = inBrowser;

describe('an answer', () => {
  it('is edited by the person, and read so by the model from then on', async () => {
    scene.model.on('tell me', [{ text: 'The sky is green.' }]);
    scene.model.on('and now', [{ text: 'Go on.' }]);
    const page = await scene.page();
    await say(page, 'tell me');
    await page.getByText('The sky is green.').waitFor();
    await page.getByRole('button', { name: 'Edit answer' }).click();
    const editor = page.getByRole('textbox', { name: 'Edit answer' });
    await expect.poll(() => editor.inputValue()).toBe('The sky is green.');
    await editor.fill('The sky is **blue**.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The sky is blue.').waitFor();
    await page.getByText('In your words').waitFor();
    // What the model took for other words says nothing of these.
    expect(await page.locator('footer').innerText()).not.toContain('token');
    await page.getByText('2 / 2').waitFor();
    await say(page, 'and now');
    await page.getByText('Go on.').waitFor();
    const asked = scene.model.server.requests.findLast(({ text }) => text.includes('and now'))?.text ?? '';
    expect(asked).toContain('**blue**');
    expect(asked).not.toContain('green');
  });

  it('of another model stands beside the first, and one of them is gone on with', async () => {
    let round = 0;
    scene.model.onAsked('who is right', () => {
      round += 1;
      return { text: round === 1 ? 'The first opinion.' : 'The second opinion.' };
    });
    const page = await scene.page();
    await say(page, 'who is right');
    await page.getByText('The first opinion.').waitFor();
    await page.getByRole('button', { name: 'Answer with another model' }).click();
    await page.getByRole('menuitem', { name: 'other-model' }).click();
    await page.getByText('The second opinion.').waitFor();
    await page.getByText('This session goes on with openai/other-model').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare answers' });
    const [left, right] = [dialog.getByLabel('Left answer'), dialog.getByLabel('Right answer')];
    await left.getByText('The first opinion.').waitFor();
    await right.getByText('The second opinion.').waitFor();
    expect(await left.innerText()).toContain('test-model');
    expect(await right.innerText()).toContain('other-model');
    const [one, other] = [await left.boundingBox(), await right.boundingBox()];
    expect(one?.y).toBe(other?.y);
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await left.getByRole('button', { name: 'Go on with this' }).click();
    await page.getByText('1 / 2').waitFor();
  });
});

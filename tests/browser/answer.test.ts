/** What one does with an answer: go on after a cut, have another model answer, see what was thought. And the keys. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import type { ScriptedServerTurn } from '../../src/testing/index.ts';
import { CHROMIUM } from './support/chromium.ts';
import { ended, findings, inBrowser, keptText, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;
const gate = (): { open(): void; opened: Promise<void> } => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

describe('an answer', () => {
  it('goes on where the limit of tokens cut it off, and says so once', async () => {
    scene.model.on('a long story', [{ text: 'Once upon', finish: 'length' }]);
    scene.model.on('exactly where it stopped', [{ text: 'a time.' }]);
    const page = await scene.page();
    await say(page, 'a long story');
    await page.getByText('Cut off: the limit of tokens').waitFor();
    expect(await page.getByText('cut', { exact: false }).count()).toBe(1);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('a time.').waitFor();
    await page.locator('footer').nth(1).waitFor();
    expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0);
    expect(scene.model.server.requests.at(-1)?.text).toContain('Once upon');
    // Nobody wrote that.
    await page.getByText('Continued', { exact: true }).waitFor();
    expect(await page.getByText('Go on exactly').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Edit message' }).count()).toBe(1);
  });

  const never = new Promise<void>(() => {});
  const ENDS: readonly [how: string, turn: ScriptedServerTurn, end: (page: Page) => Promise<void>][] = [
    [
      'by Stop',
      { text: ['Half of ', 'it.'], gates: { 2: never } },
      (page) => page.getByRole('button', { name: 'Stop', exact: true }).click(),
    ],
    ['by a lost connection', { text: ['Half of ', 'it.'], cutAfterWrites: 2 }, async () => {}],
    [
      'by the end of its server',
      { text: ['Half of a third. ', 'More.'], gates: { 2: never } },
      async (page) => {
        await vi.waitFor(() => expect(keptText(scene)).toContain('"text":"Half of a third'), { timeout: 60_000 });
        await scene.stop('SIGKILL');
        await page.locator('[data-link="lost"]').waitFor();
        await scene.startAgain();
        await page.locator('[data-link="lost"]').waitFor({ state: 'detached' });
      },
    ],
  ];
  for (const [how, turn, end] of ENDS)
    it(`that was ended ${how} is copied, edited and gone on with as a finished one`, async () => {
      const asked = `ended ${how}`;
      scene.model.on(asked, [turn]);
      scene.model.on('exactly where it stopped', [{ text: 'The other half.' }]);
      const page = await scene.page();
      await say(page, asked);
      await page.getByText('Half of').waitFor();
      await end(page);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      // Why it ended, and the ways on, stand in one place.
      await expect.poll(() => page.getByRole('list', { name: 'Warnings' }).count()).toBe(0);
      const told = page.locator('[data-notice]');
      await expect.poll(() => told.count()).toBe(1);
      // Why, in whatever words the system has for it, stays with it, though the page began to listen behind it, or is loaded again.
      if (turn.cutAfterWrites !== undefined) {
        await told.getByText(/connection to the model was lost: .+ What came before is kept/).waitFor();
        await page.reload();
        await told.getByText(/connection to the model was lost: .+ What came before is kept/).waitFor();
      }
      await told.getByRole('button', { name: 'Continue' }).waitFor();
      const offered = page.locator('[data-row="text"], [data-row="notice"]').getByRole('button');
      const names = (): Promise<(string | null)[]> =>
        offered.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.textContent));
      await expect
        .poll(names)
        .toEqual(['Continue', 'Try again', 'Copy answer', 'Edit answer', 'Answer with another model']);
      await page.getByRole('button', { name: 'Edit answer' }).click();
      await page.getByRole('textbox', { name: 'Edit answer' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('The other half.').waitFor();
      expect(scene.model.server.requests.at(-1)?.text).toContain('Half of');
    });

  it('is copied where the page came over plain HTTP, as on a phone', async () => {
    scene.model.on('copy me', [{ text: 'Words to *keep*.' }]);
    const page = await scene.page({});
    // Such a page has no clipboard of its own.
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.reload();
    await say(page, 'copy me');
    await page.getByRole('button', { name: 'Copy answer' }).click();
    await page.locator('footer').getByText('Copied', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.press('Control+v');
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Words to *keep*.');
  });

  it('is given again by another model, and both stay', async () => {
    scene.model.on('who are you', [{ text: 'I answer.' }]);
    const page = await scene.page();
    await say(page, 'who are you');
    await page.locator('footer').waitFor();
    await page.getByRole('button', { name: 'Answer with another model' }).click();
    await page.getByRole('menuitem', { name: /other-model/ }).click();
    await page.getByRole('group', { name: 'Versions of this answer' }).getByText('2 / 2').waitFor();
    await page.locator('footer').waitFor();
    expect(scene.model.server.requests.at(-1)?.body).toMatchObject({ model: 'other-model' });
    await page.getByRole('button', { name: /^Model .*other-model/ }).waitFor();
  });

  it('has lists that stay within a narrow window', async () => {
    scene.model.on('on a phone', [{ text: 'Yes.' }]);
    const page = await scene.page({ viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true });
    await say(page, 'on a phone');
    await page.locator('footer').waitFor();
    await page.getByRole('button', { name: 'Answer with another model' }).click();
    const box = await page.getByRole('menu').boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
    const sizes = await page.getByRole('menuitem').evaluateAll((all) => all.map((each) => each.clientHeight));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(40);
  });

  it('shows what is being thought in a line, and how long it took', async () => {
    const held = gate();
    scene.model.on('think first', [
      { reasoning: ['First this.\n', '**Then that.'], text: 'Thought through.', gates: { 3: held.opened } },
    ]);
    const page = await scene.page();
    await say(page, 'think first');
    const thinking = page.getByRole('button', { name: /^Thinking for/ });
    await thinking.getByText('Then that.').waitFor();
    expect(await thinking.innerText()).not.toContain('First this');
    // A page that is loaded meanwhile counts on.
    await page.reload();
    await thinking.getByText('Then that.').waitFor();
    held.open();
    await page.getByText('Thought through.').waitFor();
    await ended(page);
    const thought = page.getByRole('button', { name: /^Thought for \d|^Thought for a moment/ });
    await thought.click();
    await page.getByText('First this.').waitFor();
    const told = await thought.innerText();
    // Whoever comes later is told the same.
    await page.reload();
    await expect.poll(() => thought.innerText()).toBe(told);
  });

  it('sets the notes of a text at its end, once, with ways there and back, also while it comes', async () => {
    const held = gate();
    const text =
      'Water boils[^b] at 100 °C[^1].\n\n[^1]: At sea level,\n    with `code`.\n[^b]: It turns to steam.\n\nMore of it, as said before[^1].\n\n';
    scene.model.on('notes, please', [{ text: [text, 'The end.'], gates: { 2: held.opened } }]);
    const page = await scene.page();
    await say(page, 'notes, please');
    const answer = page.locator('[data-answer]');
    const check = async (): Promise<void> => {
      const notes = answer.getByRole('list', { name: 'Notes' });
      await notes.waitFor();
      expect(await answer.getByText('At sea level').count()).toBe(1);
      expect(await notes.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringContaining('It turns to steam.'),
        expect.stringContaining('At sea level'),
      ]);
      expect(await answer.locator('h2').count()).toBe(0);
      expect(await answer.locator('> :last-child').getAttribute('aria-label')).toBe('Notes');
      expect(await answer.getByRole('button', { name: 'Note 2', exact: true }).count()).toBe(2);
    };
    await page.getByText('More of it').waitFor();
    await check();
    held.open();
    await page.locator('footer').waitFor();
    await check();
    await answer.getByRole('button', { name: 'Note 2', exact: true }).last().click();
    expect(await page.evaluate('document.activeElement.innerText')).toContain('At sea level');
    await answer.getByRole('button', { name: 'Back from note 2' }).click();
    expect(await page.evaluate('document.activeElement.closest("p").innerText')).toContain('More of it');
    expect(await findings(page)).toEqual([]);
  });
});

describe('the keys', () => {
  it('are shown by ?, which is written where one writes', async () => {
    const page = await scene.page();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.pressSequentially('why?');
    await expect.poll(() => field.inputValue()).toBe('why?');
    expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0);
    await page.keyboard.press('Control+/');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('search the sessions').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New session' }).focus();
    await page.keyboard.press('Shift+?');
    await dialog.waitFor();
    await expect.poll(() => field.inputValue()).toBe('why?');
  });
});

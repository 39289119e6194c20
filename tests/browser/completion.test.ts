/** The field: commands after `/`, files after `@`, prompts of one's own. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { ended, findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

/** Names that people have; the last but one ends as a sentence may, the last as quotes may. */
const ODD_NAMES = [
  'odd näme mit "quote" 🦜.txt',
  'odd ❤️ heart.txt',
  "odd 'single'.txt",
  'odd(brackets) [x] {y}.txt',
  'odd@at.txt',
  'odd #hash %20 &.txt',
  'odd back\\slash.txt',
  'odd.',
  'odd "',
];
const ODD = Object.fromEntries(ODD_NAMES.map((name, at) => [name, `content ${at} of it\n`]));

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene(
    { 'notes.txt': 'one\ntwo\n', 'src/my notes.md': 'three\n', 'src/app.ts': 'export {};\n', ...ODD },
    [],
    { '.config/halter/commands/careful.md': '---\ndescription: read a file with care\n---\nRead @$1 with care.\n' },
  );
});
afterAll(() => scene?.close());

const it = inBrowser;
const fieldOf = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const optionsOf = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
const labels = (page: Page): Promise<string[]> => optionsOf(page).locator('.mono').allTextContents();

describe('the field', () => {
  it('offers files after @, takes one with the keys, and the message brings it along', async () => {
    scene.model.on('What does', [{ text: 'It says one and two.' }]);
    const page = await scene.page();
    await fieldOf(page).pressSequentially('What does @notes');
    // The list is that of the letters so far.
    await expect.poll(() => labels(page)).toEqual(['notes.txt', 'src/my notes.md']);
    expect(await fieldOf(page).getAttribute('aria-activedescendant')).toMatch(/-0$/);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await fieldOf(page).inputValue()).toBe('What does @"src/my notes.md" ');
    await page.keyboard.type('and @notes.t');
    await expect.poll(() => labels(page)).toEqual(['notes.txt']);
    await optionsOf(page).first().click();
    expect(await fieldOf(page).inputValue()).toBe('What does @"src/my notes.md" and @notes.txt ');
    await page.keyboard.type('say?');
    await page.keyboard.press('Enter');
    await page.getByText('It says one and two.').waitFor();
    const asked = scene.model.server.requests.findLast(({ text }) => text.includes('What does'))?.text;
    expect(asked).toContain('three');
    expect(asked).toContain('two');
    // The person sees the names, not the whole of the files.
    await page.getByText('[notes.txt: 2 lines]').waitFor();
    expect(await page.getByRole('log').innerText()).not.toContain('three');
  });

  it('offers files of every name, and brings along the one that is meant', async () => {
    const page = await scene.page();
    await fieldOf(page).pressSequentially('@"odd');
    await expect.poll(async () => (await labels(page)).sort()).toEqual([...ODD_NAMES].sort());
    for (const [at, name] of ODD_NAMES.entries()) {
      const words = `odd question ${at}`;
      scene.model.on(words, [{ text: `Read ${at}.` }]);
      await fieldOf(page).fill('');
      await fieldOf(page).pressSequentially('@odd');
      // As one writes on after the list came: that of all letters, which does not change any more.
      await expect.poll(async () => (await labels(page)).sort()).toEqual([...ODD_NAMES].sort());
      await optionsOf(page)
        .nth((await labels(page)).indexOf(name))
        .click();
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
      await page.getByText(`Read ${at}.`).waitFor();
      const asked = scene.model.server.requests.findLast(({ text }) => text.includes(words))?.text ?? '';
      expect(asked, name).toContain(`content ${at} of it`);
    }
    await fieldOf(page).pressSequentially('@"odd näme mit \\"quo');
    await expect.poll(() => labels(page)).toEqual([ODD_NAMES[0]]);
    await page.keyboard.press('Tab');
    expect(await fieldOf(page).inputValue()).toBe('@"odd näme mit \\"quote\\" 🦜.txt" ');
  });

  it('brings along what a message names that takes the place of another', async () => {
    scene.model.on('Sum up', [{ text: 'Summed up.' }]);
    const page = await scene.page();
    await say(page, 'Sum up @notes.txt now');
    await page.getByText('Summed up.').waitFor();
    await ended(page);
    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.getByRole('textbox', { name: 'Edit message' }).fill('Sum up @"src/my notes.md" now');
    await page.keyboard.press('Enter');
    await page.getByText('[src/my notes.md: 1 line]').waitFor();
    await page.getByText('Summed up.').waitFor();
    expect(await page.getByText('[notes.txt: 2 lines]').count()).toBe(0);
    const asked = scene.model.server.requests.at(-1)?.text;
    expect(asked).toContain('three');
    expect(asked).not.toContain('two');
  });

  it('offers commands and prompts after /, with what they do', async () => {
    scene.model.on('with care', [{ text: 'Read.' }]);
    const page = await scene.page();
    await fieldOf(page).pressSequentially('/');
    await optionsOf(page).first().waitFor();
    await expect.poll(() => labels(page)).toContain('/careful');
    expect(await labels(page)).toContain('/compact [what matters]');
    await fieldOf(page).pressSequentially('care');
    await expect.poll(() => labels(page)).toEqual(['/careful']);
    await page.keyboard.press('Enter');
    expect(await fieldOf(page).inputValue()).toBe('/careful ');
    await page.keyboard.type('notes.txt');
    await page.keyboard.press('Enter');
    await page.getByText('Read.', { exact: true }).waitFor();
    const asked = scene.model.server.requests.findLast(({ text }) => text.includes('with care'))?.text;
    expect(asked).toContain('Read @notes.txt with care.');
    expect(asked).toContain('two');
  });

  it('closes the list with Escape, without stopping what runs, and gives back what is no command', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    scene.model.on('run on', [{ text: ['Begun. ', 'Ended.'], gates: { 2: gate } }]);
    const page = await scene.page();
    await say(page, 'run on');
    await page.getByText('Begun.').waitFor();
    await fieldOf(page).pressSequentially('/comp');
    await optionsOf(page).first().waitFor();
    await page.keyboard.press('Escape');
    await optionsOf(page).first().waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(1);
    open();
    await page.getByText('Ended.').waitFor();
    await fieldOf(page).fill('/nothing of the sort');
    await page.keyboard.press('Enter');
    await page.getByText('There is no command /nothing').waitFor();
    expect(await fieldOf(page).inputValue()).toBe('/nothing of the sort');
  });

  it('completes what a command takes', async () => {
    const page = await scene.page();
    await fieldOf(page).pressSequentially('/mode pl');
    await expect.poll(() => labels(page)).toEqual(['plan']);
    await page.keyboard.press('Enter');
    expect(await fieldOf(page).inputValue()).toBe('/mode plan ');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Mode plan/ }).waitFor();
  });

  it('keeps what is written while a message is refused', async () => {
    const page = await scene.page();
    await page.route('**/api/input', async (route) => {
      await fieldOf(page).fill('written meanwhile');
      await route.fulfill({ status: 500, json: { error: { code: 'x', message: 'The disk is full.' } } });
    });
    await fieldOf(page).fill('read @notes.txt please');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByText('The disk is full.').waitFor();
    await expect.poll(() => fieldOf(page).inputValue()).toBe('read @notes.txt please\n\nwritten meanwhile');
  });
});

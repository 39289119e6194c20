/** What a session changed in files, looked through in one place. */
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { ended, findings, inBrowser, openSide, openWebScene, say, type WebScene } from './support/web-scene.ts';

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index}`);
const TEXT = `${LINES.join('\n')}\n`;

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene(
    {
      'both.txt': TEXT,
      'parts.txt': TEXT,
      'whole.txt': TEXT,
      'mine.txt': TEXT,
      'mixed.txt': TEXT,
      'over.txt': TEXT,
      'a.txt': TEXT,
      'b.txt': TEXT,
    },
    ['--mode', 'edit'],
  );
});
afterAll(() => scene?.close());

const it = inBrowser;
const file = (name: string): string => fs.readFileSync(path.join(scene.folder, name), 'utf8');
const edit = (name: string, line: number, text: string) => ({
  name: 'edit_file',
  arguments: { path: name, old_text: `line ${line}\n`, new_text: `${text}\n` },
});
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Changes of this session' });

const changed = async (words: string, calls: readonly { name: string; arguments: object }[]): Promise<Page> => {
  scene.model.on(words, [{ calls: calls as never }, { text: 'Changed.' }]);
  const page = await scene.page();
  await say(page, words);
  await page.getByText('Changed.').waitFor();
  await ended(page);
  return page;
};

/** How often the page has looked at what is changed, to the end. */
const looksOf = (page: Page): (() => number) => {
  let count = 0;
  page.on('requestfinished', (request) => {
    if (request.method() === 'GET' && request.url().endsWith('/changes')) count += 1;
  });
  return () => count;
};

const openReview = async (page: Page): Promise<void> => {
  await openSide(page);
  await page.getByRole('button', { name: 'Review changes' }).click();
};

/** One press asks whether it is meant. */
const takeBack = async (where: Locator, name: string): Promise<void> => {
  await where.getByRole('button', { name }).click();
  const [, place = ''] = /^Undo( the place at .*)/.exec(name) ?? [];
  await where.getByRole('button', { name: place === '' ? 'Really undo it' : `Really undo${place}` }).click();
};

/** A clock can only be stopped at a time that is to come. */
const AHEAD_MS = 60_000;

/** The same button twice, as quickly as a hand does it. */
const TWICE: Readonly<Record<string, (button: Locator) => Promise<void>>> = {
  'a double click': (button) => button.dblclick(),
  async 'two taps'(button) {
    const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
    const { touchscreen } = button.page();
    await touchscreen.tap(x + width / 2, y + height / 2);
    await touchscreen.tap(x + width / 2, y + height / 2);
  },
  async 'the Enter key twice'(button) {
    await button.focus();
    await button.page().keyboard.press('Enter');
    await button.page().keyboard.press('Enter');
  },
};

describe('a press that comes with the first one', () => {
  for (const [index, [how, twice]] of Object.entries(TWICE).entries())
    it(`takes back no change: ${how}`, async () => {
      const [name, words] = [`quick-${index}.txt`, `a quick hand ${index}`];
      fs.writeFileSync(path.join(scene.folder, name), 'before\n');
      scene.model.on(words, [
        { calls: [{ name: 'read_file', arguments: { path: name } }] },
        { calls: [{ name: 'write_file', arguments: { path: name, content: 'after\n' } }] as never },
        { text: 'Changed.' },
      ]);
      const page = await scene.page({ hasTouch: true });
      await page.clock.install();
      await say(page, words);
      await page.getByText('Changed.').waitFor();
      await ended(page);
      await openReview(page);
      const dialog = dialogOf(page);
      await dialog.getByRole('button', { name: 'Undo file', disabled: false }).waitFor();
      // However slow the machine is that presses: no time passes for the page in between.
      await page.clock.pauseAt(Date.now() + AHEAD_MS);
      await twice(dialog.getByRole('button', { name: 'Undo file' }));
      await page.clock.resume();
      await dialog.getByRole('button', { name: 'Really undo it' }).waitFor();
      expect(file(name)).toBe('after\n');
      // Who means it presses once more.
      await dialog.getByRole('button', { name: 'Really undo it' }).click();
      await expect.poll(() => file(name)).toBe('before\n');
    });
});

describe('the review of changes', () => {
  it('takes back one place, keeps another, and leaves the rest to be taken back', async () => {
    const page = await changed('three places', [
      edit('parts.txt', 2, 'line two'),
      edit('parts.txt', 20, 'line twenty'),
      edit('parts.txt', 37, 'line thirty'),
    ]);
    await openReview(page);
    const dialog = dialogOf(page);
    await dialog.getByText('1 file').waitFor();
    expect(await findings(page)).toEqual([]);
    // The words that changed are marked, the numbers stand beside the lines.
    expect(await dialog.locator('[data-sign="+"] .diff-word').allTextContents()).toEqual(['two', 'twenty', 'thirty']);
    expect(await dialog.locator('[data-sign="-"]').first().getAttribute('data-numbers')).toMatch(/^\s*3\s/);
    // A finger beside another button takes nothing back, and whoever goes elsewhere meanwhile is asked anew.
    for (const name of ['Undo the place at line 18', 'Undo file']) {
      await dialog.getByRole('button', { name }).click();
      await dialog.getByRole('button', { name: /^Really undo/ }).waitFor();
      await dialog.getByRole('button', { name: 'Keep file' }).focus();
      await dialog.getByRole('button', { name }).waitFor();
    }
    expect(file('parts.txt')).toContain('line twenty\n');
    await takeBack(dialog, 'Undo the place at line 18');
    await dialog.getByRole('button', { name: 'Undo the place at line 18' }).waitFor({ state: 'detached' });
    expect(file('parts.txt')).toContain('line 20\n');
    expect(file('parts.txt')).toContain('line two\n');
    await dialog.getByRole('button', { name: 'Keep the place at line 1' }).click();
    await takeBack(dialog, 'Undo the rest');
    await dialog.getByText('Nothing is left to look through.').waitFor();
    expect(file('parts.txt')).toBe(TEXT.replace('line 2\n', 'line two\n'));
  });

  it('takes back a file whole, also one that is new, and is the same after a reload', async () => {
    const page = await changed('whole files', [
      edit('whole.txt', 5, 'five'),
      { name: 'write_file', arguments: { path: 'made/new.txt', content: 'new\n' } },
    ]);
    await page.reload();
    await page.getByText('Changed.').waitFor();
    await openSide(page);
    await page.getByRole('button', { name: 'whole.txt changed' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('2 files').waitFor();
    await takeBack(dialog.locator('[data-file="whole.txt"]'), 'Undo file');
    await dialog.getByText('1 file', { exact: false }).waitFor();
    expect(file('whole.txt')).toBe(TEXT);
    await takeBack(dialog, 'Undo file');
    await dialog.getByText('Nothing is left to look through.').waitFor();
    expect(fs.existsSync(path.join(scene.folder, 'made'))).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('takes back all files at once, after one question, but the places that are kept', async () => {
    const page = await changed('of all', [
      edit('a.txt', 2, 'line two'),
      edit('a.txt', 20, 'line twenty'),
      edit('b.txt', 5, 'five'),
      { name: 'write_file', arguments: { path: 'c.txt', content: 'new\n' } },
    ]);
    await openReview(page);
    const dialog = dialogOf(page);
    await dialog.locator('[data-file="a.txt"]').getByRole('button', { name: 'Keep the place at line 18' }).click();
    await dialog.getByRole('button', { name: 'Undo the rest' }).waitFor();
    await dialog.getByRole('button', { name: 'Undo all' }).click();
    const sure = dialog.getByRole('button', { name: 'Really undo all files' });
    await expect.poll(() => sure.getAttribute('aria-disabled')).toBe(null);
    await sure.click();
    await dialog.getByText('Nothing is left to look through.').waitFor();
    expect(file('a.txt')).toBe(TEXT.replace('line 20\n', 'line twenty\n'));
    expect(file('b.txt')).toBe(TEXT);
    expect(fs.existsSync(path.join(scene.folder, 'c.txt'))).toBe(false);
  });

  it('has what another branch changed, says so, and takes it back', async () => {
    const page = await changed('write it', [{ name: 'write_file', arguments: { path: 'left.txt', content: 'new\n' } }]);
    scene.model.on('say hello', [{ text: 'Hello.' }]);
    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.getByRole('textbox', { name: 'Edit message' }).fill('say hello');
    await page.keyboard.press('Enter');
    await page.getByText('Hello.').waitFor();
    await openSide(page);
    await page.getByRole('button', { name: 'left.txt new on another branch' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('Changed on another branch, in the answer to “write it”.').waitFor();
    expect(await findings(page)).toEqual([]);
    await takeBack(dialog, 'Undo file');
    await dialog.getByText('Nothing is left to look through.').waitFor();
    expect(fs.existsSync(path.join(scene.folder, 'left.txt'))).toBe(false);
  });

  it('settles nothing by itself where somebody else wrote meanwhile, says so, and knows what was kept', async () => {
    const page = await changed('meanwhile', [
      edit('mixed.txt', 2, 'line two'),
      edit('mixed.txt', 20, 'line twenty'),
      edit('mixed.txt', 37, 'line thirty'),
    ]);
    const looks = looksOf(page);
    await openReview(page);
    const dialog = dialogOf(page);
    await takeBack(dialog, 'Undo the place at line 18');
    await dialog.getByRole('button', { name: 'Undo the place at line 18' }).waitFor({ state: 'detached' });
    // When it opened, when its answer came, and when the session told of it: a look that is still to come would see what
    // somebody else writes now, and offer nothing at that place.
    await expect.poll(looks).toBe(3);
    await dialog.getByRole('button', { name: 'Keep the place at line 1' }).click();
    const mine = file('mixed.txt').replace('line thirty', 'mine');
    fs.writeFileSync(path.join(scene.folder, 'mixed.txt'), mine);
    await takeBack(dialog, 'Undo the place at line 35');
    await dialog.getByText('nothing of it was put back').waitFor();
    await dialog.getByText('somebody else wrote here since').waitFor();
    expect(await dialog.getByText('Nothing is left to look through.').count()).toBe(0);
    expect(file('mixed.txt')).toBe(mine);
    // After a change elsewhere and a reload the place that was kept is so still.
    fs.writeFileSync(path.join(scene.folder, 'mixed.txt'), mine.replace('line 28\n', 'mine too\n'));
    await page.reload();
    await page.getByText('Changed.').waitFor();
    await openReview(page);
    await dialog.getByText('Kept at line 1').waitFor();
    await dialog.getByRole('button', { name: 'Leave it as it is' }).click();
    await dialog.getByText('Nothing is left to look through.').waitFor();
  });

  it('takes back its own places where somebody else changed the file elsewhere', async () => {
    const page = await changed('of both', [edit('both.txt', 5, 'five'), edit('both.txt', 30, 'thirty')]);
    fs.writeFileSync(path.join(scene.folder, 'both.txt'), file('both.txt').replace('line 18\n', 'mine\n'));
    await openReview(page);
    const dialog = dialogOf(page);
    await dialog.getByText('can go back one by one').waitFor();
    await dialog.getByText('somebody else wrote here since').waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await dialog.getByRole('button', { name: /^Undo the place/ }).count()).toBe(2);
    await takeBack(dialog, 'Undo the place at line 3');
    await dialog.getByRole('button', { name: 'Undo the place at line 3' }).waitFor({ state: 'detached' });
    await takeBack(dialog, 'Undo the place at line 28');
    await dialog.getByText('Nothing is left to look through.').waitFor();
    expect(file('both.txt')).toBe(TEXT.replace('line 18\n', 'mine\n'));
  });

  for (const { words, call, name, asks, sure, left } of [
    {
      words: 'over an edit',
      call: edit('over.txt', 5, 'five'),
      name: 'over.txt',
      asks: 'Put the old content in its place',
      sure: 'Really put it there: what others wrote is lost',
      left: TEXT,
    },
    {
      words: 'over a new file',
      call: { name: 'write_file', arguments: { path: 'made.txt', content: 'made\n' } },
      name: 'made.txt',
      asks: 'Remove the file',
      sure: 'Really remove it, with what others wrote',
      left: undefined,
    },
  ])
    it(`takes what the person wrote since only when it was said and asked twice: ${words}`, async () => {
      const page = await changed(words, [call]);
      const mine = `${file(name)}mine\n`;
      fs.writeFileSync(path.join(scene.folder, name), mine);
      await openReview(page);
      const dialog = dialogOf(page);
      const shown = dialog.locator(`[data-file="${name}"]`);
      await shown.getByRole('button', { name: asks }).click();
      await shown.getByRole('button', { name: sure }).waitFor();
      expect(file(name)).toBe(mine);
      expect(await findings(page)).toEqual([]);
      // Whoever goes elsewhere meanwhile is asked anew.
      await shown.getByRole('button', { name: 'Leave it as it is' }).focus();
      await shown.getByRole('button', { name: asks }).click();
      await shown.getByRole('button', { name: sure }).click();
      await dialog.getByText('Nothing is left to look through.').waitFor();
      const stands = fs.existsSync(path.join(scene.folder, name));
      expect(stands ? file(name) : undefined).toBe(left);
    });

  it('writes nothing over what the person wrote since', async () => {
    const page = await changed('since', [edit('mine.txt', 5, 'five')]);
    await openReview(page);
    const dialog = dialogOf(page);
    await dialog.getByRole('button', { name: 'Undo file' }).waitFor();
    fs.writeFileSync(path.join(scene.folder, 'mine.txt'), 'mine\n');
    await takeBack(dialog, 'Undo file');
    await dialog.getByRole('alert').getByText('changed while you looked at it').waitFor();
    expect(file('mine.txt')).toBe('mine\n');
    await dialog.getByRole('button', { name: 'Write the old content beside it' }).click();
    await dialog.getByText('Nothing is left to look through.').waitFor();
    expect(file('mine.txt')).toBe('mine\n');
    const beside = fs.readdirSync(scene.folder).find((name) => name.startsWith('mine.txt.')) as string;
    expect(file(beside)).toBe(TEXT);
    await page.keyboard.press('Escape');
    await page.getByText(`mine.txt is left; what it was before stands in ${beside}.`).waitFor();
    await page.getByRole('button', { name: 'mine.txt changed' }).waitFor();
  });
});

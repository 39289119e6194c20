/** Settings in the page: of a session, its tools, and the rules of the folder. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
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
const open = async (page: Page, tab: 'Session' | 'Defaults' | 'Tools' | 'Rules') => {
  const button = page.getByRole('button', { name: 'Settings' });
  if (!(await button.isVisible())) await page.getByRole('button', { name: 'Show sessions' }).click();
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.getByRole('tab', { name: tab }).click();
  return dialog;
};
const requestOf = (text: string) =>
  scene.model.server.requests.findLast(({ text: body }) => body.includes(text))?.body ?? {};
const systemOf = (text: string): string =>
  String((requestOf(text)['messages'] as { content: string }[] | undefined)?.[0]?.content);
const toolsOf = (text: string): string[] =>
  ((requestOf(text)['tools'] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);

describe('the settings', () => {
  for (const width of [320, 360, 390, 768])
    it(`have every tab whole in sight at ${width}`, async () => {
      const page = await scene.page({ viewport: { width, height: 700 } });
      const dialog = await open(page, 'Session');
      const list = dialog.getByRole('tablist');
      const cut = await list.evaluate((element) => {
        const { left, right } = element.getBoundingClientRect();
        return [...element.children].flatMap((tab) => {
          const box = tab.getBoundingClientRect();
          return box.left < left || box.right > right ? [tab.textContent] : [];
        });
      });
      expect(cut).toEqual([]);
    });

  it('of the next session hold in it, can be changed in it, and are seen again', async () => {
    scene.model.on('first words', [{ text: 'One.' }]);
    scene.model.on('second words', [{ text: 'Two.' }]);
    const page = await scene.page();
    const dialog = await open(page, 'Session');
    await dialog.getByRole('textbox', { name: /^Instructions/ }).fill('Speak like a sailor.');
    await dialog.getByRole('spinbutton', { name: 'Temperature' }).fill('0.4');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Saved.').waitFor();
    await dialog.getByRole('tab', { name: 'Tools' }).click();
    await dialog.getByRole('checkbox', { name: /^bash/ }).uncheck();
    await page.keyboard.press('Escape');
    await say(page, 'first words');
    await page.getByText('One.').waitFor();
    expect(systemOf('first words')).toContain('Speak like a sailor.');
    expect(requestOf('first words')['temperature']).toBe(0.4);
    expect(toolsOf('first words')).not.toContain('bash');
    const again = await open(page, 'Session');
    await again.getByText('These hold for this session.').waitFor();
    await expect
      .poll(() => again.getByRole('textbox', { name: /^Instructions/ }).inputValue())
      .toBe('Speak like a sailor.');
    await again.getByRole('textbox', { name: /^Instructions/ }).fill('');
    await again.getByRole('button', { name: 'Save' }).click();
    await again.getByText('Saved.').waitFor();
    await page.keyboard.press('Escape');
    await say(page, 'second words');
    await page.getByText('Two.').waitFor();
    expect(systemOf('second words')).not.toContain('sailor');
    expect(requestOf('second words')['temperature']).toBe(0.4);
    expect(toolsOf('second words')).not.toContain('bash');
  });

  it('say of a tool that cannot be used why, and not that it asks', async () => {
    const page = await scene.page();
    const dialog = await open(page, 'Tools');
    const row = dialog.getByRole('listitem').filter({ hasText: 'web_search' });
    await row.getByText('cannot be used').waitFor();
    await row.getByText('No search service is set up.').waitFor();
    expect(await row.innerText()).not.toContain('asks');
    expect(await findings(page)).toEqual([]);
  });

  it('of the next session hold for that one alone, also where the page was loaded again before it', async () => {
    scene.model.on('by a sailor', [{ text: 'Ahoy.' }]);
    scene.model.on('by anybody', [{ text: 'Hello.' }]);
    const page = await scene.page({});
    const dialog = await open(page, 'Session');
    await dialog.getByRole('textbox', { name: /^Instructions/ }).fill('Speak like a sailor.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Saved.').waitFor();
    await page.reload();
    await say(page, 'by a sailor');
    await page.getByText('Ahoy.').waitFor();
    expect(systemOf('by a sailor')).toContain('Speak like a sailor.');
    await page.getByRole('button', { name: 'New session' }).click();
    const next = await open(page, 'Session');
    await next.getByText('These hold for the next session').waitFor();
    await expect.poll(() => next.getByRole('textbox', { name: /^Instructions/ }).inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await say(page, 'by anybody');
    await page.getByText('Hello.').waitFor();
    expect(systemOf('by anybody')).not.toContain('sailor');
  });

  it('of every new session hold on other devices too, and are shown before it begins', async () => {
    scene.model.on('with defaults', [{ text: 'So be it.' }]);
    const page = await scene.page();
    const dialog = await open(page, 'Defaults');
    await dialog.getByRole('textbox', { name: /^Instructions/ }).fill('End each answer with Amen.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Saved.').waitFor();
    await dialog.getByRole('combobox', { name: 'How often you are asked' }).selectOption('edit');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Mode edit/ }).waitFor();
    const other = await scene.page({});
    await other.getByRole('button', { name: /^Mode edit/ }).waitFor();
    await say(other, 'with defaults');
    await other.getByText('So be it.').waitFor();
    expect(systemOf('with defaults')).toMatch(/End each answer with Amen\.$/);
    await other.getByRole('button', { name: /^Mode edit/ }).waitFor();
    const again = await open(page, 'Defaults');
    await again.getByRole('combobox', { name: 'How often you are asked' }).selectOption('');
    await again.getByRole('button', { name: 'Empty all' }).click();
    await again.getByText('Saved.').waitFor();
  });

  it('list the rules with where each comes from, and change them from here on', async () => {
    scene.model.on('write by rule', [
      { calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'two\n' } }] },
      { text: 'Written.' },
    ]);
    const page = await scene.page();
    const dialog = await open(page, 'Rules');
    await dialog.getByText('There are no rules yet.').waitFor();
    await dialog.getByRole('textbox', { name: 'New rule' }).fill('bash');
    await page.keyboard.press('Enter');
    await dialog.getByText(/Say which commands/).waitFor();
    await dialog.getByRole('textbox', { name: 'New rule' }).fill('write_file(other.txt)');
    await page.keyboard.press('Enter');
    const row = dialog.locator('[data-rule="write_file(other.txt)"]');
    await row.getByText(/^remembered/).waitFor();
    await row.getByRole('button', { name: 'Edit write_file(other.txt)' }).click();
    await dialog.getByRole('textbox', { name: 'Text of write_file(other.txt)' }).fill('write_file(notes.txt)');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('[data-rule="write_file(notes.txt)"]').waitFor();
    await page.keyboard.press('Escape');
    await say(page, 'write by rule');
    await page.getByText('Written.').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    const later = await open(page, 'Rules');
    await later.getByRole('button', { name: 'Remove write_file(notes.txt)' }).click();
    await later.getByText('There are no rules yet.').waitFor();
  });

  it('have no serious finding of axe, go by the keyboard, and fit a phone', async () => {
    scene.model.on('something to count', [
      { text: 'Counted.', usage: { prompt_tokens: 2_000, completion_tokens: 30 } },
    ]);
    const page = await scene.page({ viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true });
    await say(page, 'something to count');
    await page.locator('footer').waitFor();
    const dialog = await open(page, 'Session');
    const tabs = ['Session', 'Defaults', 'Tools', 'Rules', 'Keys', 'Statistics', 'Browser'] as const;
    for (const [index, tab] of tabs.entries()) {
      await dialog.getByRole('tab', { name: tab, selected: true }).waitFor();
      if (tab === 'Statistics') {
        await dialog.getByRole('region', { name: 'By day' }).waitFor();
        // What is there is in sight: nothing has to be moved sideways for it.
        const wide = await dialog
          .locator('section')
          .evaluateAll((all) =>
            all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.ariaLabel),
          );
        expect(wide).toEqual([]);
      }
      if (tab === 'Tools') await dialog.getByRole('checkbox', { name: /^bash/ }).waitFor();
      for (const colorScheme of themesFor(index)) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await findings(page)).toEqual([]);
      }
      const small = await dialog
        .locator(
          'button, input:not([type="checkbox"], [type="radio"]), select, label:has([type="checkbox"], [type="radio"])',
        )
        .evaluateAll((all) => all.map((each) => [each.textContent, each.getBoundingClientRect().height] as const));
      expect(small.filter(([, height]) => height < 40)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await dialog.getByRole('tab', { name: tab }).focus();
      await page.keyboard.press('ArrowRight');
    }
  });

  it('shows what models did, and takes a key that it never shows again', async () => {
    scene.model.on('count me', [
      { text: 'Counted.', usage: { prompt_tokens: 2_000, cached_tokens: 1_500, completion_tokens: 30 } },
    ]);
    const page = await scene.page();
    await say(page, 'count me');
    await page.getByText('Counted.').waitFor();
    await page.locator('footer').waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.getByRole('tab', { name: 'Statistics' }).click();
    const models = dialog.getByRole('region', { name: 'By model' });
    await models.getByRole('rowheader', { name: 'test-model' }).waitFor();
    await expect.poll(() => models.innerText()).toMatch(/\d+ %/);
    await dialog.getByRole('region', { name: 'By day' }).waitFor();
    expect(await findings(page)).toEqual([]);

    await dialog.getByRole('tab', { name: 'Keys' }).click();
    await dialog.getByText('No key is kept.').waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel('Key', { exact: true }).fill('sk-nobody-sees-this');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.getByText(`A key for ${scene.model.server.openaiUrl} is kept`).waitFor();
    expect(await page.content()).not.toContain('sk-nobody-sees-this');
    await expect.poll(() => dialog.getByLabel('Another key in its place').inputValue()).toBe('');
    expect(readFileSync(path.join(scene.home, '.config/halter/model-key'), 'utf8')).toBe('sk-nobody-sees-this\n');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('No key is kept.').waitFor();
  });
});

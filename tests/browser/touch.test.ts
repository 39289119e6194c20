/** The whole page with a finger, and every list that opens: large enough, and wholly in sight. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { keepSession } from './support/keep-session.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

const ANSWER = [
  'Words with [a link](https://example.test/page), a note[^1] and [source:read_file].',
  '[^1]: What the note says.',
  '- [ ] to do\n- [x] done',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '```js\nconst a = 1;\n```',
  '```html\n<p>Hi</p>\n```',
  'The end.',
].join('\n\n');
const SESSIONS = 30;

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' }, ['--allow', 'read_file']);
  scene.model.on('read and tell', [
    { calls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }] },
    { text: ANSWER, usage: { prompt_tokens: 3_412, completion_tokens: 214 } },
  ]);
  scene.model.on('write it', [
    { calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'two\n' } }] },
    { text: 'Done.' },
  ]);
  for (let index = 0; index < SESSIONS; index += 1)
    await keepSession(scene.sessions, `kept-${index}`, 2, 'Yes.', scene.folder);
});
afterAll(() => scene?.close());

const it = inBrowser;

/**
 * What a finger can press and is smaller than it. Links within a text are as wide as their words; what lies behind an open
 * dialog, or has a label around it that is large enough, is not measured.
 */
const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const LEAST = 39.5;
    const modal = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document;
    const kinds = 'button, a[href], summary, select, textarea, input:not([type=hidden]), [role=tab], [role=option], [role^=menuitem]';
    return [...modal.querySelectorAll(kinds)].flatMap((each) => {
      const target = each.matches('input') ? (each.closest('label') ?? each) : each;
      const { width, height } = target.getBoundingClientRect();
      if (width === 0 || height === 0 || each.closest('.sr-only') || each.matches(':disabled')) return [];
      if (getComputedStyle(each).visibility === 'hidden') return [];
      const isLarge = height >= LEAST && (width >= LEAST || each.matches('.prose a'));
      return isLarge ? [] : [each.outerHTML.slice(0, 160) + ' ' + [width, height].map(Math.round).join('×')];
    });
  })()`) as Promise<string[]>;

const phone = (): Promise<Page> =>
  scene.page({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

/** Opens what stands at the left where it is not there. */
const openSessions = async (page: Page): Promise<Locator> => {
  const list = page.getByRole('navigation', { name: 'Sessions' });
  const opener = page.getByRole('button', { name: 'Show sessions' });
  await list.or(opener).first().waitFor();
  if (!(await list.isVisible())) await opener.click();
  await list.waitFor();
  return list;
};

const closeDialog = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
};

describe('a finger', () => {
  it('finds everything of every state of the page large enough', async () => {
    const found: Record<string, string[]> = {};
    const page = await phone();
    const look = async (state: string): Promise<void> => {
      const small = await tooSmall(page);
      if (small.length > 0) found[state] = small;
    };
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await look('empty');
    scene.model.on('go on elsewhere', [{ text: ['Slowly ', 'on.'], gates: { 1: new Promise<void>(() => {}) } }]);
    const elsewhere = await phone();
    await say(elsewhere, 'go on elsewhere');
    const running = page.getByRole('region', { name: 'Running now' });
    await running.waitFor();
    await look('runs elsewhere');
    await running.getByRole('button', { name: /^Stop/ }).click();
    await running.waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Message' }).fill('/');
    await page.getByRole('option').first().waitFor();
    await look('completion');
    await say(page, 'read and tell');
    await page.getByText('The end.').waitFor();
    await page.locator('footer').waitFor();
    await page.locator('[data-call] button').first().click();
    await look('conversation');
    await page.getByRole('button', { name: /^Mode / }).click();
    await look('modes');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Answer with another model' }).click();
    await look('other models');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit message' }).click();
    await look('editing');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await say(page, 'write it');
    await page.getByRole('alertdialog').waitFor();
    await look('question');
    await page.getByRole('alertdialog').getByRole('button', { name: 'More' }).click();
    await look('whole question');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Change' }).click();
    await look('rule');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Done.').waitFor();
    await page.getByRole('button', { name: 'Show tasks and files' }).click();
    await look('side');
    await page.getByRole('button', { name: /^Review changes/ }).click();
    await page.getByRole('dialog').waitFor();
    await look('review');
    await closeDialog(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Model / }).click();
    await page.getByRole('dialog', { name: 'Models' }).waitFor();
    await look('models');
    await closeDialog(page);
    for (const [button, tabs] of [
      ['Settings', true],
      ['MCP servers', false],
      ['Open on another device', false],
    ] as const) {
      await (await openSessions(page)).getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: button });
      await dialog.waitFor();
      await look(button);
      for (const tab of tabs ? await dialog.getByRole('tab').all() : []) {
        await tab.click();
        await look(`${button}: ${await tab.textContent()}`);
      }
      await closeDialog(page);
    }
    const list = await openSessions(page);
    await look('sessions');
    await list.getByRole('button', { name: 'Search sessions' }).click();
    await look('search');
    await page.keyboard.press('Escape');
    const more = (await openSessions(page)).getByRole('button', { name: /^More about/ }).first();
    await more.click();
    await look('session menu');
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await look('rename');
    await page.keyboard.press('Escape');
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await look('delete');
    await page.getByRole('button', { name: 'Keep' }).click();
    await more.click();
    await page.getByRole('menuitem', { name: 'Select several' }).click();
    await look('several');
    expect(found).toEqual({});
  });
});

/** Where it is, and what is seen at its corners and in its middle: itself, or what covers or cuts it. */
const outOfSight = (floating: Locator): Promise<string | undefined> =>
  floating.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const at = [left, top, right, bottom].map(Math.round).join(' ');
    const { innerWidth, innerHeight } = window;
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return `outside of the window: ${at}`;
    const INSET = 5;
    for (const x of [left + INSET, (left + right) / 2, right - INSET])
      for (const y of [top + INSET, (top + bottom) / 2, bottom - INSET]) {
        const seen = document.elementFromPoint(x, y);
        if (!element.contains(seen))
          return `covered or cut at ${Math.round(x)} ${Math.round(y)} of ${at}, where ${seen?.className} is`;
      }
    return undefined;
  });

/** Entries that are scrolled to although the window has room for them. */
const needlesslyCut = (list: Locator): Promise<string | undefined> =>
  list.evaluate(({ scrollHeight, clientHeight }) => {
    const ROUND_IT_PIXELS = 60;
    const isCut = scrollHeight > clientHeight && clientHeight < window.innerHeight - ROUND_IT_PIXELS;
    return isCut ? `${clientHeight} of ${scrollHeight} pixels are shown` : undefined;
  });

describe('what opens over the page', () => {
  for (const [width, height] of [
    [360, 640],
    [740, 340],
    [1280, 720],
  ] as const) {
    it(`is wholly in sight in ${width} × ${height} pixels`, async () => {
      const isPhone = width < 1_000;
      const page = await scene.page({ viewport: { width, height }, hasTouch: isPhone, isMobile: isPhone });
      const found: [string, string | undefined][] = [];
      const menu = async (name: string, button: Locator): Promise<void> => {
        await button.click();
        const list = page.getByRole('menu');
        await list.waitFor();
        // Its opening is over.
        await list.evaluate((each) =>
          Promise.all(each.parentElement?.getAnimations().map((one) => one.finished) ?? []),
        );
        found.push([name, (await outOfSight(list)) ?? (await needlesslyCut(list))]);
        await page.keyboard.press('Escape');
        await list.waitFor({ state: 'detached' });
      };
      await page.getByRole('heading', { name: /is ready/ }).waitFor();
      const list = await openSessions(page);
      await menu('folder', list.getByRole('button', { name: /: more$/ }));
      await menu('first session', list.getByRole('button', { name: /^More about/ }).first());
      await list.locator('.windowed').evaluate((each) => each.scrollTo(0, each.scrollHeight));
      await list.getByRole('button', { name: 'More about' }).last().waitFor();
      await menu('last session', list.getByRole('button', { name: /^More about/ }).last());
      if (isPhone) await list.getByRole('button', { name: 'Hide sessions' }).click();
      await menu('modes', page.getByRole('button', { name: /^Mode / }));
      await say(page, 'read and tell');
      await page.locator('footer').waitFor();
      await menu('other models', page.getByRole('button', { name: 'Answer with another model' }));
      await page.getByRole('textbox', { name: 'Message' }).fill('/');
      await page.getByRole('option').first().waitFor();
      found.push(['completion', await outOfSight(page.getByRole('listbox'))]);
      await page.keyboard.press('Escape');
      const own = await openSessions(page);
      await menu('session that is shown', own.getByRole('button', { name: 'More about read and tell' }).first());
      expect(found.filter(([, problem]) => problem !== undefined)).toEqual([]);
      expect(await findings(page)).toEqual([]);
    });
  }
});

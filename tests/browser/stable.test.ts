/** Nothing jumps: what is in sight keeps its place while a conversation goes on, at every width. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { onlyLong } from '../support/long.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;

/**
 * Watches from now on. What moves soon after a key or a click counts too: nobody asked for it to move. Words that end at
 * the right have not moved when there are more of them.
 */
const watch = (page: Page): Promise<void> =>
  page.evaluate(`(() => {
    const moved = [];
    const keep = (entries) => {
      for (const { sources } of entries)
        for (const { node, previousRect: from, currentRect: to } of sources) {
          if (Math.abs(from.right - to.right) < 1 && from.top === to.top && from.height === to.height) continue;
          const element = node?.nodeType === 1 ? node : node?.parentElement;
          const at = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
          moved.push((element?.outerHTML.slice(0, 100) ?? 'what is gone') + ' from ' + at(from) + ' to ' + at(to));
        }
    };
    const observer = new PerformanceObserver((list) => keep(list.getEntries()));
    observer.observe({ type: 'layout-shift' });
    window.takeMoved = () => (keep(observer.takeRecords()), moved.splice(0));
  })()`);

/** What moved since it was asked for the last time, after what is there was drawn. */
const moved = (page: Page): Promise<string[]> =>
  page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(takeMoved())))))',
  ) as Promise<string[]>;

/** How high the lines of calls are with so much said at their end: how long a call takes is luck. */
const lineHeights = (page: Page, facts: string): Promise<number[]> =>
  page.locator('.call-line').evaluateAll(
    (lines, text) =>
      lines.map((line) => {
        const end = line.lastElementChild as HTMLElement;
        const before = end.textContent;
        end.textContent = text;
        const { height } = line.getBoundingClientRect();
        end.textContent = before;
        return height;
      }),
    facts,
  );

describe('a page on which a conversation goes on', () => {
  for (const width of [360, 1280, ...onlyLong([768, 1680])]) {
    it(`moves nothing at ${width} pixels`, async () => {
      const question = `stable at ${width}`;
      const { promise: planned, resolve: plan } = Promise.withResolvers<void>();
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      scene.model.on(question, [
        {
          text: ['First a plan.\n\n', 'Then the work.'],
          calls: [{ name: 'add_task', arguments: { content: 'Read the notes' } }],
          gates: { 3: planned },
        },
        { calls: [{ name: 'write_file', arguments: { path: `notes-${width}.txt`, content: 'two\n' } }] },
        {
          text: ['# A title\n\n', 'Some words, and ', 'more of them.\n\n- one\n- two\n', '\nThe end.'],
          gates: { 3: ended },
        },
      ]);
      const page = await scene.page({ viewport: { width, height: 800 } });
      await page.getByRole('heading', { name: /is ready/ }).waitFor();
      await page.getByText(/^What is in/).waitFor();
      await watch(page);
      const all: Record<string, string[]> = {};
      await page.getByRole('button', { name: /^Model / }).click();
      await page.getByRole('dialog', { name: 'Models' }).locator('[data-model]').first().waitFor();
      all['the list of models opens'] = await moved(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Mode / }).click();
      await page.getByRole('menu').waitFor();
      all['the list of modes opens'] = await moved(page);
      await page.keyboard.press('Escape');
      await say(page, question);
      await page.getByText('First a plan.').waitFor();
      // Another page than before: what is new there has not moved.
      await moved(page);
      plan();
      await page.getByRole('alertdialog').waitFor();
      all['a task and a question come'] = await moved(page);
      await page.getByRole('button', { name: 'Allow once' }).click();
      await page.getByText('Some words').waitFor();
      all['an answer comes'] = await moved(page);
      end();
      await page.locator('footer').waitFor();
      all['it ends'] = await moved(page);
      expect(Object.entries(all).filter(([, each]) => each.length > 0)).toEqual([]);
      const short = await lineHeights(page, '');
      expect(short).toHaveLength(2);
      for (const facts of ['9 ms', '1,234 ms · 12.3 kB · 4 repairs · from cache'])
        expect(await lineHeights(page, facts)).toEqual(short);
    });
  }
});

/** Everything is scrolled into view, one after the other: what made the page itself scroll, which nothing puts back. */
const movedAround = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const around = [...document.querySelectorAll('html, body, #app, #app > *, main')];
    const log = document.querySelector('[data-scroller]');
    // Something that is too tall for the window, whatever it is.
    const tall = document.createElement('div');
    tall.style.cssText = 'flex: none; width: 1px; height: 3000px; margin-right: -1px; padding-top: 2900px';
    tall.append(document.createElement('p'));
    document.querySelector('main').parentElement.prepend(tall);
    return [...document.querySelectorAll('body *')].flatMap((each) =>
      [0, log.scrollHeight].flatMap((top) => {
        log.scrollTop = top;
        each.scrollIntoView({ block: 'start' });
        const moved = around.filter(({ scrollTop, scrollLeft }) => scrollTop !== 0 || scrollLeft !== 0);
        for (const one of moved) one.scrollTo(0, 0);
        return moved.length > 0 ? [each.outerHTML.slice(0, 80)] : [];
      }),
    );
  })()`) as Promise<string[]>;

describe('the page around a conversation', () => {
  it('stays where it is, whatever is scrolled into view', async () => {
    scene.model.on('many rows', [
      {
        text: Array.from({ length: 120 }, (_, at) => `Row ${at} of a long answer.\n`).join('\n'),
        calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'two\n' } }],
      },
      { text: 'Done.' },
    ]);
    for (const width of [360, 1280]) {
      const page = await scene.page({ viewport: { width, height: 700 } });
      await say(page, 'many rows');
      await page.getByRole('alertdialog').waitFor();
      expect(await movedAround(page)).toEqual([]);
      await page.close();
    }
  });
});

/** Lines of a narrow page: what they are about can be read, whatever else stands in them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' }, ['--allow', 'read_file', '--allow', 'bash(ls *)']);
});
afterAll(() => scene?.close());

const it = inBrowser;
const never = new Promise<void>(() => {});
const WIDTHS = [320, 360];
const LEAST_PIXELS = 80;

/** Words that end in "…" with hardly any of them in sight, texts that a button beside them makes narrow, and what leaves the window. */
const hardToRead = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main button, main li, main p, main span')].flatMap((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    if (width === 0 || each.closest('.sr-only')) return [];
    const isOut = left < -0.5 || right > window.innerWidth + 0.5;
    const isCut = getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth + 1;
    const isShort = isCut && each.clientWidth < ${LEAST_PIXELS};
    const around = each.closest('[role=status], [role=alert]');
    const isNarrow = around?.contains(each) && each.matches('li, p') && width < 0.7 * around.clientWidth;
    return isOut || isShort || isNarrow ? [each.textContent.slice(0, 60) + ' ' + [left, right].map(Math.round).join('–')] : [];
  })`) as Promise<string[]>;

const phone = async (width: number): Promise<Page> => {
  const page = await scene.page({ viewport: { width, height: 700 }, hasTouch: true, isMobile: true });
  await page.getByRole('heading', { name: /is ready/ }).waitFor();
  return page;
};

/** What brings the page into each state. */
const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  'failed calls': async (page) => {
    scene.model.on('failed calls', [
      {
        calls: [
          { name: 'read_file', arguments: { path: 'src/components/countdown/missing-file.ts' } },
          { name: 'read_file', arguments: { path: 'missing-file.ts' } },
          { name: 'bash', arguments: { command: 'ls --nonsense src/components/countdown' } },
        ],
      },
      { text: 'None of these is there.' },
    ]);
    await say(page, 'failed calls');
    await page.getByText('None of these is there.').waitFor();
  },
  'a call that waits': async (page) => {
    const path = 'src/components/countdown/a-new-file.ts';
    scene.model.on('a call that waits', [{ calls: [{ name: 'write_file', arguments: { path, content: 'one\n' } }] }]);
    await say(page, 'a call that waits');
    await page.getByRole('alertdialog').waitFor();
  },
  'messages that wait and are held': async (page) => {
    scene.model.on('messages that wait', [{ text: ['Begun. ', 'More.'], gates: { 2: never } }]);
    await say(page, 'messages that wait');
    await page.getByText('Begun.').waitFor();
    for (const words of ['the first of several messages', 'another']) {
      await say(page, words);
      await page.getByRole('listitem').filter({ hasText: words }).getByText('Waits').waitFor();
    }
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Held').first().waitFor();
  },
  'a message that may have been answered': async (page) => {
    scene.model.on('begin and leave', [{ text: ['Begun. ', 'More.'], gates: { 2: never } }]);
    await say(page, 'begin and leave');
    await page.getByText('Begun.').waitFor();
    await say(page, 'a message of a session that goes');
    await page.getByText('Waits').waitFor();
    const id = new URL(page.url()).hash.replace('#/s/', '');
    await page.goto('about:blank');
    await fetch(`${new URL(scene.url).origin}/api/sessions/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${new URL(scene.url).searchParams.get('token')}` },
    });
    await page.goto(scene.url);
    await page.getByText('May have been answered').waitFor();
  },
  'a warning': async (page) => {
    scene.model.on('a warning', [{ status: 500 }]);
    await say(page, 'a warning');
    await page.getByRole('list', { name: 'Warnings' }).waitFor();
  },
  'an answer that failed': async (page) => {
    scene.model.on('an answer that failed', [
      { status: 400, body: '{"error":{"message":"this model takes no messages of any kind at this hour of the day"}}' },
    ]);
    await say(page, 'an answer that failed');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  },
  'no such session': async (page) => {
    await page.goto(`${new URL(scene.url).origin}/#/s/nothing-of-this-name`);
    await page.getByText('There is no such session.').waitFor();
  },
};

describe('a line of a narrow page', () => {
  for (const width of WIDTHS)
    for (const [state, reach] of Object.entries(STATES))
      it(`says what it is about at ${width} pixels: ${state}`, async () => {
        verifies('L8');
        const page = await phone(width);
        await reach(page);
        expect(await hardToRead(page)).toEqual([]);
      });
});

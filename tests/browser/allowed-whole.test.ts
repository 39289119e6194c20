/** Nothing is allowed on the page that was not seen whole: every place, every button, every kind of call. */
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, themesFor, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
}, 120_000);
afterAll(() => scene?.close());

const it = inBrowser;

/** A call that leaves `file` in the folder, and what of it may not be missing once it was opened. */
type Kind = {
  about: string;
  /** No lasting yes is offered. */
  isAskedEachTime?: boolean;
  call: (file: string) => { name: string; arguments: Record<string, string> };
};
const bash = (command: string) => ({ name: 'bash', arguments: { command } });
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');
const KINDS: readonly Kind[] = [
  {
    about: 'a command with another in its middle',
    call: (file) => bash(`echo ${'x'.repeat(800)}; touch ${file}; echo ${'y'.repeat(300)}`),
  },
  {
    about: 'a command of many lines',
    isAskedEachTime: true,
    call: (file) =>
      bash([lines(40).replaceAll('line', 'echo'), `touch ${file}\n`, lines(20).replaceAll('line', 'echo')].join('')),
  },
  {
    about: 'a change of more lines than are shown at first',
    call: (file) => ({ name: 'write_file', arguments: { path: file, content: lines(300) } }),
  },
  {
    about: 'a change with a line longer than is shown at first',
    call: (file) => ({ name: 'write_file', arguments: { path: file, content: `${'z'.repeat(4_000)} the end\n` } }),
  },
];
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const PLACES = [
  { place: 'the question', options: DESK, isInbox: false },
  { place: 'the question on a phone', options: PHONE, isInbox: false },
  { place: 'the inbox', options: DESK, isInbox: true },
  { place: 'the inbox on a phone', options: PHONE, isInbox: true },
] as const;
const WAYS = ['Allow once', 'Session', 'Remember', 'All edits', 'key 1', 'key 2', 'key 3'] as const;
type Way = (typeof WAYS)[number];

const ROWS = PLACES.flatMap((place, at) =>
  KINDS.flatMap((kind, which) => {
    const all: readonly Way[] = place.isInbox ? ['Allow once'] : WAYS;
    // Each button in both sizes of the question; the kinds of calls take turns with them.
    const ways = all.filter((way, index) =>
      kind.isAskedEachTime
        ? /once|1$/.test(way)
        : index % KINDS.length === (which + at) % KINDS.length || place.isInbox,
    );
    return ways.map((way) => ({ ...place, kind, way }));
  }),
);

const press = async (page: Page, card: Locator, way: Way, timeout = 60_000): Promise<void> => {
  if (!way.startsWith('key')) return card.getByRole('button', { name: way }).click({ timeout });
  await card.focus({ timeout });
  await page.keyboard.press(way.slice(-1));
};
/** As `press`, but the page does not scroll to the button: in the inbox that brings the end of the text in sight too. */
const pressUnseen = async (page: Page, card: Locator, way: Way): Promise<void> => {
  if (way.startsWith('key')) return press(page, card, way);
  await card.getByRole('button', { name: way }).evaluate((button) => (button as HTMLButtonElement).click());
};
const READ_ON = /Read it to its end/;
const textOf = async (card: Locator): Promise<string> => (await card.textContent()) ?? '';

describe('a yes', () => {
  for (const [index, { place, options, isInbox, kind, way }] of ROWS.entries()) {
    it(`by ${way} in ${place} waits until ${kind.about} was read to its end`, async () => {
      verifies('H7', 'S1');
      const file = `made-${index}.txt`;
      const call = kind.call(file);
      scene.model.on(`do ${index}.`, [{ calls: [call] }, { text: `Over with ${index}.` }]);
      const asking = await scene.page(options);
      await say(asking, `do ${index}.`);
      await asking.getByRole('alertdialog').waitFor();
      const page = isInbox ? await scene.page(options) : asking;
      const card = isInbox
        ? page.locator('[data-waiting]').filter({ hasText: `do ${index}.` })
        : page.getByRole('alertdialog');
      await expect.poll(() => card.getByRole('button', { name: 'Deny' }).isEnabled()).toBe(true);
      if (way === 'All edits' && options === PHONE)
        await card.getByRole('button', { name: 'More', exact: true }).click();
      await press(page, card, way);
      await card.getByText(READ_ON).waitFor();
      expect(fs.existsSync(path.join(scene.folder, file))).toBe(false);
      // All of it is there now.
      const shown = await textOf(card);
      const text = call.arguments['command'] ?? call.arguments['content'] ?? '';
      for (const line of text.split('\n')) expect(shown).toContain(line);
      for (const colorScheme of themesFor(index)) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await findings(page)).toEqual([]);
      }
      // A second press does not make it read: nothing is sent.
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(request.postData() ?? '');
      });
      await pressUnseen(page, card, way);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      expect(sent).toEqual([]);
      expect(fs.existsSync(path.join(scene.folder, file))).toBe(false);
      await card.locator('[data-read-end]').evaluateAll((ends) => {
        for (const end of ends) end.scrollIntoView({ block: 'end' });
      });
      // A lasting yes has its rule to be read as well.
      await expect
        .poll(async () => {
          // It may be gone between the look and the press.
          if ((await card.count()) > 0) await press(page, card, way, 5_000).catch(() => {});
          return fs.existsSync(path.join(scene.folder, file));
        })
        .toBe(true);
      await asking.getByText(`Over with ${index}.`).waitFor();
    });
  }
});

describe('the end of what is asked', () => {
  for (const [index, options] of [DESK, PHONE].entries()) {
    it(`counts however it was reached, and is asked for no more then, at ${options.viewport.width}`, async () => {
      verifies('H7');
      const file = `jumped-${index}.txt`;
      const before = lines(80);
      fs.writeFileSync(path.join(scene.folder, file), before);
      const after = before.replace('line 3\n', `${lines(90).replaceAll('line', 'new')}`);
      const read = { name: 'read_file', arguments: { path: file } };
      const call = { name: 'write_file', arguments: { path: file, content: after } };
      scene.model.on(`jump ${index}.`, [{ calls: [read] }, { calls: [call] }, { text: `Jumped ${index}.` }]);
      const page = await scene.page(options);
      await say(page, `jump ${index}.`);
      const card = page.getByRole('alertdialog').filter({ hasText: 'new 1' });
      await page.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).waitFor();
      if ((await card.count()) === 0) await page.getByRole('button', { name: 'Allow once' }).click();
      await expect.poll(() => card.getByRole('button', { name: 'Deny' }).isEnabled()).toBe(true);
      await press(page, card, 'Allow once');
      const hint = card.getByText(READ_ON);
      await hint.waitFor();
      // What stays is not shown again: only the change is to be read.
      expect(await textOf(card)).not.toContain('line 40');
      await card
        .locator('[data-scrolls]')
        .first()
        .evaluate((box) => box.scrollTo(0, box.scrollHeight));
      await hint.waitFor({ state: 'detached' });
      await press(page, card, 'Allow once');
      await page.getByText(`Jumped ${index}.`).waitFor();
      expect(fs.readFileSync(path.join(scene.folder, file), 'utf8')).toBe(after);
    });
  }
});

/** A page that is loaded again in any moment of sending: what the person wrote is in sight, and is sent once. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { DOT } from './support/dot.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'the notes say seven\n' }, [], {
    '.config/halter/commands/greet.md': 'Greet everybody warmly: $ARGUMENTS',
  });
});
afterAll(() => scene?.close());

const it = inBrowser;
const never = new Promise<void>(() => {});

/** In the first document of a tab: what becomes of the request that `window.order` names. */
const ORDERED = `
  window.isFirst = sessionStorage.getItem('test loaded') === null;
  sessionStorage.setItem('test loaded', 'yes');
  const real = window.fetch;
  const after = {
    nothing: () => new Promise(() => {}),
    unload: () => new Promise((_, reject) => {
      if (window.isLeft) reject(new TypeError('the page is being left'));
      else addEventListener('pagehide', () => { window.isLeft = true; reject(new TypeError('the page is being left')); });
    }),
    arrival: async (...request) => { await real(...request); window.isHeld = 'arrived'; return new Promise(() => {}); },
    late: (input, init) => {
      sessionStorage.setItem('test late', JSON.stringify({ path: String(input), body: init.body, headers: [...init.headers] }));
      return new Promise(() => {});
    },
  };
  window.fetch = (input, init = {}) => {
    const { order } = window;
    if (!window.isFirst || !order || !new RegExp(order.path).test(String(input)) || init.method !== 'POST') return real(input, init);
    if (order.body && !String(init.body).includes(order.body)) return real(input, init);
    window.isHeld ??= order.how === 'arrival' ? undefined : 'held';
    return after[order.how](input, init);
  };
  window.sendLate = () => {
    const { path, body, headers } = JSON.parse(sessionStorage.getItem('test late'));
    return real(path, { method: 'POST', headers, body }).then((answer) => answer.status);
  };
`;

/** Which request is under way when the page is loaded again. */
const AT = {
  reading: { path: '/api/input$' },
  beginning: { path: '/api/sessions$' },
  mode: { path: '/commands$', body: 'change_mode' },
  message: { path: '/commands$', body: 'send_message' },
} as const;
type How = 'nothing' | 'unload' | 'arrival' | 'late';
type Row = {
  place: 'a new session' | 'a session' | 'a run';
  at: keyof typeof AT;
  how: How;
  text?: string;
  beside?: true;
};

const ROWS: readonly Row[] = [
  ...(['nothing', 'unload'] as const).map((how) => ({ place: 'a new session', at: 'beginning', how }) as const),
  ...(['nothing', 'unload'] as const).map((how) => ({ place: 'a new session', at: 'mode', how }) as const),
  ...(['a new session', 'a session', 'a run'] as const).flatMap((place) =>
    (['nothing', 'unload', 'arrival', 'late'] as const).map((how) => ({ place, at: 'message', how }) as const),
  ),
  ...(['a new session', 'a session', 'a run'] as const).flatMap((place) =>
    (['@notes.txt', '/greet'] as const).map((text) => ({ place, at: 'reading', how: 'nothing', text }) as const),
  ),
  { place: 'a session', at: 'message', how: 'nothing', text: '@notes.txt' },
  { place: 'a session', at: 'message', how: 'nothing', beside: true },
  { place: 'a new session', at: 'beginning', how: 'nothing', beside: true },
  { place: 'a session', at: 'reading', how: 'nothing', text: '@notes.txt', beside: true },
];

const nameOf = ({ place, at, how, text, beside }: Row): string =>
  `${place}, ${at}, ${how}${text ? `, ${text}` : ''}${beside ? ', with a picture' : ''}`;

const openPlace = async (page: Page, { place, at }: Row, id: string): Promise<void> => {
  await page.getByRole('heading', { name: /is ready/ }).waitFor();
  if (at === 'mode') {
    await page.getByRole('button', { name: /^Mode ask/ }).click();
    await page.getByRole('menuitemradio', { name: /^plan/ }).click();
    await page.getByRole('button', { name: /^Mode plan/ }).waitFor();
  }
  if (place === 'a new session') return;
  scene.model.on(`begin ${id}`, [
    { text: ['Begun. ', 'And more.'], ...(place === 'a run' ? { gates: { 2: never } } : {}) },
  ]);
  await say(page, `begin ${id}`);
  await page.getByText('Begun.').waitFor();
  await page.locator(`[data-scroller][aria-busy=${place === 'a run'}]`).waitFor();
};

/** In the first document of a tab: what stands beside a message is being kept, and is never done. */
const KEEPS_ON = `
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (value, key) {
    const isFirst = window.isFirst && String(key).includes(' beside ');
    const on = () => { window.isKeeping = true; this.get(key).onsuccess = on; };
    if (isFirst) on();
    return put.call(this, value, key);
  };
`;

const attach = async (page: Page): Promise<void> => {
  await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
  await page.getByRole('list', { name: 'Attached files' }).getByText('dot.png').waitFor();
};

/** The named request is under way. */
const isHeld = (page: Page): Promise<void> => expect.poll(() => page.evaluate('window.isHeld')).toBeTruthy();
const queueOf = (page: Page) => page.getByRole('list', { name: 'Messages that wait' });
const saidOf = (page: Page, words: string) => page.locator('[data-row=user]').getByText(words);
const asked = (words: string): string[] =>
  scene.model.server.requests.map(({ text }) => text).filter((text) => text.includes(words));

describe('a page that is loaded again while a message is sent', () => {
  for (const [index, row] of ROWS.entries())
    it(`keeps it, and sends it once: ${nameOf(row)}`, async () => {
      verifies('L8');
      const { place, at, how, text, beside } = row;
      const id = `row ${index}.`;
      const words = `${text ?? 'tell me'} now, ${id}`;
      scene.model.on(`now, ${id}`, [{ text: `Answered ${id}` }]);
      const page = await scene.page({});
      await page.addInitScript(ORDERED);
      await page.reload();
      await openPlace(page, row, id);
      if (beside) await attach(page);
      await page.evaluate(`window.order = ${JSON.stringify({ ...AT[at], how })}`);
      await say(page, words);
      await isHeld(page);
      await page.reload();
      const queue = queueOf(page);
      if (how !== 'arrival') {
        await queue.getByText('Not sent:').waitFor();
        if (how === 'late') expect(await page.evaluate('window.sendLate()')).toBe(200);
        else await queue.getByRole('button', { name: 'Send now' }).click();
      }
      if (place === 'a run') {
        await queue.getByText('Waits:').waitFor();
        await queue.getByText('Not sent:').waitFor({ state: 'detached' });
        expect(await queue.getByRole('listitem').count()).toBe(1);
        await page.getByRole('button', { name: 'Stop', exact: true }).click();
        await queue.getByRole('button', { name: 'Send now' }).click();
      }
      await page.getByText(`Answered ${id}`).waitFor();
      await queue.waitFor({ state: 'detached' });
      expect(await saidOf(page, `now, ${id}`).count()).toBe(1);
      if (text === '@notes.txt') expect(asked(`now, ${id}`).at(-1)).toContain('the notes say seven');
      if (text === '/greet') expect(asked(`now, ${id}`).at(-1)).toContain('Greet everybody warmly');
      if (beside) await page.getByAltText('Sent with the message').waitFor();
    });

  it('does not send it without its picture where that was not kept yet, and puts both into the field', async () => {
    verifies('L8');
    scene.model.on('with what was not kept', [{ text: 'Answered with it.' }]);
    const page = await scene.page({});
    await page.addInitScript(ORDERED);
    await page.addInitScript(KEEPS_ON);
    await page.reload();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await attach(page);
    await page.evaluate(`window.order = ${JSON.stringify({ path: '/api/sessions$', how: 'nothing' })}`);
    await say(page, 'with what was not kept');
    await expect.poll(() => page.evaluate('window.isKeeping')).toBe(true);
    await page.reload();
    await queueOf(page).getByText('Not sent:').waitFor();
    await page.getByRole('list', { name: 'Attached files' }).waitFor();
    await queueOf(page).getByRole('button', { name: 'Send now' }).click();
    await page.getByText('was not kept, so it was not sent').waitFor();
    await queueOf(page).waitFor({ state: 'detached' });
    const field = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => field.inputValue()).toBe('with what was not kept');
    await field.press('Enter');
    await page.getByText('Answered with it.').waitFor();
    await page.getByAltText('Sent with the message').waitFor();
    expect(asked('with what was not kept')).toHaveLength(1);
  });

  it('sends it with its picture from another window, where its own is closed', async () => {
    verifies('L8');
    scene.model.on('from another window', [{ text: 'Answered there.' }]);
    const page = await scene.page({});
    await page.addInitScript(ORDERED);
    await page.reload();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    const other = await page.context().newPage();
    await other.goto(scene.url);
    await other.getByRole('heading', { name: /is ready/ }).waitFor();
    await attach(page);
    await page.evaluate(`window.order = ${JSON.stringify({ ...AT.beginning, how: 'nothing' })}`);
    await say(page, 'from another window');
    await isHeld(page);
    await page.close();
    await queueOf(other).getByText('1 file').waitFor();
    await queueOf(other).getByRole('button', { name: 'Send now' }).click();
    await other.getByText('Answered there.').waitFor();
    await other.getByAltText('Sent with the message').waitFor();
  });

  it('sends it once though the first request arrives only after it was sent again', async () => {
    verifies('L8');
    scene.model.on('twice under way', [{ text: 'Answered once.' }]);
    const page = await scene.page({});
    await page.addInitScript(ORDERED);
    await page.reload();
    await openPlace(page, { place: 'a session', at: 'message', how: 'late' }, 'twice');
    await page.evaluate(`window.order = ${JSON.stringify({ ...AT.message, how: 'late' })}`);
    await say(page, 'twice under way');
    await isHeld(page);
    await page.reload();
    await queueOf(page).getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Answered once.').waitFor();
    expect(await page.evaluate('window.sendLate()')).toBe(200);
    await say(page, 'begin twice');
    await page.getByText('Begun.').nth(1).waitFor();
    expect(await saidOf(page, 'twice under way').count()).toBe(1);
  });

  it('keeps it where the same words were said before, and the session was not told yet', async () => {
    verifies('L8');
    scene.model.on('once more, please', [{ text: 'Done.' }]);
    const page = await scene.page({});
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await say(page, 'once more, please');
    await page.getByText('Done.').waitFor();
    await page.addInitScript(ORDERED);
    await page.addInitScript(`window.order = ${JSON.stringify({ path: '/commands$|/events', how: 'nothing' })};
      const ordered = window.fetch;
      window.fetch = (input, init = {}) => window.isFirst && String(input).includes('/events') ? new Promise(() => {}) : ordered(input, init);`);
    await page.reload();
    await say(page, 'once more, please');
    await isHeld(page);
    await page.reload();
    await queueOf(page).getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Done.').nth(1).waitFor();
    expect(await saidOf(page, 'once more, please').count()).toBe(2);
  });
});

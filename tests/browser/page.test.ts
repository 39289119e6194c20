/** What must hold of the page itself: nothing a model writes runs or loads, and everybody can use it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { rounds } from '../support/long.ts';
import { CHROMIUM } from './support/chromium.ts';
import { keepSession, putSession } from './support/keep-session.ts';
import { findings, inBrowser, inLongRun, openWebScene, say, themesFor, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\ntwo\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;

/** Of two streams, within ten seconds. */
const FEW_REFUSALS = 5;
/** Many times what is drawn at once. */
const MANY = rounds(600, 2_000);

describe('the page', () => {
  it('has no serious finding of axe, in both themes, empty, at work and asking', async () => {
    scene.model.on('everything', [
      {
        reasoning: 'I look first.',
        text: '# A heading\n\nWords with [a link](https://example.test) and `code`.\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![x](https://evil.test/x.png)\n',
        calls: [
          { name: 'ls', arguments: { path: 'missing' } },
          { name: 'add_task', arguments: { content: 'A task' } },
          { name: 'write_file', arguments: { path: 'notes.txt', content: 'one\n' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    expect(await findings(page)).toEqual([]);
    await say(page, 'everything');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).isEnabled();
    await page.locator('[data-call="call_0"], [data-call]').first().getByRole('button').first().click();
    for (const colorScheme of themesFor(0)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Done.').waitFor();
    await page.getByRole('button', { name: /^Model / }).click();
    expect(await findings(page)).toEqual([]);
  });

  it('sends no request to another host, whatever the text is', async () => {
    const asked: string[] = [];
    scene.model.on('leak it', [
      {
        text: [
          '![a](https://evil.test/a.png)',
          '![b][r]\n\n[r]: https://evil.test/b.png',
          '<img src="https://evil.test/c.png"><iframe src="https://evil.test/d"></iframe>',
          '<style>@import url(https://evil.test/e.css)</style><link rel="stylesheet" href="https://evil.test/f.css">',
          '![c](//evil.test/g.png) ![d](data:image/svg+xml,<svg/onload=alert(1)>)',
          '[h](javascript:alert(1)) <https://secret.evil.test> https://evil.test/i',
          '<svg onload=alert(1)><script>alert(1)</script>',
        ].join('\n\n'),
      },
    ]);
    const page = await scene.page();
    page.on('request', (request) => asked.push(new URL(request.url()).hostname));
    page.on('dialog', (dialog) => {
      asked.push('a script ran');
      void dialog.dismiss();
    });
    await say(page, 'leak it');
    await page.locator('footer').waitFor();
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
    expect([...new Set(asked)]).toEqual(['127.0.0.1']);
    const hrefs = await page
      .locator('[role=log] a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol));
    expect(hrefs.length).toBeGreaterThan(0);
    expect(hrefs.every((scheme) => scheme === 'https:')).toBe(true);
    expect(await page.locator('[role=log] :is(iframe, style, script, svg[onload], object)').count()).toBe(0);
  });

  it('says what is missing to who comes without the token', async () => {
    const page = await scene.page({ colorScheme: 'light' });
    await page.evaluate('localStorage.clear()');
    await page.goto(new URL('/', scene.url).href);
    await page.getByRole('alert').getByText('paste the token out of it', { exact: false }).waitFor();
  });

  it('gives nothing away to a server on another port of this host', async () => {
    const heard: string[] = [];
    const other = createServer((request, response) => {
      heard.push(JSON.stringify(request.headers));
      response.end('<!doctype html><title>other</title>');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    expect(page.url()).not.toMatch(/token|key/);
    const key = String(await page.evaluate("localStorage.getItem('halter key')"));
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.join()).not.toContain('cookie');
    expect(heard.join()).not.toContain(key);
    // What is shown for the page counts for its own address alone.
    const { host, port } = new URL(scene.url);
    const statusAs = async (name: string): Promise<number> =>
      (await fetch(`http://${name}/api/tools`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await statusAs(host)).toBe(200);
    expect(await statusAs(`localhost:${port}`)).toBe(401);
  });

  it(`opens a session of ${MANY} messages with as many nodes as one of 100, and shows the rest to who goes back`, async () => {
    await keepSession(scene.sessions, 'short', 100, 'An *answer*.');
    await keepSession(scene.sessions, 'long', MANY, 'An *answer*.');
    const page = await scene.page();
    const nodes = async (id: string, last: string): Promise<number> => {
      await page.goto(`${new URL(page.url()).origin}/#/s/${id}`);
      await page.reload();
      await page.getByText(last, { exact: true }).waitFor();
      // Rows are drawn one after another, and each is its written words until then.
      await page.locator('.passage > .whitespace-pre-wrap').first().waitFor({ state: 'detached' });
      return page.evaluate(() => document.querySelectorAll('[role=log] *').length);
    };
    const [short, long] = [await nodes('short', 'Question 49'), await nodes('long', `Question ${MANY / 2 - 1}`)];
    expect(Math.abs(long - short)).toBeLessThan(short / 20);
    const rows = page.locator('[data-row]');
    const before = await rows.count();
    const first = await rows.first().textContent();
    await page.locator('[data-scroller]').evaluate((element) => {
      element.scrollTop = 0;
    });
    await page.waitForFunction((count) => document.querySelectorAll('[data-row]').length > count, before);
    // What the person looks at keeps its place on the screen.
    const same = rows.nth((await rows.count()) - before);
    expect(await same.textContent()).toBe(first);
    expect((await same.boundingBox())?.y).toBeGreaterThan(0);
    expect((await same.boundingBox())?.y).toBeLessThan(200);
  });

  inLongRun('lists more sessions than fit a page of the list, of which only those in the view are there', async () => {
    const many = await openWebScene({});
    onTestFinished(() => many.close());
    await Promise.all(
      Array.from({ length: 640 }, (_, index) => keepSession(many.sessions, `s${index}`, 2, 'x', many.folder)),
    );
    await putSession(many.sessions, 'empty', many.folder);
    const page = await many.page();
    const list = page.getByRole('list', { name: 'Sessions' });
    await list.getByRole('link').first().waitFor();
    const seen = new Set<string>();
    const scroller = list.locator('..');
    while (seen.size < 640) {
      const hrefs = await list.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      expect(hrefs.length).toBeLessThan(80);
      for (const href of hrefs) seen.add(String(href));
      await scroller.evaluate((element) => element.scrollBy(0, 500));
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    }
    // Nothing was said in it.
    expect(seen).not.toContain('#/s/empty');
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
  });

  it('says on every address that it has no token, and does not ask on and on', async () => {
    const known = await scene.page();
    await say(known, 'hello there');
    await known.waitForURL(/#\/s\//);
    const context = await scene.browser.newContext();
    const page = await context.newPage();
    let refused = 0;
    page.on('response', (response) => {
      if (response.status() === 401 && /\/(?:activity|events)/.test(response.url())) refused += 1;
    });
    await page.clock.install();
    await page.goto(`${new URL(known.url()).origin}/${new URL(known.url()).hash}`);
    await page.getByText('This page has no token').waitFor();
    for (let second = 0; second < 10; second += 1) {
      await page.clock.runFor(1_000);
      // What was asked within the second is answered by then.
      await page.evaluate(() => fetch('/healthz').then((response) => response.text()));
    }
    expect(refused).toBeLessThan(FEW_REFUSALS);
    await context.close();
  });
});

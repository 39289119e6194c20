/** Pictures on the page, in a real browser: of the folder, of a tool, and of elsewhere only when the person asks. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let scene: WebScene;
let elsewhere: Server;
let far: string;
let asked: string[] = [];
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  elsewhere = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method === 'POST') {
      response.end(JSON.stringify({ created: 1, data: [{ b64_json: PIXEL.toString('base64') }] }));
    } else if (request.url?.startsWith('/page')) response.end('<html>');
    else response.writeHead(200, { 'content-type': 'image/png' }).end(PIXEL);
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  far = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  scene = await openWebScene(
    { 'out/my plot.png': PIXEL, 'fake.png': '<script>alert(1)</script>' },
    ['--allow-private', far, '--allow', 'generate_image'],
    { '.config/halter/config.json': JSON.stringify({ image_url: `http://${far}`, image_api: 'openai' }) },
  );
});
afterAll(async () => {
  await scene?.close();
  elsewhere?.close();
});

const it = inBrowser;
/** Those that are really drawn, by their alternative text. */
const drawn = (page: Page): Promise<string[]> =>
  page
    .locator('[role=log] img')
    .evaluateAll((images) =>
      (images as HTMLImageElement[]).filter(({ naturalWidth }) => naturalWidth > 0).map(({ alt }) => alt),
    );

describe('a picture', () => {
  it('that lies in the folder is shown where the answer names it, and nothing that only ends like one', async () => {
    scene.model.on('show the plot', [
      { text: 'Here: ![the plot](out/my%20plot.png)\n\nAnd ![none](fake.png), ![out](../secret.png).' },
    ]);
    const page = await scene.page();
    await say(page, 'show the plot');
    await expect.poll(() => drawn(page)).toEqual(['the plot']);
    await page.getByText('No picture to show at fake.png').waitFor();
    expect(await page.locator('[data-blocked-image="../secret.png"]').count()).toBe(1);
  });

  it('that a tool made stands with its call, without the call being opened', async () => {
    verifies('E3');
    scene.model.on('draw a cat', [
      { calls: [{ name: 'generate_image', arguments: { prompt: 'a cat' } }] },
      { text: 'There it is.' },
    ]);
    const page = await scene.page();
    await say(page, 'draw a cat');
    await page.getByText('There it is.').waitFor();
    await expect.poll(() => drawn(page)).toHaveLength(1);
    expect(await page.locator('[data-call] img').count()).toBe(1);
    expect(await page.locator('[data-call] button').first().getAttribute('aria-expanded')).toBe('false');
  });

  it('of elsewhere comes when the person asks for it, and then through halter', async () => {
    verifies('L6');
    const address = `http://${far}/cat.png?secret=1`;
    scene.model.on('far away', [{ text: `![a cat](${address})\n\n![a page](http://${far}/page.png)` }]);
    const page = await scene.page();
    const ofBrowser: string[] = [];
    page.on('request', (request) => ofBrowser.push(new URL(request.url()).host));
    asked = [];
    await say(page, 'far away');
    const blocked = page.locator(`[data-blocked-image="${address}"]`);
    await blocked.getByText(address).waitFor();
    expect(asked).toEqual([]);
    await blocked.getByRole('button', { name: 'Load it' }).click();
    await expect.poll(() => drawn(page)).toEqual(['a cat']);
    expect(asked).toEqual(['GET /cat.png?secret=1']);
    await page.getByRole('button', { name: 'Load it' }).click();
    await page.getByRole('alert').getByText('is no PNG, JPEG, GIF or WebP picture').waitFor();
    expect(ofBrowser.includes(far)).toBe(false);
  });

  it('of a private address is refused, however it was asked for', async () => {
    const address = 'http://169.254.169.254/latest/meta-data.png';
    scene.model.on('private one', [{ text: `![x](${address})` }]);
    const page = await scene.page();
    await say(page, 'private one');
    await page.getByRole('button', { name: 'Load it' }).click();
    await page
      .getByRole('alert')
      .getByText(/169\.254\.169\.254/)
      .waitFor();
    expect(await drawn(page)).toEqual([]);
  });
});

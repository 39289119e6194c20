/** Code and tables of an answer: taken along, wrapped, and drawn where nothing can come of it. */
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;
const answered = async (words: string, text: string, page?: Page): Promise<Page> => {
  scene.model.on(words, [{ text }]);
  const on = page ?? (await scene.page());
  await say(on, words);
  await on.locator('footer').waitFor();
  return on;
};

/** A server that must hear of nothing. */
const listener = async (): Promise<{ address: string; heard: string[] }> => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.on('connection', () => heard.push('connection'));
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
};

describe('code in an answer', () => {
  it('is downloaded under the name of its language, and wrapped where that is wanted', async () => {
    const long = `const text = '${'word '.repeat(80)}';`;
    const page = await answered('long code', `\`\`\`ts\n${long}\n\`\`\`\n`);
    const code = page.locator('figure');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      code.getByRole('button', { name: 'Download code' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('code.ts');
    expect(fs.readFileSync(await download.path(), 'utf8')).toBe(`${long}\n`);
    const area = code.getByRole('group', { name: 'Code, ts' });
    const isWider = () => area.evaluate((element) => element.scrollWidth > element.clientWidth);
    await expect.poll(isWider).toBe(true);
    await code.getByRole('button', { name: 'Wrap lines' }).click();
    await expect.poll(isWider).toBe(false);
    await page.reload();
    await page.locator('figure button[aria-pressed=true]').waitFor();
  });

  it('lets the conversation scroll under a wheel that turns above it', async () => {
    const lines = Array.from({ length: 200 }, (_none, at) => `const value${at} = ${at};`).join('\n');
    const page = await answered('much code', `\`\`\`ts\n${lines}\n\`\`\`\n`);
    const top = () => page.getByRole('log').evaluate((log) => log.scrollTop);
    await expect.poll(top).toBeGreaterThan(500);
    // Its last lines are in the window; to hover would scroll to its middle.
    const { x, y, height } = (await page.getByRole('group', { name: 'Code, ts' }).boundingBox()) as {
      x: number;
      y: number;
      height: number;
    };
    await page.mouse.move(x + 100, y + height - 60);
    const before = await top();
    await page.mouse.wheel(0, -400);
    await expect.poll(top).toBeLessThan(before);
  });

  it('is drawn where it is HTML, and neither runs, loads, sends nor reaches the page', async () => {
    const { address, heard } = await listener();
    const page = await answered(
      'a page',
      `\`\`\`html
<html><head>
<link rel="stylesheet" href="${address}/style.css"><link rel="preconnect" href="${address}"><link rel="dns-prefetch" href="${address}">
<meta http-equiv="refresh" content="0; url=${address}/refresh">
<style>@import url(${address}/import.css); body { background: url(${address}/background.png); color: rgb(1, 2, 3) }</style>
<base href="${address}/base/">
</head><body onload="document.title = 'ran'">
<h1>Drawn</h1><img src="${address}/picture.png" onerror="parent.document.title = 'ran'">
<script>parent.postMessage('ran', '*'); document.body.append('ran'); fetch('${address}/fetch')</script>
<iframe src="${address}/frame" srcdoc="<script>parent.parent.document.title = 'ran'</script>"></iframe>
<form action="${address}/form"><button>Send</button></form>
<a href="${address}/link" ping="${address}/ping">Follow</a>
<video src="${address}/video"></video><object data="${address}/object"></object>
<svg><use href="${address}/use.svg#x"/><image href="${address}/image.png"/></svg>
</body></html>
\`\`\`
`,
    );
    await page.evaluate(
      "window.messages = []; window.addEventListener('message', ({ data }) => window.messages.push(data))",
    );
    const preview = page.getByRole('button', { name: 'Preview' });
    const look = () => preview.evaluate((button) => getComputedStyle(button).boxShadow);
    expect(await look()).toBe('none');
    await preview.click();
    expect(await look()).not.toBe('none');
    const frame = page.frameLocator('iframe[title="Preview of the page"]');
    await frame.getByRole('heading', { name: 'Drawn' }).waitFor();
    expect(await frame.getByText('Follow').evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)');
    await frame.getByText('Follow').click();
    await frame.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Scripts do not run here').waitFor();
    expect(await page.evaluate('window.messages')).toEqual([]);
    expect(await frame.locator('body').innerText()).not.toContain('ran');
    expect(await page.title()).not.toContain('ran');
    expect(
      await page.locator('iframe').evaluate((element) => (element as HTMLIFrameElement).contentDocument),
    ).toBeNull();
    expect(heard).toEqual([]);
    expect(await findings(page)).toEqual([]);
  });

  it('is held by the policies alone, whatever the page leaves in', async () => {
    const { address, heard } = await listener();
    const page = await scene.page();
    const html = `<meta http-equiv="refresh" content="0; url=${address}/refresh"><img src="${address}/x.png"><script>document.body.textContent = 'ran'</script><a href="${address}/link">Follow</a><p>Still</p>`;
    const key = await page.evaluate("Object.values(localStorage).join(' ') + Object.values(sessionStorage).join(' ')");
    expect(String(key)).not.toBe('');
    await page.route('**/api/previews', (route) => route.continue({ postData: JSON.stringify({ html }) }));
    await answered('a raw page', '```html\n<p>Any</p>\n```\n', page);
    await page.getByRole('button', { name: 'Preview' }).click();
    const frame = page.frameLocator('iframe[title="Preview of the page"]');
    await frame.locator('body').waitFor();
    await page.waitForFunction("document.querySelector('iframe').contentWindow.length === 0");
    // What would be loaded or followed at once has had its time when a click was answered.
    await page.getByRole('button', { name: 'Wrap lines' }).click();
    expect(heard).toEqual([]);
  });

  it('is drawn as a picture where it is SVG', async () => {
    const { address, heard } = await listener();
    const page = await answered(
      'a drawing',
      `\`\`\`svg\n<svg viewBox="0 0 10 10" width="100" height="100"><script>parent.document.title = 'ran'</script><image href="${address}/x.png"/><circle cx="5" cy="5" r="4"/></svg>\n\`\`\`\n`,
    );
    await page.getByRole('button', { name: 'Preview' }).click();
    const picture = page.getByRole('img', { name: 'Preview of the SVG' });
    await picture.waitFor();
    await page.waitForFunction("document.querySelector('figure img').naturalWidth === 100");
    expect(await page.title()).not.toContain('ran');
    expect(heard).toEqual([]);
  });
});

describe('a table in an answer', () => {
  it('is copied whole as comma-separated values', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `| ${index} | a, b |`).join('\n');
    const page = await scene.page({ permissions: ['clipboard-read', 'clipboard-write'] });
    await answered('a table', `| n | text |\n|---|---|\n${rows}\n`, page);
    await page.getByRole('button', { name: 'Copy table as CSV' }).first().click();
    await page.getByText('Copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()')).replaceAll('\r\n', '\n');
    expect(copied.split('\n').slice(0, 3)).toEqual(['n,text', '0,"a, b"', '1,"a, b"']);
    expect(copied.trimEnd().split('\n')).toHaveLength(301);
  });
});

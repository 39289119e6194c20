/** Diagrams: drawn when they are asked for, in a frame that can reach nothing. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({});
});
afterAll(() => scene?.close());

const it = inBrowser;
const fenced = (text: string): string => `Here it is.\n\n\`\`\`mermaid\n${text}\n\`\`\`\n\nThat was it.`;

describe('a diagram', () => {
  it('is drawn when it is asked for, and not before', async () => {
    scene.model.on('draw it', [{ text: fenced('graph TD\n  A[Begin] --> B{A number?}\n  B -->|yes| C[Count]') }]);
    const page = await scene.page({ colorScheme: 'dark' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await say(page, 'draw it');
    await page.getByText('That was it.').waitFor();
    expect(asked).not.toContain('/mermaid.html');
    await page.getByRole('button', { name: 'Preview' }).click();
    const frame = page.frameLocator('iframe[title="The diagram"]');
    await frame.locator('svg').getByText('Begin').waitFor();
    await page.getByText('Drawing the diagram').waitFor({ state: 'detached' });
    // A frame of another scheme is painted white.
    const scheme = await frame.locator(':root').evaluate((root) => getComputedStyle(root).colorScheme);
    expect(scheme).toBe('dark');
    const frameBox = () => page.locator('iframe[title="The diagram"]').boundingBox();
    await expect.poll(async () => (await frameBox())?.height).toBeGreaterThan(100);
    expect(await findings(page)).toEqual([]);
  });

  it('reaches nothing, whatever stands in it', async () => {
    const reached: string[] = [];
    const elsewhere = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void elsewhere.close());
    await once(elsewhere, 'listening');
    const evilHost = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const evil = [
      '%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "*{background:url(EVIL/a)}"}}%%',
      'graph TD',
      '  A["<img src=EVIL/b onerror=parent.taken=1>"] --> B["<script>parent.taken=2</script>"]',
      '  click A href "EVIL/c"',
      '  click B call alert()',
    ]
      .join('\n')
      .replaceAll('EVIL', evilHost);
    scene.model.on('draw evil', [{ text: fenced(evil) }]);
    const page = await scene.page();
    await say(page, 'draw evil');
    await page.getByText('That was it.').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.frameLocator('iframe[title="The diagram"]').locator('svg').waitFor();
    const inside = page.frames().find((frame) => frame.url().endsWith('/mermaid.html'));
    // Even a script that did run there could take nothing along.
    expect(await inside?.evaluate('window.origin')).toBe('null');
    expect(await inside?.evaluate(`fetch('/api/sessions').then(() => 'reached', () => 'refused')`)).toBe('refused');
    expect(await inside?.evaluate(`(() => { try { return localStorage.length } catch { return 'none' } })()`)).toBe(
      'none',
    );
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(reached).toEqual([]);
  });

  it('that is none says so, and stays code', async () => {
    scene.model.on('draw nothing', [{ text: fenced('graph TD\n  A -->') }]);
    const page = await scene.page();
    await say(page, 'draw nothing');
    await page.getByText('That was it.').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('This diagram cannot be drawn').waitFor();
    expect(await page.getByText('A -->').first().isVisible()).toBe(true);
  });
});

/** Files that a person drops into a chat, in a real browser: from the drop to what rag_search finds in them. */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { DOT } from './support/dot.ts';
import { inBrowser, openSide, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'README.md': '# Demo\n' });
});
afterAll(() => scene?.close());

const it = inBrowser;
/** A PDF of one page with these words. */
const pdf = (words: string): string => {
  const drawn = `BT /F1 12 Tf 10 100 Td (${words}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${drawn.length}>>stream\n${drawn}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  return `%PDF-1.4\n${objects.map((object, at) => `${at + 1} 0 obj${object}endobj\n`).join('')}trailer<</Root 1 0 R>>`;
};
/** Longer than what goes with a message whole. */
const handbook = `# Handbook\n\n${'Nothing of interest stands here.\n\n'.repeat(400)}## Keys\n\nThe spare key hangs behind the clock.\n`;

const drop = async (page: Page, files: Record<string, string>): Promise<void> => {
  const data = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(given)) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
};
const ready = (page: Page) => page.locator('[data-document="ready"]');

describe('a file that is dropped into a chat', () => {
  it('becomes a document of it, which rag_search finds and which can be taken out again', async () => {
    verifies('E2');
    scene.model.on('where is the key', [
      { calls: [{ name: 'rag_search', arguments: { query: 'spare key clock' } }] },
      { text: 'Behind the clock [source:rag_search].' },
    ]);
    scene.model.on('and the boat', [
      { calls: [{ name: 'rag_search', arguments: { query: 'harbour lighthouse boat' } }] },
      { text: 'In the harbour.' },
    ]);
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    // Before there is any session, and while a message is being written.
    await page.getByRole('textbox', { name: 'Message' }).fill('where is the key?');
    await drop(page, { 'handbook.md': handbook, 'boat.pdf': pdf('The boat lies in the harbour by the lighthouse.') });
    await ready(page).nth(1).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('where is the key?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Behind the clock').waitFor();
    expect(await ready(page).count()).toBe(0);
    await page
      .getByRole('button', { name: /rag_search/ })
      .first()
      .click();
    await page.getByLabel('Result of rag_search').getByText('The spare key hangs behind the clock.').first().waitFor();
    const sent = scene.model.server.requests.find(({ text }) => text.includes('where is the key'))?.text ?? '';
    expect(sent).toContain('@documents/handbook.md');
    expect(sent).not.toContain('hangs behind');
    await say(page, 'and the boat?');
    await page.getByText('In the harbour.').waitFor();
    expect(scene.model.server.requests.at(-1)?.text).toContain('lies in the harbour');
    // Listed with the session, after a reload too, until it is taken out.
    const list = page.getByRole('list', { name: 'Documents' });
    const reload = async (): Promise<void> => {
      await page.reload();
      await openSide(page);
    };
    await reload();
    await list.getByText('boat.pdf').waitFor();
    await page.getByRole('button', { name: 'Take boat.pdf out of this chat' }).click();
    await list.getByText('boat.pdf').waitFor({ state: 'detached' });
    await reload();
    await list.getByText('handbook.md').waitFor();
    expect(await list.getByText('boat.pdf').count()).toBe(0);
  });

  it('waits with the words and pictures for the first message through a reload, and goes with it', async () => {
    verifies('E2', 'L8');
    scene.model.on('what have you got', [{ text: 'All three.' }]);
    const page = await scene.page({});
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('what have you got?');
    await drop(page, { 'handbook.md': handbook, 'short.md': 'A short text.\n' });
    await ready(page).nth(1).waitFor();
    const picture = { name: 'dot.png', mimeType: 'image/png', buffer: DOT };
    await page.locator('input[type=file]').setInputFiles(picture);
    const chips = page.getByRole('list', { name: 'Attached files' });
    await chips.getByText('dot.png').waitFor();
    for (const _ of ['once', 'and once more']) {
      await page.reload();
      await chips.getByText('dot.png').waitFor();
      await ready(page).nth(1).waitFor();
      expect(await chips.getByRole('listitem').count()).toBe(3);
      expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('what have you got?');
    }
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('All three.').waitFor();
    const sent = scene.model.server.requests.findLast(({ text }) => text.includes('what have you got'))?.text ?? '';
    for (const part of ['@documents/handbook.md', 'A short text.', 'data:image/png;base64,'])
      expect(sent).toContain(part);
    await page.reload();
    await page.getByText('All three.').waitFor();
    expect(await chips.count()).toBe(0);
  });

  it('says why it could not be taken, and leaves no session behind where nothing is sent', async () => {
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    const before = fs.readdirSync(scene.sessions).filter((name) => name.endsWith('.jsonl')).length;
    await drop(page, { 'empty.md': '\n', id_rsa: 'a key', 'fine.md': 'Some words to find.\n' });
    await page.getByRole('alert').getByText('empty.md holds no text').waitFor();
    await page.getByRole('alert').getByText('id_rsa is named like a file of secrets').waitFor();
    await ready(page).getByText('fine.md').waitFor();
    await page.getByRole('button', { name: 'Remove empty.md' }).click();
    expect(await page.getByText('empty.md holds no text').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link').first().click();
    await page.locator('[data-scroller]').waitFor();
    const sessions = (): number => fs.readdirSync(scene.sessions).filter((name) => name.endsWith('.jsonl')).length;
    await expect.poll(sessions).toBe(before);
    expect(fs.existsSync(path.join(scene.folder, 'fine.md'))).toBe(false);
  });
});

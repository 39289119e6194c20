/** What MCP servers ask of a person, on the page: a form, an address, words of the model. A real server asks. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

const EVERYTHING = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'README.md': '# Demo\n' }, ['--allow', 'mcp__all__trigger*'], {
    '.config/halter/mcp.json': JSON.stringify({
      mcpServers: { all: { command: process.execPath, args: [EVERYTHING] } },
    }),
  });
});
afterAll(() => scene?.close());

const it = inBrowser;
const asked = (page: Page, kind: string) => page.locator(`[data-server-question="${kind}"]`);
const calls = (tool: string, args = {}) => ({ calls: [{ name: `mcp__all__${tool}`, arguments: args }] });
/** What the model was told of the call. */
const told = (words: string): string =>
  scene.model.server.requests.findLast(({ text }) => text.includes(words))?.text ?? '';

describe('an MCP server', () => {
  it('gets a form filled in, once every field fits, and nothing by a key that was pressed before', async () => {
    verifies('B10', 'L6');
    scene.model.on('ask me a form', [calls('trigger-elicitation-request'), { text: 'The form is done.' }]);
    const page = await scene.page();
    await say(page, 'ask me a form');
    const form = asked(page, 'form');
    await form.getByText('The MCP server “all” asks you for something.').waitFor();
    await expect.poll(() => page.title()).toMatch(/^\? /);
    await page.keyboard.press('Enter');
    const send = form.getByRole('button', { name: 'Send' });
    await send.click();
    await form.getByRole('alert').getByText('This has to be filled in.').first().waitFor();
    await form.getByLabel(/Your full, legal name/).fill('Ada');
    await form.getByLabel(/Agree to the terms/).check();
    await form.getByLabel(/Your favorite integer/).fill('7');
    await form.getByLabel(/Choose your favorite friend/).selectOption('Ross');
    await form.getByLabel('Piano').check();
    // What the server filled in below is seen before it goes out.
    await send.click();
    await form.getByText(/^Read it to its end/).waitFor();
    await form.locator('[data-read-end]').evaluate((end) => end.scrollIntoView({ block: 'end' }));
    await send.click();
    await page.getByText('The form is done.').waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    const text = told('ask me a form');
    for (const part of ['Ada', 'Ross', 'Piano', '7']) expect(text).toContain(part);
  });

  it('has words of the model only after the person saw the question and the answer', async () => {
    verifies('B10');
    scene.model.on('sample for me', [
      calls('trigger-sampling-request', { prompt: 'the riddle', maxTokens: 20 }),
      { text: 'Sampled.' },
    ]);
    scene.model.on('the riddle', [{ text: 'An egg.' }]);
    const page = await scene.page();
    await say(page, 'sample for me');
    await asked(page, 'sampling')
      .getByText(/the riddle/)
      .waitFor();
    await asked(page, 'sampling').getByRole('button', { name: 'Let the model answer' }).click();
    const answer = asked(page, 'sampling_answer');
    await answer.getByLabel('The answer').fill('A stone.');
    await answer.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('Sampled.').waitFor();
    expect(told('sample for me')).toContain('A stone.');
    expect(told('sample for me')).not.toContain('An egg.');
  });

  it('that is declined is told so, and the same question is gone in every tab', async () => {
    scene.model.on('decline it', [calls('trigger-elicitation-request'), { text: 'Declined it is.' }]);
    const page = await scene.page();
    await say(page, 'decline it');
    await asked(page, 'form').waitFor();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await asked(second, 'form').getByRole('button', { name: 'Decline' }).click();
    for (const each of [page, second]) {
      await each.getByText('Declined it is.').waitFor();
      await each.getByRole('alertdialog').waitFor({ state: 'detached' });
    }
    expect(told('decline it')).toMatch(/decline/i);
    await second.close();
  });

  it('wants an address opened: it is shown whole, and opened by the person', async () => {
    scene.model.on('open a page', [
      calls('trigger-url-elicitation', { url: 'http://127.0.0.1:9/login?for=halter' }),
      { text: 'Opened.' },
    ]);
    const page = await scene.page();
    await say(page, 'open a page');
    const address = asked(page, 'url');
    await address.getByText('127.0.0.1:9', { exact: true }).waitFor();
    const link = address.getByRole('link', { name: /^Open / });
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener');
    const opened = page.context().waitForEvent('page');
    await link.click();
    expect((await opened).url()).toMatch(/^(?:http:\/\/127\.0\.0\.1:9\/|chrome-error:|about:blank)/);
    await page.getByText('Opened.').waitFor();
    await (await opened).close();
  });
});

/** The panel of the MCP servers, with real servers of every kind: how they stand, and what can be done about it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { startOAuthServer } from '../support/oauth-mcp-server.ts';
import { findings, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

const EVERYTHING = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const it = inBrowser;
const program = { command: process.execPath, args: [EVERYTHING] };

const openPanel = async (page: Page) => {
  await page.getByRole('button', { name: 'MCP servers' }).click();
  const panel = page.getByRole('dialog', { name: 'MCP servers' });
  const server = (name: string) => panel.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  return { panel, server };
};
const sceneWith = async (own: object, ofFolder?: object): Promise<WebScene> => {
  const scene = await openWebScene(
    ofFolder ? { '.mcp.json': JSON.stringify({ mcpServers: ofFolder }) } : {},
    ['--allow', 'mcp__*'],
    { '.config/halter/mcp.json': JSON.stringify({ mcpServers: own }) },
  );
  onTestFinished(() => scene.close());
  return scene;
};

describe('the panel of the MCP servers', () => {
  it('puts one on the list, starts it once its line was said yes to, and takes it off', async () => {
    const scene = await sceneWith({});
    const kept = () => JSON.parse(readFileSync(path.join(scene.home, '.config/halter/mcp.json'), 'utf8')).mcpServers;
    const page = await scene.page();
    const { panel, server } = await openPanel(page);
    await panel.getByText('Add a server').click();
    await panel.getByLabel('Command or address').fill(`${process.execPath} '${EVERYTHING}'`);
    await panel.getByLabel('Name').fill('all/too');
    await panel.getByLabel('Variables, one a line').fill('A_KEY=hidden later');
    await panel.getByRole('button', { name: 'Put on the list' }).click();
    await panel.getByRole('alert').getByText('A name is made of').waitFor();
    await panel.getByLabel('Name').fill('all');
    await panel.getByRole('button', { name: 'Put on the list' }).click();
    await server('all').getByText('nothing is started or asked').waitFor();
    // All of it stands there, before and not after the yes.
    expect(await server('all').innerText()).toContain('A_KEY="hidden later"');
    expect(kept().all.disabled).toBe(true);
    expect(await findings(page)).toEqual([]);
    await server('all').getByRole('button', { name: 'Let it start' }).click();
    await server('all').getByText('connected', { exact: true }).waitFor();
    expect(await server('all').innerText()).not.toContain('hidden later');
    expect(kept()).toEqual({ all: { command: process.execPath, args: [EVERYTHING], env: { A_KEY: 'hidden later' } } });
    await server('all').getByRole('button', { name: 'Remove' }).click();
    await server('all').getByRole('button', { name: 'Really remove' }).click();
    await panel.getByText('There are no MCP servers yet.').waitFor();
    expect(kept()).toEqual({});
  });

  it('says how each stands and why, and turns one off and on', async () => {
    verifies('B10');
    const scene = await sceneWith({
      all: program,
      broken: { command: path.join(import.meta.dirname, 'no-such-program') },
      resting: { ...program, disabled: true },
    });
    const page = await scene.page();
    const { panel, server } = await openPanel(page);
    await server('all').getByText('connected', { exact: true }).waitFor();
    await server('all').getByText('Its tools').click();
    await server('all').getByText('echo', { exact: true }).waitFor();
    await server('broken').getByText('failed', { exact: true }).waitFor();
    expect(await server('broken').innerText()).toContain('no-such-program');
    await server('resting').getByText('disabled').waitFor();
    expect(await findings(page)).toEqual([]);

    await server('all').getByRole('button', { name: 'Turn off' }).click();
    await server('all').getByText('disabled').waitFor();
    await server('all').getByText('a new session begins another one').waitFor();
    const kept = () => JSON.parse(readFileSync(path.join(scene.home, '.config/halter/mcp.json'), 'utf8'));
    expect(kept().mcpServers.all.disabled).toBe(true);
    await server('all').getByRole('button', { name: 'Turn on' }).click();
    await server('all').getByText('connected', { exact: true }).waitFor();
    expect(kept().mcpServers.all.disabled).toBeUndefined();
    await server('all').getByRole('button', { name: 'Reconnect' }).click();
    await server('all').getByText('connected', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('lets one of the folder start once the person saw what it is, and just that', async () => {
    verifies('B10', 'B11');
    const scene = await sceneWith({}, { here: program });
    expect((await runHalter(['trust'], { cwd: scene.folder, home: scene.home })).code).toBe(0);
    const page = await scene.page();
    const { server } = await openPanel(page);
    await server('here').getByText('not connected').waitFor();
    expect(await server('here').innerText()).toContain(EVERYTHING);
    // The folder says something else meanwhile.
    const file = path.join(scene.folder, '.mcp.json');
    const shown = readFileSync(file, 'utf8');
    writeFileSync(file, shown.replace('index.js', 'other.js'));
    await server('here').getByRole('button', { name: 'Let it start' }).click();
    await server('here').getByText('Look at it again').waitFor();
    expect(existsSync(path.join(scene.home, '.config/halter/mcp-consents.json'))).toBe(false);
    writeFileSync(file, shown);
    await server('here').getByRole('button', { name: 'Let it start' }).click();
    await server('here').getByText('connected', { exact: true }).waitFor();
    scene.model.on('say it', [
      { calls: [{ name: 'mcp__here__echo', arguments: { message: 'from the folder' } }] },
      { text: 'It was said.' },
    ]);
    await page.keyboard.press('Escape');
    await say(page, 'say it');
    await page.getByText('It was said.').waitFor();
    expect(scene.model.server.requests.at(-1)?.text).toContain('Echo: from the folder');
  });

  it('logs in at the address that the server names, by a click alone, and out again', async () => {
    verifies('B10');
    const far = await startOAuthServer();
    const scene = await sceneWith({ far: { url: far.url } });
    const page = await scene.page();
    const { server } = await openPanel(page);
    await server('far').getByText('login needed', { exact: true }).waitFor();
    await server('far').getByRole('button', { name: 'Log in' }).click();
    const link = server('far').getByRole('link', { name: /^Log in at 127\.0\.0\.1/ });
    await link.waitFor();
    // Nobody was sent anywhere yet.
    expect(far.seen.filter((line) => /authorize/.test(line))).toEqual([]);
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.getByText('You can close this page').waitFor();
    await opened.close();
    await server('far').getByText('connected', { exact: true }).waitFor();
    await server('far').getByText('· 1 tool').waitFor();
    await server('far').getByRole('button', { name: 'Log out' }).click();
    await server('far').getByText('login needed', { exact: true }).waitFor();
    expect(readFileSync(path.join(scene.home, '.config/halter/mcp-logins.json'), 'utf8')).not.toContain('access-1');

    // The browser is on another machine: the address it ends at is carried over by hand.
    await server('far').getByRole('button', { name: 'Log in' }).click();
    await link.waitFor();
    const asked = await fetch((await link.getAttribute('href')) ?? '', { redirect: 'manual' });
    await server('far').getByText('another machine').click();
    const field = server('far').getByRole('textbox', { name: 'The address that the login ends at' });
    await field.fill('http://evil.test/callback?code=1');
    await server('far').getByRole('button', { name: 'Send' }).click();
    await server('far').getByText('not the address').waitFor();
    await field.fill(asked.headers.get('location') ?? '');
    await server('far').getByRole('button', { name: 'Send' }).click();
    await server('far').getByText('connected', { exact: true }).waitFor();
  });
});

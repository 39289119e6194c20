/** The eight topics of the LLaMA Chat document, in a real browser, against the real server. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { callsIn, inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'a.txt': 'alpha\n', 'b.txt': 'beta\n' }, ['--allow', 'bash', '--max-iterations', '3']);
});
afterAll(() => scene?.close());

const it = inBrowser;

const ONE_LINE_PIXELS = 48;

describe('the web app and the document’s topics', () => {
  it('1 and 8: shows a call in its own container, with its arguments as highlighted JSON and the result apart', async () => {
    verifies('L7', 'L8');
    scene.model.on('topic one', [
      { text: 'I look.', calls: [{ name: 'ls', arguments: { path: '.', max_entries: 7 } }] },
      { text: 'Two files.' },
    ]);
    const page = await scene.page();
    await say(page, 'topic one');
    await page.getByText('Two files.').waitFor();
    const [call] = await callsIn(page);
    expect(call).toMatchObject({ name: 'ls', state: 'done' });
    const card = page.locator('[data-call]');
    await card.getByRole('button').first().click();
    const shown = card.getByLabel('Arguments of ls');
    expect(JSON.parse((await shown.textContent()) ?? '')).toEqual({ path: '.', max_entries: 7 });
    expect(await shown.locator('.json-key').allTextContents()).toEqual(['"path"', '"max_entries"']);
    expect(await shown.locator('.json-number').textContent()).toBe('7');
    expect(await card.getByLabel('Result of ls').textContent()).toContain('a.txt');
    // The container is tinted blue: more blue in it than red.
    const [red = 0, , blue = 0] = await card.evaluate((element) =>
      (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? []).map(Number),
    );
    expect(blue).toBeGreaterThan(red);
    expect(await page.locator('[data-answer]').allTextContents()).toEqual(['I look.', 'Two files.']);
  });

  it('2: the route for tools runs them for the page that has the token, and for nobody else', async () => {
    verifies('L8');
    const page = await scene.page();
    const execute = (who: 'the page' | 'nobody') =>
      page.evaluate(async (given) => {
        // The page's key lies in the storage of its origin; nothing is sent by itself.
        const key = given === 'the page' ? localStorage.getItem('halter key') : 'none';
        const response = await fetch('/api/tools/execute', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ tool_name: 'bash', arguments: { command: 'echo from the page; exit 3' } }),
        });
        return { status: response.status, body: (await response.json()) as Record<string, unknown> };
      }, who);
    const ran = await execute('the page');
    expect(ran.status).toBe(200);
    expect(ran.body).toMatchObject({ success: false, exit_code: 3 });
    expect(JSON.stringify(ran.body['result'])).toContain('from the page');
    expect((await execute('nobody')).status).toBe(401);
  });

  it('3 and 6: understands the formats of several families in text, and shows none of their marks', async () => {
    verifies('L5', 'L7', 'L8');
    const formats = {
      qwen: '<tool_call>\n{"name": "ls", "arguments": {"path": "."}}\n</tool_call>',
      llama: '<function=ls>{"path": "."}</function>',
      mistral: '[TOOL_CALLS] [{"name": "ls", "arguments": {"path": "."}}]',
    };
    const page = await scene.page();
    for (const [family, text] of Object.entries(formats)) {
      scene.model.on(`format of ${family}`, [{ text: `Looking now. ${text}` }, { text: `Seen by ${family}.` }]);
      await page.getByRole('button', { name: 'New session' }).click();
      await say(page, `format of ${family}`);
      await page.getByText(`Seen by ${family}.`).waitFor();
      expect(await callsIn(page)).toMatchObject([{ name: 'ls', state: 'done' }]);
      const said = (await page.locator('[data-answer]').allTextContents()).join('\n');
      expect(said).toContain('Looking now.');
      for (const mark of ['tool_call', 'function=', 'TOOL_CALLS', '"name"']) expect(said).not.toContain(mark);
    }
  });

  it('4: goes on by itself until the answer is there, each result fed back', async () => {
    verifies('L6', 'L8');
    scene.model.on('topic four', [
      { calls: [{ name: 'get_working_directory', arguments: {} }] },
      {
        calls: [
          { name: 'ls', arguments: { path: '.' } },
          { name: 'get_file_tree', arguments: {} },
        ],
      },
      { text: 'All of it was read.' },
    ]);
    const page = await scene.page();
    await say(page, 'topic four');
    await page.getByText('All of it was read.').waitFor();
    expect((await callsIn(page)).map(({ name, state }) => `${name} ${state}`)).toEqual([
      'get_working_directory done',
      'ls done',
      'get_file_tree done',
    ]);
    const last = scene.model.server.requests.findLast(({ text }) => text.includes('topic four'));
    const roles = (last?.body['messages'] as { role: string }[] | undefined)?.map(({ role }) => role) ?? [];
    expect(roles.filter((role) => role === 'tool')).toHaveLength(3);
  });

  it('5: says where the limit of iterations was reached, and goes on when asked', async () => {
    verifies('L6', 'L8');
    let path = 0;
    const more = () => ({ calls: [{ name: 'ls', arguments: { path: '.', max_entries: ++path } }] });
    scene.model.on('topic five', [more(), more(), more(), more()]);
    scene.model.on('Go on.', [{ text: 'Gone on.' }]);
    const page = await scene.page();
    await say(page, 'topic five');
    const notice = page.locator('[data-notice="limit"]');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/Stopped after 3 iterations/);
    expect(await callsIn(page)).toHaveLength(3);
    await notice.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Gone on.').waitFor();
  });

  it('7: tells a failed command in one red line, and opened its reason first and its output under it', async () => {
    verifies('L8');
    scene.model.on('topic seven', [
      { calls: [{ name: 'bash', arguments: { command: 'echo something went wrong >&2; exit 7' } }] },
      { text: 'It failed.' },
    ]);
    const page = await scene.page();
    await say(page, 'topic seven');
    await page.getByText('It failed.').waitFor();
    const card = page.locator('[data-call][data-state="failed"]');
    expect(await card.getByText('Reason').count()).toBe(0);
    expect((await card.boundingBox())?.height).toBeLessThan(ONE_LINE_PIXELS);
    await card.getByRole('button', { name: 'failed' }).click();
    const text = (await card.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/failed/);
    expect(text.indexOf('Reason')).toBeGreaterThan(0);
    expect(text.indexOf('Reason')).toBeLessThan(text.indexOf('Arguments'));
    expect(await card.getByLabel('Result of bash').textContent()).toContain('something went wrong');
  });

  it('needs no change for a tool that it never heard of', async () => {
    verifies('L9');
    const page = await scene.page();
    const names = await page.evaluate(async () => {
      const { tools } = (await (
        await fetch('/api/tools', { headers: { authorization: `Bearer ${localStorage.getItem('halter key')}` } })
      ).json()) as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    });
    // No script of the page knows any of them but the one it calls for its first suggestions.
    const scripts = await page.evaluate(async () => {
      const paths = [...document.querySelectorAll('script[src]')].map((script) => script.getAttribute('src') ?? '');
      return (await Promise.all(paths.map(async (path) => (await fetch(path)).text()))).join('\n');
    });
    const known = names.filter((name) => name.includes('_') && scripts.includes(name));
    expect(known).toEqual(['get_file_tree']);
  });
});

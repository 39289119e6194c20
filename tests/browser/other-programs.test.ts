/** What other programs cost that use this halter's models, as the page shows it. */
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../requirements.ts';
import { findings, inBrowser, openWebScene } from './support/web-scene.ts';

const it = inBrowser;
const CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": "3",}}\n</tool_call>';

describe('the panel of other programs', () => {
  it('says by program what it asked, what it read and what was repaired for it', async () => {
    verifies('B2');
    const scene = await openWebScene({});
    onTestFinished(() => scene.close());
    scene.model.on('Weather?', [{ text: CALL }]);
    const page = await scene.page();
    const openPanel = async () => {
      await page.getByRole('button', { name: /^Sessions of .*: more/ }).click();
      await page.getByRole('menuitem', { name: 'Other programs' }).click();
      return page.getByRole('dialog', { name: 'Other programs' });
    };
    const panel = await openPanel();
    await panel.getByText('halter connect').waitFor();
    expect(await findings(page)).toEqual([]);

    const { origin, searchParams } = new URL(scene.url);
    const response = await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${searchParams.get('token')}`,
        'content-type': 'application/json',
        'user-agent': 'codex/0.169.0 (Linux)',
      },
      body: JSON.stringify({
        model: 'default',
        messages: [{ role: 'user', content: 'Weather?' }],
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }],
      }),
    });
    expect(response.status).toBe(200);
    const program = panel.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'codex' }) });
    await program.waitFor();
    expect(await program.innerText()).toMatch(/chat-completions[\s\S]*1 request · \d+ tokens[\s\S]*1 call repaired/);
    expect(await findings(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
  });
});

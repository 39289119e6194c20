/** Signs that turn the direction of a text make one file look like another: nowhere on the page do they work. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { inBrowser, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
const TURNED = 'photo\u202Egnp.exe\u202C';
const SHOWN = 'photo\\u{202E}gnp.exe';
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': `open ${TURNED}\n` });
  scene.model.on('turned', [
    { calls: [{ name: 'bash', arguments: { command: `echo '${TURNED}'; cat notes.txt` } }] },
    {
      reasoning: `thinking of ${TURNED}`,
      text: `# ${TURNED}\n\n- ${TURNED} and \`${TURNED}\`\n\n\`\`\`sh\nrun ${TURNED}\n\`\`\`\n\n| a |\n|---|\n| ${TURNED} |\n\nOver.`,
    },
  ]);
}, 120_000);
afterAll(() => scene?.close());

const it = inBrowser;

/** Texts, names for screen readers and the title in which such a sign stands; a field holds what the person writes. */
const turned = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const TURNS = /[\\u202a-\\u202e\\u2066-\\u2069]/;
    const found = TURNS.test(document.title) ? ['title of the page'] : [];
    for (const element of document.querySelectorAll('body *')) {
      if (element.matches('textarea, input, script, style')) continue;
      for (const node of element.childNodes)
        if (node.nodeType === 3 && TURNS.test(node.data)) found.push(element.tagName + ' ' + element.className + ': ' + node.data.slice(0, 60));
      for (const { name, value } of element.attributes)
        if (['title', 'aria-label', 'alt', 'placeholder'].includes(name) && TURNS.test(value)) found.push(name + ': ' + value);
    }
    return found;
  })()`) as Promise<string[]>;

describe('a text with signs that turn its direction', () => {
  it('is shown with its signs in messages, questions, calls, answers, names and lists', async () => {
    verifies('S1');
    const page = await scene.page({});
    await say(page, `turned ${TURNED}`);
    const asked = page.getByRole('alertdialog');
    await asked.waitFor();
    const at: Record<string, string[]> = { question: await turned(page) };
    const other = await scene.page();
    await other.locator('[data-waiting]').waitFor();
    at['inbox'] = await turned(other);
    await expect.poll(() => asked.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
    await asked.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Over.').waitFor();
    for (const call of await page.locator('[data-call] button[aria-expanded=false]').all()) await call.click();
    at['answer'] = await turned(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    at['search'] = await turned(page);
    expect(at).toEqual({ question: [], inbox: [], answer: [], search: [] });
    expect(await page.locator('[data-answer]').last().innerText()).toContain(SHOWN);
  });
});

/** Models in the page: found, chosen, got, tried and removed, without a restart and without a command line. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, openWebScene, say, themesFor, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
let goOn = (): void => {};
const gate = new Promise<void>((resolve) => {
  goOn = resolve;
});
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene(
    {},
    [],
    {},
    {
      provider: 'ollama',
      async *pulls(model) {
        yield { status: 'pulling layer', total: 1_000, completed: 400 } as JsonObject;
        if (model === 'slow') await gate;
        yield { status: 'success' } as JsonObject;
      },
    },
  );
}, 120_000);
afterAll(async () => {
  goOn();
  await scene?.close();
});

const it = inBrowser;
const open = async (page: Awaited<ReturnType<WebScene['page']>>) => {
  await page.getByRole('button', { name: /^Model / }).click();
  return page.getByRole('dialog', { name: 'Models' });
};

describe('the models', () => {
  it('are searched and chosen with the keyboard, for this session', async () => {
    scene.model.on('who answers', [{ text: 'The other one.' }]);
    const page = await scene.page();
    const dialog = await open(page);
    await dialog.locator('[data-model="ollama/test-model"][aria-current="true"]').waitFor();
    await dialog.getByText('fits in memory').first().waitFor();
    await dialog.getByRole('searchbox', { name: 'Search models' }).fill('other');
    await expect.poll(() => dialog.locator('[data-model]').count()).toBe(1);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Model ollama/other-model, ready' }).waitFor();
    await say(page, 'who answers');
    await page.getByText('The other one.').waitFor();
    expect(scene.model.server.requests.at(-1)?.body['model']).toBe('other-model');
  });

  it('are waited for in sight where the one that a session is to take is still loaded', async () => {
    verifies('L8');
    scene.model.on('before another is chosen', [{ text: 'Answered before.' }]);
    const page = await scene.page({});
    await say(page, 'before another is chosen');
    await page.getByText('Answered before.').waitFor();
    const loaded = Promise.withResolvers<void>();
    await page.route(/\/commands$/, (route) => void loaded.promise.then(() => route.continue()));
    const dialog = await open(page);
    await dialog.locator('[data-model="ollama/test-model"][aria-current="true"]').waitFor();
    await dialog.getByRole('searchbox', { name: 'Search models' }).fill('other');
    await page.keyboard.press('Enter');
    const word = page.getByRole('status').getByText('ollama/other-model is being loaded by its server.');
    await word.waitFor();
    loaded.resolve();
    await word.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Model .*other-model, ready$/ }).waitFor();
  });

  it('are named to be got later: the name is there again, and nothing is got', async () => {
    const page = await scene.page({});
    const field = (await open(page)).getByRole('textbox', { name: 'Model to get' });
    await field.fill('later');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
    await open(page);
    await expect.poll(() => field.inputValue()).toBe('later');
    await page.reload();
    await open(page);
    await expect.poll(() => field.inputValue()).toBe('later');
  });

  it('are not offered to be got where halter was started for a server that gets none', async () => {
    const other = await openWebScene({});
    try {
      const page = await other.page({});
      // Until the servers were asked nobody knows what can be got.
      const asked = Promise.withResolvers<void>();
      await page.route('**/api/models?details=true', (route) => void asked.promise.then(() => route.continue()));
      const dialog = await open(page);
      await dialog.getByRole('searchbox', { name: 'Search models' }).waitFor();
      expect(await dialog.getByRole('textbox', { name: 'Model to get' }).count()).toBe(0);
      asked.resolve();
      await dialog.getByText('halter was started for one server, which gets no models here.').waitFor();
      expect(await dialog.getByRole('textbox', { name: 'Model to get' }).count()).toBe(0);
      expect(await dialog.getByRole('button', { name: /^Get/ }).count()).toBe(0);
      expect(await findings(page)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('are got, with how far it is, and removed once the person is sure', async () => {
    const page = await scene.page();
    const dialog = await open(page);
    await dialog.getByRole('textbox', { name: 'Model to get' }).fill('fresh');
    await page.keyboard.press('Enter');
    await dialog.locator('[data-job="done"]').getByText('ollama/fresh').waitFor();
    const row = dialog.locator('[data-model-row="ollama/fresh"]');
    await row.getByRole('button', { name: 'About fresh' }).click();
    await row.getByRole('button', { name: 'Remove' }).click();
    await row.getByText('Remove fresh?').waitFor();
    await row.getByRole('button', { name: 'Remove', exact: true }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('that fit this machine are suggested, and got with a click', async () => {
    const page = await scene.page();
    const dialog = await open(page);
    await dialog.getByText('Models that fit this machine').click();
    const first = dialog
      .locator('[data-suggestion]')
      .filter({ has: page.getByRole('button') })
      .first();
    await first.getByText(/to download · .* of memory/).waitFor();
    await first.getByRole('button', { name: /^Get / }).click();
    await dialog
      .locator('[data-job="done"]')
      .getByText(/ollama\/hf\.co\//)
      .waitFor();
  });

  it('are no longer got when the person stops it, also after the page was loaded again', async () => {
    const page = await scene.page();
    const before = await open(page);
    await before.getByRole('textbox', { name: 'Model to get' }).fill('slow');
    await page.keyboard.press('Enter');
    await before.getByText('40 %').waitFor();
    await page.reload();
    const dialog = await open(page);
    await expect.poll(() => dialog.getByRole('progressbar').getAttribute('value')).toBe('0.4');
    await dialog.getByRole('button', { name: 'Stop: ollama/slow' }).click();
    await dialog.locator('[data-job="stopped"]').waitFor();
    expect(await dialog.locator('[data-model="ollama/slow"]').count()).toBe(0);
  });

  it('have no serious finding of axe, in both themes, and fit a phone', async () => {
    const page = await scene.page({ viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true });
    const dialog = await open(page);
    await dialog.getByRole('button', { name: 'About test-model' }).click();
    await dialog.getByText('Models that fit this machine').click();
    await dialog.locator('[data-suggestion]').first().waitFor();
    for (const colorScheme of themesFor(1)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }
    const small = await dialog
      .locator('button, input, summary')
      .evaluateAll((all) => all.map((each) => [each.textContent, each.getBoundingClientRect().height] as const));
    expect(small.filter(([, height]) => height < 40)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});

describe('where no model is', () => {
  it('leads to the list of models from the empty page', async () => {
    const own = await openWebScene({});
    try {
      await own.model.server.close();
      const page = await own.page();
      await page.getByRole('heading', { name: 'No model is ready' }).waitFor();
      await page.getByRole('button', { name: 'Choose or get a model' }).click();
      const dialog = page.getByRole('dialog', { name: 'Models' });
      await dialog.getByText('No model server is there, and no model file.').waitFor();
      await dialog.getByText('Models that fit this machine').click();
      await dialog.locator('[data-suggestion]').first().waitFor();
    } finally {
      await own.close();
    }
  });
});

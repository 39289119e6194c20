/** The walk that everybody takes through the page, in the browsers that the other tests do not use. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { everyNth } from '../support/long.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type Driver, OTHER_BROWSERS } from './support/other-browsers.ts';
import { startScriptedModel } from './support/scripted-model.ts';
import { serve } from './support/serve.ts';

const TIMEOUT_MS = 180_000;
const WAIT_MS = 30_000;
const LOOK_MS = 50;
const ENTER = '\uE007';
const ESCAPE = '\uE00C';

/** The first thing in sight that is called so, as an expression. */
const called = (selector: string, name: RegExp): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) =>
    each.getClientRects().length > 0 && ${name}.test((each.getAttribute('aria-label') ?? each.textContent).trim()))`;

const handle = (driver: Driver) => {
  const until = (expression: string): Promise<void> =>
    vi.waitFor(
      async () => expect([expression, await driver.evaluate(`Boolean(${expression})`)]).toEqual([expression, true]),
      { timeout: WAIT_MS, interval: LOOK_MS },
    );
  const keys = (text: string): Promise<void> =>
    driver.perform([
      {
        type: 'key',
        id: 'keys',
        actions: [...text].flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      },
    ]);
  const click = async (selector: string, name: RegExp): Promise<void> => {
    const found = called(selector, name);
    await until(`(${found}) && !(${found}).disabled`);
    const [x, y] = (await driver.evaluate(
      `(({ left, top, width, height }) => [left + width / 2, top + height / 2].map(Math.round))((${found}).getBoundingClientRect())`,
    )) as [number, number];
    await driver.perform([
      {
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [
          { type: 'pointerMove', x, y, duration: 0 },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      },
    ]);
  };
  return {
    until,
    keys,
    click,
    sees: (selector: string, name: RegExp) => until(called(selector, name)),
    say: async (text: string): Promise<void> => {
      await click('textarea', /^Message$/);
      await keys(text + ENTER);
    },
  };
};

const ANSWER = ['# A title\n\nThe sum is $x^2$.\n\n', '```ts\nconst two = 2;\n```\n', '\nThe end.'];

/** Usually one of them, which takes a quarter of a minute; in a long run each. */
describe.each(everyNth(OTHER_BROWSERS, OTHER_BROWSERS.length))('in $name', ({ missing, launch }) => {
  test('the page is used as in every other', { timeout: TIMEOUT_MS }, async (context) => {
    if (missing !== undefined) context.skip(missing);
    const [folder, home] = [scratchFolder(), scratchFolder()];
    const model = await startScriptedModel();
    onTestFinished(() => model.server.close());
    const served = await serve(model.server.openaiUrl, folder, home);
    onTestFinished(() => served.close());
    const driver = await launch(scratchFolder());
    onTestFinished(() => driver.close());
    const { until, keys, click, sees, say } = handle(driver);
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    onTestFinished(() => release());
    model.on('tell me', [{ text: ANSWER, gates: { 3: gate } }]);
    model.on('write it here', [
      { calls: [{ name: 'write_file', arguments: { path: 'made.txt', content: 'one\n' } }] },
      { text: 'Written.' },
    ]);
    model.on('elsewhere', [{ calls: [{ name: 'write_file', arguments: { path: 'other.txt', content: 'two\n' } }] }]);
    model.on('go on for ever', [{ text: ['For ', 'ever.'], gates: { 2: new Promise(() => undefined) } }]);

    await driver.resize(1280, 800);
    await driver.open(served.url);
    await driver.evaluate(
      "(window.faults = [], addEventListener('error', ({ message }) => faults.push(message)), addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason))), true)",
    );
    await sees('h2', /is ready$/);

    // An answer is there while it comes, with mathematics and coloured code at its end.
    await say('tell me');
    await sees('h1', /^A title$/);
    await sees('button', /^Stop$/);
    release();
    await sees('p', /^The end\.$/);
    await until("document.querySelector('math msup')");
    await until("document.querySelector('.tok-keyword')");
    await click('footer button', /^Copy answer$/);
    await sees('footer [role=status]', /^Copied$/);

    // Nothing is done before it is allowed.
    await say('write it here');
    await sees('[role=alertdialog] h2', /made\.txt/);
    expect(fs.existsSync(path.join(folder, 'made.txt'))).toBe(false);
    await click('[role=alertdialog] button', /Allow once/);
    await sees('p', /^Written\.$/);
    expect(fs.readFileSync(path.join(folder, 'made.txt'), 'utf8')).toBe('one\n');

    // What begins elsewhere stands in the list.
    const { origin, searchParams } = new URL(served.url);
    const headers = { authorization: `Bearer ${searchParams.get('token')}`, 'content-type': 'application/json' };
    const begun = await fetch(`${origin}/api/sessions`, { method: 'POST', headers, body: '{}' });
    const { id } = (await begun.json()) as { id: string };
    const body = JSON.stringify({ type: 'send_message', content: 'write it elsewhere' });
    await fetch(`${origin}/api/sessions/${id}/commands`, { method: 'POST', headers, body });
    await sees('[data-waiting] a', /elsewhere/);

    await say('go on for ever');
    await sees('p', /^For/);
    await click('button', /^Stop$/);
    await sees('[data-row]', /Stopped/);

    await click('button', /^Settings$/);
    await sees('dialog', /^Settings$/);
    await keys(ESCAPE);
    await until("document.querySelector('dialog') === null");
    expect(await driver.evaluate('faults')).toEqual([]);

    // As narrow as the browser gets, after a reload.
    await driver.resize(360, 740);
    await driver.open(await driver.evaluate('location.href').then(String));
    await sees('button', /^Send$/);
    await sees('[data-row]', /Stopped/);
    expect(
      await driver.evaluate(
        `[${called('button', /^Send$/)}.getBoundingClientRect().right <= innerWidth, document.documentElement.scrollWidth <= innerWidth, innerWidth < 480]`,
      ),
    ).toEqual([true, true, true]);
  });
});

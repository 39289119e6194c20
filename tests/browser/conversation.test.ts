/** What a person does with the web app, in a real browser, against the real server. */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { callsIn, ended, inBrowser, openSide, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  // A file for each test that changes one: an edit of what changed since halter read it is refused and asks nobody.
  const text = 'one\ntwo\n';
  scene = await openWebScene({
    'notes.txt': text,
    'held.txt': text,
    'pressed.txt': text,
    'tabs.txt': text,
    'README.md': '# Demo\n',
  });
});
afterAll(() => scene?.close());

const it = inBrowser;
const gate = (): { open(): void; opened: Promise<void> } => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};
const file = (name: string): string => fs.readFileSync(path.join(scene.folder, name), 'utf8');
const question = (page: Page) => page.getByRole('alertdialog');
const answers = (page: Page): Promise<string[]> => page.locator('[data-answer]').allTextContents();
const writes = (content: string, name = 'notes.txt') => ({
  calls: [{ name: 'write_file', arguments: { path: name, content } }],
});

describe('permission', () => {
  it('asks with the change, the risk and the rule, and runs nothing until it is answered', async () => {
    verifies('Z8', 'H7', 'H12');
    scene.model.on('ask me', [writes('one\nTWO\n'), { text: 'Written.' }]);
    const page = await scene.page();
    await say(page, 'ask me');
    const asked = question(page);
    await asked.waitFor();
    const text = (await asked.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/^Write notes\.txt, 1 line added, 1 removed\./);
    expect(text).toContain('-two +TWO');
    expect(text).toContain('HIGH');
    // A write runs in none.
    expect(text).not.toMatch(/sandbox/i);
    expect(text).toContain('Session and Remember allow write_file(notes.txt)');
    // The rule is changed where it is wanted, so that the question stays small.
    expect(await asked.getByLabel(/Pattern/).count()).toBe(0);
    const height = (await asked.boundingBox())?.height ?? 0;
    expect(height).toBeLessThan(300);
    // It stands beside the call that it asks about and covers nothing of it.
    const box = await asked.boundingBox();
    const call = await page.locator('[data-call][data-state="asks"]').boundingBox();
    expect(call && box && call.y + call.height <= box.y).toBe(true);
    expect(file('notes.txt')).toBe('one\ntwo\n');
    await asked.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Written.').waitFor();
    expect(file('notes.txt')).toBe('one\nTWO\n');
  });

  it('takes no key that was pressed before it appeared, nor one of a message that is being written', async () => {
    const held = gate();
    scene.model.on('held keys', [
      { ...writes('never', 'held.txt'), headersGate: held.opened },
      { text: 'Not written.' },
    ]);
    const page = await scene.page();
    await say(page, 'held keys');
    await page.getByRole('textbox', { name: 'Message' }).focus();
    // A person who types on while the question comes up: digits that would answer it.
    held.open();
    await page.keyboard.type('1', { delay: 20 });
    while ((await question(page).count()) === 0) await page.keyboard.type('1', { delay: 10 });
    await page.keyboard.type('11', { delay: 10 });
    expect(await question(page).count()).toBe(1);
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toMatch(/^1+$/);
    await question(page).getByLabel('Why you deny it, for the model').fill('not now');
    await question(page).getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Not written.').waitFor();
    expect(file('held.txt')).toBe('one\ntwo\n');
    expect(await callsIn(page)).toMatchObject([{ state: 'denied' }]);
    const told = scene.model.server.requests.findLast(({ text }) => text.includes('held keys'))?.text;
    expect(told).toContain('not now');
  });

  it('waits until no key was pressed for a moment before a key answers it', async () => {
    const held = gate();
    scene.model.on('pressed on', [
      { ...writes('never', 'pressed.txt'), headersGate: held.opened },
      { text: 'Not written either.' },
    ]);
    const page = await scene.page();
    await say(page, 'pressed on');
    // The session is begun and opened first.
    await page.locator('[data-row=user]').getByText('pressed on').waitFor();
    // Nothing is being written, so the question may take the keys; but the same key goes on coming.
    await page.locator('[data-scroller]').focus();
    held.open();
    // By the page's own clock, which is also the one of the question: no pause between two keys is longer than meant.
    await page.evaluate(
      ({ everyMs, presses }) =>
        new Promise<void>((resolve) => {
          let after = 0;
          const timer = setInterval(() => {
            const key = new KeyboardEvent('keydown', { key: '1', bubbles: true, cancelable: true });
            (document.activeElement ?? document.body).dispatchEvent(key);
            if (document.querySelector('[role=alertdialog]')) after += 1;
            if (after < presses) return;
            clearInterval(timer);
            resolve();
          }, everyMs);
        }),
      { everyMs: 40, presses: 15 },
    );
    expect(await question(page).count()).toBe(1);
    expect(file('pressed.txt')).toBe('one\ntwo\n');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'alertdialog');
    await page.keyboard.press('4');
    await page.getByText('Not written either.').waitFor();
  });

  it('keeps a pattern that the person changed, and does not take one that misses the call', async () => {
    scene.model.on('first pattern', [writes('1', 'made/one.txt'), { text: 'The first is made.' }]);
    scene.model.on('second pattern', [writes('2', 'made/two.txt'), { text: 'The second is made.' }]);
    const page = await scene.page();
    await say(page, 'first pattern');
    await question(page).getByRole('button', { name: 'Change' }).click();
    const pattern = question(page).getByLabel(/Pattern/);
    await pattern.fill('other/**');
    await question(page).getByRole('button', { name: 'Session' }).click();
    await page.getByText('does not cover this call').waitFor();
    await pattern.fill('made/**');
    await question(page).getByRole('button', { name: 'Session' }).click();
    await page.getByText('The first is made.').waitFor();
    await say(page, 'second pattern');
    await page.getByText('The second is made.').waitFor();
    expect(file('made/two.txt')).toBe('2');
  });
});

describe('a mode', () => {
  it('is chosen in the page, and lets pass what it says', async () => {
    scene.model.on('edit freely', [writes('free', 'free.txt'), { text: 'Edited.' }]);
    scene.model.on('edit again', [writes('freer', 'freer.txt'), { text: 'Edited again.' }]);
    const page = await scene.page();
    await page.getByRole('button', { name: /^Mode ask/ }).click();
    // The one that holds is marked, and is where the keys begin.
    const held = page.getByRole('menuitemradio', { checked: true });
    expect(await held.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await held.locator('svg').isVisible()).toBe(true);
    expect(await page.getByRole('menuitemradio', { checked: false }).locator('svg').count()).toBe(0);
    await page.getByRole('menuitemradio', { name: /^edit/ }).click();
    await say(page, 'edit freely');
    await page.getByText('Edited.').waitFor();
    expect(file('free.txt')).toBe('free');
    await page.getByRole('button', { name: /^Mode edit/ }).click();
    await page.getByRole('menuitemradio', { name: /^ask/ }).click();
    await page.getByRole('button', { name: /^Mode ask/ }).waitFor();
    await say(page, 'edit again');
    await question(page).getByRole('button', { name: 'All edits' }).click();
    await page.getByRole('button', { name: /^Mode edit/ }).waitFor();
    const card = page.locator('[data-call]').last();
    await card.getByRole('button').first().click();
    await card.getByText('Permission: you allowed it once.').waitFor();
    // It was chosen for this session, and the next one begins as every other.
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await page.getByRole('button', { name: /^Mode ask/ }).waitFor();
  });
});

describe('a run', () => {
  it('goes on over a reload in the middle of its answer, and nothing is lost or doubled', async () => {
    verifies('B5');
    const held = gate();
    scene.model.on('reload me', [
      { text: ['First half, ', 'still first. ', 'Second half.'], gates: { 3: held.opened } },
    ]);
    const page = await scene.page();
    await say(page, 'reload me');
    await page.getByText('First half').waitFor();
    await page.reload();
    await page.getByText('First half').waitFor();
    expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(1);
    held.open();
    await page.getByText('Second half.').waitFor();
    expect(await answers(page)).toEqual(['First half, still first. Second half.']);
  });

  it('is the same in two tabs, and each can answer', async () => {
    verifies('H12');
    scene.model.on('two tabs', [writes('one\ntwo\nthree\n', 'tabs.txt'), { text: 'Both saw it.' }]);
    const first = await scene.page();
    await say(first, 'two tabs');
    await question(first).waitFor();
    const second = await first.context().newPage();
    await second.goto(first.url());
    await question(second).getByRole('button', { name: 'Deny' }).click();
    for (const page of [first, second]) {
      await page.getByText('Both saw it.').waitFor();
      expect(await question(page).count()).toBe(0);
      expect(await callsIn(page)).toMatchObject([{ name: 'write_file', state: 'denied' }]);
    }
  });

  it('is stopped by Escape, and what was written until then stays', async () => {
    verifies('E11');
    const held = gate();
    scene.model.on('stop me', [{ text: ['Written so far. ', 'Never seen.'], gates: { 2: held.opened } }]);
    const page = await scene.page();
    await say(page, 'stop me');
    await page.getByText('Written so far.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-notice="cancelled"]').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    held.open();
    expect((await answers(page)).join()).toContain('Written so far.');
    expect((await answers(page)).join()).not.toContain('Never seen.');
  });

  it('shows what a command prints while it runs, and its tasks', async () => {
    verifies('Z18', 'L11');
    // A running command sees what is written into a file that is there, not one that it looked for before (decision 16).
    fs.writeFileSync(path.join(scene.folder, 'go'), '');
    scene.model.on('live output', [
      {
        calls: [
          { name: 'add_task', arguments: { content: 'Wait for the file' } },
          { name: 'bash', arguments: { command: 'echo printed early; until test -s go; do sleep 0.05; done' } },
        ],
      },
      { calls: [{ name: 'update_task', arguments: { task_id: 'task_1', status: 'completed' } }] },
      { text: 'It ended.' },
    ]);
    const page = await scene.page();
    await say(page, 'live output');
    await question(page).getByRole('button', { name: 'Allow once' }).click();
    await page.locator('[data-call][data-state="running"]').getByText('printed early', { exact: true }).waitFor();
    await openSide(page);
    await page.locator('[data-task="pending"]').getByText('Wait for the file').waitFor();
    fs.writeFileSync(path.join(scene.folder, 'go'), 'now');
    await page.getByText('It ended.').waitFor();
    await page.locator('[data-task="completed"]').getByText('Wait for the file').waitFor();
  });
});

describe('a conversation', () => {
  it('branches where a message is edited or answered again, and every branch can be returned to', async () => {
    verifies('B5');
    scene.model.on('version one', [{ text: 'Answer to one.' }]);
    scene.model.on('version two', [{ text: 'Answer to two.' }]);
    const page = await scene.page();
    await say(page, 'version one');
    await page.getByText('Answer to one.').waitFor();
    await ended(page);
    await page.getByRole('textbox', { name: 'Message' }).press('ArrowUp');
    await page.getByRole('textbox', { name: 'Edit message' }).fill('version two');
    await page.keyboard.press('Enter');
    await page.getByText('Answer to two.').waitFor();
    expect(await answers(page)).toEqual(['Answer to two.']);
    const versions = page.getByRole('group', { name: 'Versions of this message' });
    await expect.poll(async () => (await versions.textContent())?.trim()).toBe('2 / 2');
    await ended(page);
    await versions.getByRole('button', { name: 'Earlier message' }).click();
    await page.getByText('Answer to one.').waitFor();
    expect(await answers(page)).toEqual(['Answer to one.']);
    await page.getByRole('button', { name: 'Answer again', exact: true }).click();
    await page.getByRole('group', { name: 'Versions of this answer' }).waitFor();
    await expect.poll(() => answers(page)).toEqual(['Answer to one.']);
  });

  it('takes what is dropped on the page: a picture goes with the message, a short text whole', async () => {
    scene.model.on('look at these', [{ text: 'Seen.' }]);
    const page = await scene.page();
    const data = await page.evaluateHandle(() => {
      const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const bytes = Uint8Array.from(atob(pixel), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File(['the text of the file'], 'dropped.txt', { type: 'text/plain' }));
      transfer.items.add(new File([bytes], 'pixel.png', { type: 'image/png' }));
      transfer.items.add(new File([new Uint8Array([0, 255, 0])], 'program.bin'));
      transfer.items.add(new File(['no picture'], 'broken.png', { type: 'image/png' }));
      return transfer;
    });
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await page.getByRole('button', { name: 'Remove pixel.png' }).waitFor();
    await page.getByText('program.bin is no text.').waitFor();
    await page.getByText('broken.png is no picture that this browser can read').waitFor();
    await page.getByText('goes along whole').waitFor();
    await say(page, 'look at these');
    await page.getByText('Seen.').waitFor();
    expect(await page.getByAltText('Sent with the message').count()).toBe(1);
    const sent = scene.model.server.requests.findLast(({ text }) => text.includes('look at these'))?.text ?? '';
    expect(sent).toContain('the text of the file');
    expect(sent).toContain('data:image/png;base64,iVBORw0');
    const companions = page.getByRole('list', { name: 'Came with the message' });
    expect(await companions.getByText('dropped.txt', { exact: true }).count()).toBe(1);
    // What is told to the model is not what the person wrote.
    await page.locator('footer').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).press('ArrowUp');
    expect(await page.getByRole('textbox', { name: 'Edit message' }).inputValue()).toBe('look at these');
  });

  it('another session is there as soon as it is chosen, so that nothing is typed into the one before', async () => {
    verifies('L8');
    scene.model.on('a first session', [{ text: 'First it is.' }]);
    const page = await scene.page();
    await say(page, 'a first session');
    await page.getByText('First it is.').waitFor();
    const button = page.getByRole('button', { name: 'New session' });
    const isAnother = await button.evaluate(async (element) => {
      const field = (): Element | null => document.querySelector('textarea[aria-label="Message"]');
      const before = field();
      (element as HTMLElement).click();
      // What the page does at once, and nothing that the browser does after it.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      return field() !== before && field() !== null;
    });
    expect(isAnother).toBe(true);
  });

  it('makes room, told what matters, and can be stopped in it', async () => {
    verifies('B7');
    const words = 'The quick brown fox jumps over the lazy dog. '.repeat(80);
    for (const word of ['violet', 'indigo', 'orange', 'yellow']) {
      scene.model.on(`a word like ${word}`, [{ text: `${words} So much for ${word}.` }]);
    }
    scene.model.on('What matters most: the colours', [{ text: '{', headersGate: new Promise<void>(() => {}) }]);
    const page = await scene.page();
    for (const word of ['violet', 'indigo', 'orange', 'yellow']) {
      await say(page, `a word like ${word}`);
      await page.getByText(`So much for ${word}.`).waitFor();
      await ended(page);
    }
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    await sessions
      .getByRole('button', { name: /More about a word like violet/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Make room in the window' }).click();
    await sessions.getByRole('textbox', { name: /What matters/ }).fill('the colours');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Notes are written').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    // The button is gone, and the keys write the next message.
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Message' }).evaluate((field) => field === document.activeElement))
      .toBe(true);
    await page.getByText('no room was made').waitFor();
    await ended(page);
  });

  it('takes commands that are typed, and sends nothing to the model that only looks like one', async () => {
    verifies('B7');
    scene.model.on('a word like maroon', [{ text: 'So much for maroon.' }]);
    scene.model.on('/compcat is what I typed', [{ text: 'So it is.' }]);
    const page = await scene.page();
    const field = page.getByRole('textbox', { name: 'Message' });
    const asked = scene.model.server.requests.length;
    await say(page, '/compact');
    await page.getByRole('status').getByText('Nothing was said here yet').waitFor();
    await expect.poll(() => field.inputValue()).toBe('/compact');
    await say(page, 'a word like maroon');
    await page.getByText('So much for maroon.').waitFor();
    await page.locator('footer').waitFor();
    await say(page, '/compact the port is 4711');
    await page.getByText('The model is told to keep in mind: the port is 4711.').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    // The gauge shows what the next prompt holds.
    await page.locator('[data-meters]').getByText('about').waitFor();
    await say(page, '/compcat is what I typed');
    await page.getByRole('status').getByText('Did you mean /compact?').waitFor();
    await expect.poll(() => field.inputValue()).toBe('/compcat is what I typed');
    expect(scene.model.server.requests.length - asked).toBe(1);
    await say(page, ' /compcat is what I typed');
    await page.getByText('So it is.').waitFor();
  });

  it('is found by what was said, renamed, forked, exported and deleted', async () => {
    verifies('B5');
    scene.model.on('a word like xylophone', [{ text: 'Noted, and glockenspiel.' }]);
    const page = await scene.page();
    await say(page, 'a word like xylophone');
    await page.locator('footer').waitFor();
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    const choose = async (name: string, entry: string): Promise<void> => {
      await sessions
        .getByRole('button', { name: `More about ${name}` })
        .first()
        .click();
      await page.getByRole('menuitem', { name: entry }).click();
    };
    await choose('a word like xylophone', 'Rename');
    await page.getByRole('textbox', { name: 'Name of the session' }).fill('Instruments');
    await page.keyboard.press('Enter');
    await sessions.getByRole('link', { name: /Instruments/ }).waitFor();
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('glockenspiel');
    await page.getByRole('option', { name: /Instruments.*glockenspiel/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('footer').waitFor();
    const original = page.url();
    const downloaded = page.waitForEvent('download');
    await choose('Instruments', 'Export as Markdown');
    expect(fs.readFileSync(await (await downloaded).path(), 'utf8')).toContain('glockenspiel');
    await choose('Instruments', 'Fork');
    await page.waitForURL((url) => url.href !== original);
    await page.getByText('Noted, and glockenspiel.').waitFor();
    const links = sessions.getByRole('link', { name: /Instruments|xylophone/ });
    await expect.poll(() => links.count()).toBe(2);
    await page.goto(original);
    await choose('Instruments', 'Delete');
    await sessions.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => links.count()).toBe(1);
  });

  it('says where an answer comes from, and leads to the call', async () => {
    verifies('E9');
    scene.model.on('with sources', [
      { calls: [{ name: 'get_file_tree', arguments: {} }] },
      { text: 'There are files [source:get_file_tree].' },
    ]);
    const page = await scene.page();
    await say(page, 'with sources');
    const end = page.locator('footer');
    await end.waitFor();
    expect(await end.innerText()).toMatch(/Sources:\s*get_file_tree/);
    const answer = page.locator('[data-answer]');
    await answer.getByRole('button', { name: 'Source: get_file_tree' }).waitFor();
    expect(await answer.textContent()).not.toContain('[source:');
    await answer.getByRole('button', { name: 'Source: get_file_tree' }).click();
    await page.getByLabel('Result of get_file_tree').getByText('README.md').waitFor();
  });

  it('goes on with another model, and keeps in sight what the window holds', async () => {
    const usage = { prompt_tokens: 4_000, cached_tokens: 3_000, completion_tokens: 96 };
    scene.model.on('first model', [{ text: 'By the first.', usage }]);
    scene.model.on('second model', [{ text: 'By the second.', usage }]);
    const page = await scene.page();
    await say(page, 'first model');
    await page.getByText('By the first.').waitFor();
    const meters = page.locator('[data-meters]');
    // The words come before what they cost.
    await expect.poll(() => meters.innerText()).toMatch(/4\.1k \/ 33k\s+75 % reused/);
    await page.getByRole('button', { name: /^Model / }).click();
    await page.locator('[data-model*="other-model"]').click();
    await page.getByText(/^Model: .*other-model$/).waitFor();
    await say(page, 'second model');
    await page.getByText('By the second.').waitFor();
    expect(scene.model.server.requests.at(-1)?.body['model']).toBe('other-model');
    await expect.poll(() => meters.innerText()).toMatch(/4\.1k \/ 8\.2k/);
  });

  it('can be had with the keyboard alone', async () => {
    scene.model.on('keys only', [writes('keys\n', 'keys.txt'), { text: 'By keys.' }]);
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await page.keyboard.type('keys only');
    await page.keyboard.press('Enter');
    await question(page).waitFor();
    // The question takes the keys as soon as none was pressed for a moment.
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'alertdialog');
    await page.keyboard.press('1');
    await page.getByText('By keys.').waitFor();
    expect(file('keys.txt')).toBe('keys\n');
    // Whoever answered goes on writing.
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await expect.poll(focused).toBe('Message');
    // To the call, and open it.
    const card = page.locator('[data-call] button').first();
    for (
      let presses = 0;
      presses < 60 && !(await card.evaluate((each) => each === document.activeElement));
      presses += 1
    ) {
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    await expect.poll(() => card.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Control+Shift+O');
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    // Where the sessions are over the conversation, Escape puts them away.
    await page.setViewportSize({ width: 390, height: 780 });
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    await sessions.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+b');
    await sessions.waitFor();
    await sessions.getByRole('button', { name: /New session/ }).focus();
    await page.keyboard.press('Escape');
    await sessions.waitFor({ state: 'detached' });
    // Whatever had the focus, one goes on to write.
    await expect.poll(focused).toBe('Message');
    await page.getByRole('button', { name: 'Attach files' }).focus();
    await page.keyboard.press('Control+Shift+O');
    await expect.poll(focused).toBe('Message');
  });
});

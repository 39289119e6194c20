/** What is read on the page: mathematics, changes, failures, and states that are true. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { verifies } from '../requirements.ts';
import { CHROMIUM } from './support/chromium.ts';
import { findings, inBrowser, inLongRun, openWebScene, say, type WebScene } from './support/web-scene.ts';

let scene: WebScene;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  scene = await openWebScene({ 'notes.txt': 'one\n' }, ['--allow', 'bash', '--allow', 'folder:read']);
});
afterAll(() => scene?.close());

const it = inBrowser;

const FORMULAS = [
  'The area is \\(\\pi r^2\\), and $a_1 * b * c$ too.',
  '\\[\n\\begin{aligned} x &= 1 \\\\ y &= 2 * 3 * 4 \\end{aligned}\n\n\\]',
  '$$\n- a\n+ b_1 * c_2\n$$',
  'It costs $5 and $10, `$x$` is code.',
];

describe('an answer', () => {
  it('shows mathematics, and gives it back as it was written', async () => {
    const asked: string[] = [];
    scene.model.on('formulas', [{ text: FORMULAS.join('\n\n') }]);
    const page = await scene.page();
    page.on('request', (request) => asked.push(new URL(request.url()).hostname));
    await page.evaluate(
      "window.violations = []; document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective))",
    );
    await say(page, 'formulas');
    await page.locator('footer').waitFor();
    await page.locator('math').nth(3).waitFor();
    expect(await page.locator('math').count()).toBe(4);
    expect(await page.locator('math mtr').count()).toBe(2);
    expect(await page.locator('[role=log]').innerText()).toContain('It costs $5 and $10');
    expect(await findings(page)).toEqual([]);
    expect([...new Set(asked)]).toEqual(['127.0.0.1']);
    expect(await page.evaluate('window.violations')).toEqual([]);
    const copied = await page.evaluate(`(() => {
      window.getSelection().selectAllChildren(document.querySelector('[data-answer]'));
      const data = new DataTransfer();
      document.querySelector('[data-answer]').dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }));
      return data.getData('text/plain');
    })()`);
    for (const written of ['\\(\\pi r^2\\)', '$a_1 * b * c$', FORMULAS[1], FORMULAS[2]])
      expect(copied).toContain(written);
  });

  it('has its headings in an order that can be listened to, however deep the model writes them', async () => {
    verifies('L8');
    const long = 'Words of a long passage. '.repeat(200);
    const answers = [
      ['### Three first\n\nWords.\n\n##### Five below\n\n# One last', [2, 3, 2]],
      ['Underlined\n===\n\n#### Four below\n\n> ###### Six in a quote\n\n## Two', [2, 3, 4, 3]],
      [`## Two\n\n${long}\n\n#### Far below\n\n${long}\n\n#### Beside it`, [2, 3, 3]],
    ] as const;
    const page = await scene.page();
    for (const [index, [text, levels]] of answers.entries()) {
      scene.model.on(`headings ${index}`, [{ text }]);
      await say(page, `headings ${index}`);
      const headings = page.locator('[data-answer]').nth(index).locator('h1, h2, h3, h4, h5, h6');
      await headings.nth(levels.length - 1).waitFor();
      await expect
        .poll(() => headings.evaluateAll((all) => all.map((each) => Number(each.ariaLevel ?? each.tagName[1]))))
        .toEqual([...levels]);
    }
    expect(await findings(page)).toEqual([]);
  });

  it('has no two places of one name among those that are jumped to: calls that are alike, code and tables', async () => {
    verifies('L8');
    const calls = [1, 2].flatMap((max_entries): { name: string; arguments: JsonObject }[] => [
      { name: 'ls', arguments: { path: '.', max_entries } },
      { name: 'bash', arguments: { command: `echo ${max_entries}` } },
    ]);
    const parts = [
      '```ts\nconst a = 1;\n```',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '```diff\n-one\n+two\n```',
      '```\nno name\n```',
    ];
    scene.model.on('twice of each', [{ calls }, { text: [...parts, ...parts].join('\n\n') }]);
    const page = await scene.page({ viewport: { width: 360, height: 740 } });
    await say(page, 'twice of each');
    await page.locator('footer').waitFor();
    const cards = page.locator('[data-call]');
    for (const index of calls.keys()) await cards.nth(index).getByRole('button').first().click();
    await page.getByLabel('Result of bash').nth(1).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('shows the HTML that models write among their words, or leaves it as it was written', async () => {
    const rows = [
      ['one<br>two', 'one\ntwo'],
      ['one<BR/>two<br />three', 'one\ntwo\nthree'],
      ['H<sub>2</sub>O and x<sup>2</sup>', 'H2O and x2'],
      ['Press <kbd>Ctrl</kbd>+<kbd>C</kbd>', 'Press Ctrl+C'],
      ['<b>bold **and** <i>more</i></b>', 'bold and more'],
      ['five&nbsp;kg &amp; &lt;b&gt;', 'five\u00a0kg & <b>'],
      ['<sub>left open', '<sub>left open'],
      ['closed</sub> alone', 'closed</sub> alone'],
      ['<b>crossed <i>tags</b> here</i>', 'crossed <i>tags here</i>'],
      ['<sub onclick="x()">2</sub>', '<sub onclick="x()">2</sub>'],
      ['<script>alert(1)</script>', '<script>alert(1)</script>'],
      [
        '<details>\n<summary>More</summary>\nwords\n</details>',
        '<details>\n<summary>More</summary>\nwords\n</details>',
      ],
      ['`<br>` in code', '<br> in code'],
      ['A generic `List<b>` or List<T>', 'A generic List<b> or List<T>'],
    ] as const;
    const table = '| a | b |\n|---|---|\n| one<br>two | m<sup>2</sup> |';
    scene.model.on('some markup', [
      { text: `${rows.map(([written]) => written).join('\n\n---\n\n')}\n\n---\n\n${table}` },
    ]);
    const page = await scene.page();
    await say(page, 'some markup');
    await page.locator('footer').waitFor();
    await page.locator('[data-answer] td').first().waitFor();
    const answer = page.locator('[data-answer]');
    const shown = (): Promise<string> =>
      answer.evaluate((element) => {
        const parts: string[] = [];
        const copy = [...element.querySelectorAll('.prose > *')] as HTMLElement[];
        for (const each of copy)
          if (each.tagName === 'HR') parts.push('---');
          else parts.push(each.innerText.trim());
        return parts.join('\n');
      });
    // What is out of view is drawn at its turn.
    await expect
      .poll(async () => (await shown()).split('\n---\n').slice(0, rows.length))
      .toEqual(rows.map(([, seen]) => seen));
    expect(await answer.locator('sub').count()).toBe(1);
    expect(await answer.locator('sup').count()).toBe(2);
    expect(await answer.locator('kbd').count()).toBe(2);
    expect((await answer.locator('td').first().innerText()).trim()).toBe('one\ntwo');
    expect(await findings(page)).toEqual([]);
  });

  it('draws mathematics with fonts of its own: what stands low or high does so on every machine', async () => {
    scene.model.on('low and high', [{ text: 'Here $x_1$ and $x^2$ and $$\\int_0^1 x\\,dx = \\frac{1}{2}$$' }]);
    const page = await scene.page();
    await say(page, 'low and high');
    await page.locator('footer').waitFor();
    await page.locator('[data-formula]').nth(2).waitFor();
    await expect
      .poll(() =>
        page.evaluate("[...document.fonts].some((font) => font.family === 'KaTeX_Math' && font.status === 'loaded')"),
      )
      .toBe(true);
    const places = (await page.evaluate(`document.fonts.ready.then(() => {
      const box = (formula, sign) => {
        const walk = document.createTreeWalker(formula.querySelector('.katex-html'), NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode())
          if (node.data.includes(sign)) {
            const range = document.createRange();
            range.selectNodeContents(node);
            const { top, bottom } = range.getBoundingClientRect();
            return (top + bottom) / 2;
          }
      };
      const [low, high] = document.querySelectorAll('[data-formula]');
      return { low: box(low, '1') - box(low, 'x'), high: box(high, 'x') - box(high, '2') };
    })`)) as { low: number; high: number };
    expect(places.low).toBeGreaterThan(2);
    expect(places.low).toBeLessThan(12);
    expect(places.high).toBeGreaterThan(3);
    expect(places.high).toBeLessThan(14);
    expect(await findings(page)).toEqual([]);
  });

  it('keeps the cells of matrices, cases and tables of formulas apart', async () => {
    const environments = ['pmatrix', 'bmatrix', 'cases', 'smallmatrix', 'array'];
    const formulaOf = (name: string): string =>
      `$$\\begin{${name}}${name === 'array' ? '{cc}' : ''}11 & 22 \\\\ 33 & 44\\end{${name}}$$`;
    scene.model.on('matrices', [{ text: environments.map(formulaOf).join('\n\n') }]);
    const page = await scene.page();
    await say(page, 'matrices');
    await page.locator('footer').waitFor();
    await page
      .locator('math')
      .nth(environments.length - 1)
      .waitFor();
    await page.evaluate('document.fonts.ready.then(() => true)');
    // What stands in a cell, and not the cell.
    const gaps = await page.locator('.katex-html').evaluateAll((formulas) =>
      formulas.map((formula) => {
        const cells = new Map<string, { left: number; right: number; middle: number; size: number }>();
        const walk = document.createTreeWalker(formula, NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(node);
          const { left, right, top, bottom } = range.getBoundingClientRect();
          const size = Number.parseFloat(getComputedStyle(node.parentElement as Element).fontSize);
          cells.set(node.textContent ?? '', { left, right, middle: (top + bottom) / 2, size });
        }
        const [first, second, below] = ['11', '22', '33'].map((text) => cells.get(text));
        if (!first || !second || !below) return { columns: 0, rows: -1 };
        return { columns: second.left - first.right, rows: below.middle - first.middle - first.size * 0.9 };
      }),
    );
    expect(gaps).toHaveLength(environments.length);
    for (const [index, { columns, rows }] of gaps.entries()) {
      expect(columns, environments[index]).toBeGreaterThan(6);
      expect(rows, environments[index]).toBeGreaterThanOrEqual(0);
    }
  });

  it('colours a change, names what failed, and labels its tasks', async () => {
    scene.model.on('a change', [
      { calls: [{ name: 'bash', arguments: { command: 'exit 3' } }] },
      { text: '- [x] done\n- [ ] open\n\n```diff\n-one\n+two\n same\n```\n' },
    ]);
    const page = await scene.page();
    await say(page, 'a change');
    await page.locator('footer').waitFor();
    await page.locator('[data-call]').getByText('exit 3', { exact: false }).first().waitFor();
    expect(await page.locator('[data-call]').first().innerText()).not.toContain('io error');
    await page.getByRole('checkbox', { name: 'done' }).waitFor();
    await page.getByRole('checkbox', { name: 'to do' }).waitFor();
    await expect
      .poll(() =>
        page.locator('figure .diff-line').evaluateAll((lines) => lines.map((line) => line.getAttribute('data-sign'))),
      )
      .toEqual(['-', '+', ' ']);
  });

  it('keeps the gauge of the window after another model was chosen, and says when a model is there no longer', async () => {
    scene.model.on('how full', [{ text: 'So full.', usage: { prompt_tokens: 1_000, completion_tokens: 24 } }]);
    const page = await scene.page();
    await page.getByRole('heading', { name: /is ready/ }).waitFor();
    await page.getByRole('button', { name: /^Model / }).click();
    await page.locator('[data-model*="other-model"]').click();
    await say(page, 'how full');
    const meter = page.getByRole('meter', { name: 'Context window used' });
    await meter.waitFor();
    await expect.poll(() => meter.getAttribute('aria-valuemax')).toBe('8192');
  });

  it('says so where an address leads to no session, and leads on', async () => {
    const page = await scene.page();
    await page.goto(`${new URL(scene.url).origin}/#/s/no-such-session`);
    await page.getByText('There is no such session.').waitFor();
    await page.getByRole('link', { name: 'New session' }).click();
    await page.getByText('Three things to try').waitFor();
  });

  it('makes a document of a long text that is pasted, so that the field stays quick', async () => {
    scene.model.on('what is in it', [{ text: 'A log.' }]);
    const page = await scene.page();
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.setData('text/plain', ${JSON.stringify('A line of a log, as long as they are.\n')}.repeat(8000));
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
    await page
      .locator('[data-document="ready"]')
      .getByText(/^pasted-/)
      .waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
    await say(page, 'what is in it');
    await page.getByText('A log.').waitFor();
  });
});

inLongRun(
  'an answer longer than anybody reads shows its beginning and its newest words, and the rest where the person asks for it',
  async () => {
    const finish = Promise.withResolvers<void>();
    scene.model.on('everything', [
      {
        text: [
          `The first line.\n\n${'And so on. '.repeat(20_000)}`,
          'The middle. ',
          'And so on. '.repeat(10_000),
          '\n\nThe newest line.',
          '\n\nThe last line.',
        ],
        gates: { 5: finish.promise },
      },
    ]);
    const page = await scene.page({ viewport: { width: 360, height: 740 } });
    await say(page, 'everything');
    const button = page.getByRole('button', { name: 'Show all 330,063 characters' });
    const newest = page.getByText('The newest line.');
    await newest.waitFor();
    await page.getByRole('button', { name: 'Show all of it' }).waitFor();
    expect(await page.getByText('The last line.').count()).toBe(0);
    finish.resolve();
    await button.waitFor();
    await page.getByText('The first line.').waitFor();
    await page.getByText('The last line.').waitFor();
    expect(await page.getByText('The middle.').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await button.click();
    await page.getByText('The middle.').waitFor();
    expect(await page.getByText('The last line.').count()).toBe(1);
    expect(await button.count()).toBe(0);
  },
);

describe('a model server that ends', () => {
  it('is not shown as ready any longer', async () => {
    const own = await openWebScene({});
    try {
      const page = await own.page();
      await page.getByRole('button', { name: 'Model openai/test-model, ready' }).waitFor();
      await own.model.server.close();
      await page.evaluate("window.dispatchEvent(new Event('focus'))");
      await page.getByRole('button', { name: 'Model openai/test-model, not there' }).waitFor();
      await page.getByRole('heading', { name: /does not answer any more/ }).waitFor();
    } finally {
      await own.close();
    }
  });
});

/** Pictures of the web app for docs/screenshots: the real server, a scripted model, a real Chromium. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { ScriptedServerTurn } from '../src/testing/index.ts';
import { openSide, openWebScene, say } from '../tests/browser/support/web-scene.ts';
import { scriptArguments } from './arguments.ts';

scriptArguments('node scripts/screenshots.ts');

const FOLDER = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const WIDE = { width: 1280, height: 800 };
const MIDDLE = { width: 900, height: 760 };
const NARROW = { width: 390, height: 800 };
const STREAM_MS = 2_500;
const CHARACTERS_A_TOKEN = 4;

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are files of another project.
const FILES = {
  'README.md': '# Timer\n\nA small countdown for the terminal.\n',
  'package.json': '{ "name": "timer", "type": "module" }\n',
  'src/timer.ts':
    'export const minutes = (text: string): number => {\n  const value = Number(text);\n  return value;\n};\n\nexport const label = (left: number): string => `${left} s left`;\n',
  'src/main.ts':
    "import { label, minutes } from './timer.ts';\n\nconsole.log(label(minutes(process.argv[2] ?? '5') * 60));\n",
  'tests/timer.test.ts': "import { minutes } from '../src/timer.ts';\n",
};

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above.

const ANSWER = `The parser takes any text for a number. \`Number('abc')\` is \`NaN\`, and the countdown then never ends.

### What I would change

1. Refuse what is no positive number, with a sentence that says so.
2. Keep the unit in one place: \`main.ts\` multiplies by 60, \`label\` prints seconds.

\`\`\`ts
export const minutes = (text: string): number => {
  const value = Number(text);
  // NaN is not greater than anything.
  if (!(value > 0)) throw new RangeError(\`"\${text}" is no time\`);
  return value;
};
\`\`\`

| input | before | after |
|---|---|---|
| \`5\` | 300 s | 300 s |
| \`abc\` | NaN s | refused |

Shall I write it? The details are in the [language reference](https://tc39.es/ecma262/) [source:read_file].
`;

const HANDBOOK = `# Handbook\n\n${'A kettle, a timer and some patience.\n\n'.repeat(240)}## Tea\n\nFive minutes, covered.\n`;

const slowly = (text: string): ScriptedServerTurn => {
  const pieces = text.match(/[\s\S]{1,12}/g) ?? [];
  return {
    text: pieces,
    gates: { [pieces.length - 1]: new Promise((resolve) => setTimeout(resolve, STREAM_MS)) },
  };
};

const picture = async (page: Page, name: string): Promise<void> => {
  await page.mouse.move(0, 0);
  // Colours of code come from another thread.
  await page.waitForTimeout(900);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
};

mkdirSync(FOLDER, { recursive: true });
const scene = await openWebScene(FILES, ['--allow', 'read_file', '--allow', 'bash(ls *)']);

/** As a server counts that keeps the last prompt. A count that does not grow with the prompt is taken for a cut. */
const counted = (turn: ScriptedServerTurn): ScriptedServerTurn => {
  const [now = 0, before = 0] = scene.model.server.requests
    .slice(-2)
    .map(({ text }) => Math.ceil(text.length / CHARACTERS_A_TOKEN))
    .reverse();
  return { ...turn, usage: { prompt_tokens: now, cached_tokens: Math.min(now, before), completion_tokens: 214 } };
};

try {
  scene.model.onAsked('What is wrong', (round) => {
    if (round === 0) {
      return counted({
        reasoning: 'I should look at the folder and read the parser before I say anything about it.',
        text: 'I look at the code first.',
        calls: [
          { name: 'get_file_tree', arguments: {} },
          { name: 'add_task', arguments: { content: 'Read the parser and its caller' } },
          { name: 'add_task', arguments: { content: 'Refuse what is no number' } },
          { name: 'add_task', arguments: { content: 'Run the tests' } },
        ],
      });
    }
    if (round === 1) {
      return counted({
        calls: [
          { name: 'read_file', arguments: { path: 'src/timer.ts' } },
          { name: 'read_file', arguments: { path: 'src/missing.ts' } },
          { name: 'update_task', arguments: { task_id: 'task_1', status: 'completed' } },
          { name: 'update_task', arguments: { task_id: 'task_2', status: 'in_progress' } },
        ],
      });
    }
    return counted(slowly(ANSWER));
  });
  scene.model.onAsked('Yes, write it', (round) =>
    counted(
      round > 0
        ? { text: 'Written. The tests were not run yet.' }
        : {
            text: 'I change the one function, and nothing else.',
            calls: [
              {
                name: 'edit_file',
                arguments: {
                  path: 'src/timer.ts',
                  old_text: '  return value;\n',
                  new_text:
                    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of another project.
                    '  // NaN is not greater than anything.\n  if (!(value > 0)) throw new RangeError(`"${text}" is no time`);\n  return value;\n',
                },
              },
            ],
          },
    ),
  );

  const page = await scene.page({ viewport: MIDDLE, colorScheme: 'light' });
  await page.getByText('Three things to try').waitFor();
  await page.getByText('Summarise README.md').waitFor();
  await picture(page, 'empty-light-middle');
  await page.setViewportSize(WIDE);
  await page.reload();
  await page.getByText('Summarise README.md').waitFor();
  await say(page, 'What is wrong with the way this reads its minutes?');
  await page.locator('footer').waitFor();
  await openSide(page);
  await picture(page, 'answer-light-wide');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'answer-dark-wide');
  await say(page, 'Yes, write it');
  await page.getByRole('alertdialog').waitFor();
  await picture(page, 'permission-dark-wide');
  await page.emulateMedia({ colorScheme: 'light' });
  await picture(page, 'permission-light-wide');

  const other = await scene.page({ viewport: WIDE, colorScheme: 'light' });
  await other.getByText('Summarise README.md').waitFor();
  // As a text: this script is checked without the types of a browser.
  const files = await other.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(HANDBOOK)}], 'handbook.md'));
    transfer.items.add(new File(['Five minutes for tea.'], 'note.txt'));
    transfer.items.add(new File([new Uint8Array([0, 1, 2])], 'timer.bin'));
    return transfer;
  })()`);
  await other.dispatchEvent('body', 'drop', { dataTransfer: files });
  await other.locator('[data-document="ready"]').nth(1).waitFor();
  await other.getByText('timer.bin is no text').waitFor();
  await other.getByRole('textbox', { name: 'Message' }).fill('How long does the handbook let tea draw?');
  await picture(other, 'documents-light-wide');
  await other.close();

  const phone = await scene.page({ viewport: NARROW, colorScheme: 'light', isMobile: true, hasTouch: true });
  await phone.goto(page.url());
  await phone.getByRole('alertdialog').waitFor();
  await picture(phone, 'permission-light-narrow');
  await phone.getByRole('button', { name: 'Allow once' }).click();
  await phone.getByText('Written. The tests').waitFor();
  await phone.emulateMedia({ colorScheme: 'dark' });
  await phone.locator('[data-scroller]').evaluate((element) => {
    element.scrollTop = 380;
  });
  await picture(phone, 'answer-dark-narrow');
  await phone.getByRole('button', { name: 'Show tasks and files' }).click();
  await picture(phone, 'tasks-dark-narrow');
} finally {
  await scene.close();
}

/** What the documents say is true: snippets run, links lead somewhere, lists are complete. */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AUTOLOADED_FILES_REFERENCE_FILE, autoloadedFilesReference } from '../scripts/reference/autoloaded-files.ts';
import { DIALECTS_REFERENCE_FILE, dialectsReference } from '../scripts/reference/dialects.ts';
import { ERRORS_REFERENCE_FILE, errorsReference } from '../scripts/reference/errors.ts';
import { LIBRARY_REFERENCE_FILE, libraryReference } from '../scripts/reference/library.ts';
import { LLMS_FILE, llmsText } from '../scripts/reference/llms.ts';
import { PRESETS_REFERENCE_FILE, presetsReference } from '../scripts/reference/presets.ts';
import { PACKED_PAGES, wholeLinks } from '../scripts/whole-links.ts';
import { commandLineReference, REFERENCE_FILE } from '../src/cli/reference.ts';
import { type ScriptedRequest, startScriptedServer } from '../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { listFiles, ROOT } from './source-files.ts';
import { cleanEnvironment } from './support/halter-process.ts';
import { everyNth, timeLimit } from './support/long.ts';
import { AS_PACKAGE, AS_PACKAGE_ENV, MAIN } from './support/program.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';

const pages = [...fs.readdirSync(ROOT).filter((name) => name.endsWith('.md')), ...listFiles('docs', ['.md'])];
const read = (page: string): string => fs.readFileSync(path.join(ROOT, page), 'utf8');

describe('numbers in the text', () => {
  // The list of changes says what was.
  const ofToday = pages.filter((page) => !page.endsWith('CHANGELOG.md'));
  it.each(ofToday)('%s: the number of tools is the number of tools', (page) => {
    for (const [text, number] of read(page).matchAll(/\b(?:all|the|its) (\d+) tools\b/g)) {
      const advice = `${page} says "${text}". There are ${BUILT_IN_TOOLS.length} in src/tools/index.ts: correct the page.`;
      expect(Number(number), advice).toBe(BUILT_IN_TOOLS.length);
    }
  });
});

type Snippet = { page: string; line: number; language: string; text: string };
const snippets: Snippet[] = pages.flatMap((page) =>
  // A fence of ~~~ may hold fences of backticks as they are.
  [...read(page).matchAll(/^(```|~~~)(\S*)\n([\s\S]*?)^\1$/gm)].map((match) => ({
    page,
    line: read(page).slice(0, match.index).split('\n').length,
    language: match[2] ?? '',
    text: match[3] ?? '',
  })),
);
const inLanguage = (language: string) =>
  snippets
    .filter((snippet) => snippet.language === language)
    .map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const);

const offers = (body: Record<string, unknown>, name: string): boolean =>
  ((body['tools'] ?? []) as { function: { name: string } }[]).some((tool) => tool.function.name === name);

/** A model that looks at the folder first and answers then, with JSON where JSON is asked for. */
const answer = ({ body }: ScriptedRequest) => {
  const messages = body['messages'] as { role: string }[];
  if (offers(body, 'send_mail')) return { calls: [{ name: 'send_mail', arguments: { to: 'Ada' } }] };
  if (body['format'] !== undefined) return { text: '{"files": 2}' };
  return messages.at(-1)?.role === 'tool' || body['tools'] === undefined
    ? { text: 'There are two files.' }
    : { calls: [{ name: 'ls', arguments: {} }] };
};

/** A folder under git, a home of its own, and an Ollama that speaks from a script. */
const world = async () => {
  const server = await startScriptedServer({ turns: answer, models: [{ id: 'qwen3:4b' }], serves: ['ollama'] });
  onTestFinished(() => server.close());
  const folder = scratchFolder();
  putFiles(folder, { 'README.md': '# A project\n', 'a.txt': 'one\n' });
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  const bin = scratchFolder();
  fs.writeFileSync(path.join(bin, 'halter'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  const environment = cleanEnvironment(scratchFolder());
  return {
    folder,
    env: { ...environment, PATH: `${bin}:${environment['PATH']}`, OLLAMA_HOST: server.url, ...AS_PACKAGE_ENV },
  };
};

const run = promisify(execFile);

/** A snippet starts the program several times, each of which takes seconds on a busy machine. */
const SNIPPET = { timeout: timeLimit(120_000) };

/** A page that is made from the sources. */
const expectWritten = (file: string, made: string): void =>
  expect(read(file) === made, `${file} is not what the sources say. Run \`npm run reference\` and commit it.`).toBe(
    true,
  );

describe('the documents', () => {
  beforeAll(async () => {
    // In a checkout whose web app is older than its sources, `halter serve` would say that it builds it.
    await run(process.execPath, [path.join(ROOT, 'scripts/build-web.mjs')]);
  });

  it.each(everyNth(inLanguage('sh'), 15))('%s runs as it is written', SNIPPET, async (_where, { text }) => {
    verifies('U1', 'B11');
    const { folder, env } = await world();
    const done = await run('bash', ['--norc', '-euo', 'pipefail', '-c', `exec < /dev/null\n${text}`], {
      cwd: folder,
      env,
    });
    expect(done.stderr).not.toContain('halter:');
  });

  it.each(everyNth(inLanguage('ts'), 9))('%s runs as it is written', SNIPPET, async (_where, { text }) => {
    verifies('K1');
    const { folder, env } = await world();
    const file = path.join(folder, 'snippet.ts');
    fs.writeFileSync(file, text);
    const done = await run(process.execPath, [...AS_PACKAGE, file], { cwd: folder, env });
    const promised = [...text.matchAll(/^\/\/ prints: (.*)$/gm)].map(([, line = '']) => line);
    for (const line of promised.length > 0 ? promised : ['There are two files.']) expect(done.stdout).toContain(line);
  });

  it.each(inLanguage('js'))('%s is a module that loads', async (_where, { text }) => {
    const file = path.join(scratchFolder(), 'snippet.mjs');
    fs.writeFileSync(file, text);
    const env = { ...process.env, ...AS_PACKAGE_ENV };
    expect((await run(process.execPath, [...AS_PACKAGE, file], { env })).stderr).toBe('');
  });

  it('hold only JSON that parses', () => {
    for (const [where, { text }] of inLanguage('json')) expect(() => JSON.parse(text), where).not.toThrow();
  });

  it('use no other language, so that no snippet goes unseen', () => {
    // Markdown is the text of files that people write; what halter does with it is tested where it is read.
    // The clients of tests/e2e/client-pages.test.ts and server-agents.test.ts read TOML and YAML and run the modules.
    const known = ['sh', 'ts', 'js', 'mjs', 'json', 'console', 'text', 'markdown', 'toml', 'yaml'];
    expect(snippets.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it('link only to what is there', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)]
        .map(([, target = '']) => path.join(path.dirname(page), target))
        .filter((target) => !fs.existsSync(path.join(ROOT, target)))
        .map((target) => `${page} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('give the reason of every dependency and of no other', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const wanted = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((part) =>
      Object.keys(manifest[part] ?? {}),
    );
    const rows = [...read('docs/explanation/dependencies.md').matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)];
    const named = rows.flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect([...named].sort()).toEqual([...new Set(wanted)].sort());
  });

  it('describe the command line as it is', () => {
    verifies('U1');
    expectWritten(REFERENCE_FILE, commandLineReference());
  });

  it('show every option of the library with its comment', () => {
    const options = [...read('src/index.ts').matchAll(/\b(\w+Options|Limits|Sampling)\b,?/g)].map(([, name]) => name);
    expect(options.length).toBeGreaterThan(10);
    const page = read(LIBRARY_REFERENCE_FILE);
    // Those of plugins are made by halter.
    expect(options.filter((name) => name !== 'PluginProviderOptions' && !page.includes(`### \`${name}\``))).toEqual([]);
  });

  it('describe the library and its errors as they are', () => {
    verifies('K7');
    // Otherwise: node scripts/write-reference.ts
    expectWritten(LIBRARY_REFERENCE_FILE, libraryReference());
    expectWritten(DIALECTS_REFERENCE_FILE, dialectsReference());
    expectWritten(PRESETS_REFERENCE_FILE, presetsReference());
    expectWritten(ERRORS_REFERENCE_FILE, errorsReference());
    expectWritten(AUTOLOADED_FILES_REFERENCE_FILE, autoloadedFilesReference());
  });

  it('are whole in the package, where only the packed pages lie beside each other', () => {
    const base = 'https://host.test/o/n/blob/v1';
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    expect(PACKED_PAGES.filter((page) => !files.includes(page))).toEqual([]);
    expect(wholeLinks('[a](docs/a.md#b) ![c](docs/c.svg) [d](SECURITY.md) [e](https://e.test) [f](#f)', base)).toBe(
      `[a](${base}/docs/a.md#b) ![c](https://host.test/o/n/raw/v1/docs/c.svg) [d](SECURITY.md) [e](https://e.test) [f](#f)`,
    );
    for (const page of PACKED_PAGES)
      for (const [, target = ''] of wholeLinks(read(page), base).matchAll(/\]\(([^)\s]+)\)/g))
        expect([page, target]).toEqual([page, expect.stringMatching(/^(?:https?:|#|[A-Z]+(?:\.md)?$)/)]);
  });

  it('can all be found from their index and from llms.txt', () => {
    const index = read('docs/README.md');
    const pages = listFiles('docs', ['.md']).map((page) => page.replace('docs/', ''));
    const wanted = pages.filter((page) => page !== 'README.md' && !page.startsWith('decisions/'));
    expect(wanted.filter((page) => !index.includes(`](${page})`))).toEqual([]);
    // Otherwise: node scripts/write-reference.ts
    expect(read(LLMS_FILE)).toBe(llmsText());
  });

  it('quote only messages that the program says', () => {
    const sources = listFiles('src', ['.ts'])
      .filter((file) => !file.endsWith('.test.ts'))
      .map(read)
      .join('\n');
    const quoted = [...read('docs/how-to/troubleshooting.md').matchAll(/^## `(.+)`$/gm)].map(([, text = '']) => text);
    expect(quoted.length).toBeGreaterThan(10);
    // What changes from case to case is … in the heading.
    const pieces = quoted
      .flatMap((text) => text.split('…').map((piece) => piece.trim()))
      .filter((piece) => piece.length > 3);
    expect(pieces.filter((piece) => !sources.includes(piece))).toEqual([]);
  });

  it('speak of every command of a session', () => {
    const [, commands = ''] = /export type Command =\n(.*?)\n\n/s.exec(read('src/core/events.ts')) ?? [];
    const types = [...commands.matchAll(/^ +(?:\| (?:\()?\{ )?type: '(\w+)'/gm)].map(([, type]) => type);
    expect(types.length).toBeGreaterThan(15);
    const table = read('docs/reference/events.md');
    expect(
      types.filter((type) => !table.includes(`\n| \`${type}\` |`)),
      'Give each of these a row under "Commands of a session" in docs/reference/events.md',
    ).toEqual([]);
  });

  it('speak of every event, exit code and setting', async () => {
    const { CONFIG_KEYS } = await import('../src/storage/config-file.ts');
    const { EXIT } = await import('../src/cli/exit-codes.ts');
    const [files, events] = [read('docs/reference/files.md'), read('docs/reference/events.md')];
    const settings = Object.keys(CONFIG_KEYS).filter((key) => !files.includes(`\`${key}\``));
    expect(settings, 'Describe these settings in docs/reference/files.md').toEqual([]);
    const codes = Object.values(EXIT).filter((code) => !events.includes(`| ${code} |`));
    expect(codes, 'Describe these exit codes in docs/reference/events.md').toEqual([]);
  });
});

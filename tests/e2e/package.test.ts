/** What is published: its files, its types, and that it works where npm installs it into an empty folder. */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { deadLinks } from '../markdown-links.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { expectWithin } from '../support/budget.ts';
import { cleanEnvironment, runHalter } from '../support/halter-process.ts';
import { type InstalledPackage, installPackage } from '../support/installed-package.ts';
import { onlyLong } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { serving } from '../support/serving.ts';

const run = promisify(execFile);
const MB = 1e6;
const PREPARE_MS = 300_000;

let built: InstalledPackage;
beforeAll(async () => {
  built = await installPackage();
}, PREPARE_MS);
afterAll(() => built?.remove());

/** The folder that npm installed into; the test is skipped where npm reaches no registry. */
const installed = (context: TestContext): string => {
  if (built.folder === undefined) return context.skip(built.whyNot);
  return built.folder;
};
const halterIn = (folder: string): string => path.join(folder, 'node_modules', '.bin', 'halter');
const bytesOf = (pattern: RegExp): number =>
  built.files.filter((file) => pattern.test(file.path)).reduce((sum, { size }) => sum + size, 0);

const WANTED = [
  // The rooms of src/; conformance/ and the tests stay in the checkout.
  /^dist\/(index|chunks\/[\w-]+|[a-z]+\/.+)\.js$/,
  /^dist\/(index|(?!web\/|grammars\/)[a-z]+\/.+)\.d\.ts$/,
  /^dist\/grammars\/tree-sitter-(bash|c|cpp|go|java|javascript|python|rust|tsx|typescript)\.wasm$/,
  /^dist\/grammars\/word-vectors\.bin$/,
  /^dist\/web\/(index\.html|favicon\.svg|assets\/[\w-]+\.(js|css|woff2))$/,
  // The licences of the packages whose code is in the page.
  /^dist\/web\/licenses\.txt$/,
  // What the page is installed as an app with.
  /^dist\/web\/mermaid(?:\.html\.gz|-licenses\.txt)$/,
  /^dist\/web\/(manifest\.webmanifest|service-worker\.js|(icon-[\w-]+|apple-touch-icon)\.png)$/,
  /^dist\/THIRD-PARTY-LICENSES\.txt$/,
  /^(AGENTS\.md|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE|README\.md|SECURITY\.md|llms\.txt|package\.json)$/,
  // What these pages link to: an installed package is read where there is no network.
  /^docs\/(?:[\w-]+\/)*[\w-]+\.(?:md|svg)$/,
  /^docs\/screenshots\/[\w-]+\.png$/,
  /^(?:deploy|examples)\/[\w./-]+$/,
];

describe('the published package', () => {
  it('holds the program, the grammars and the web app, and nothing else', () => {
    expect(built.files.map((file) => file.path).filter((name) => !WANTED.some((wanted) => wanted.test(name)))).toEqual(
      [],
    );
    for (const wanted of WANTED) expect(built.files.some((file) => wanted.test(file.path))).toBe(true);
    const ofTests = /\.(test|test-d)\.|\.map$/;
    expect(built.files.map((file) => file.path).filter((name) => ofTests.test(name))).toEqual([]);
  });

  it('is as large as docs/explanation/what-is-downloaded.md says', () => {
    const advice =
      '`npm run size` measures them. Take out what need not be packed, or raise the number here and in ' +
      'docs/explanation/what-is-downloaded.md.';
    const sizes: [what: string, megabytes: number, bytes: number][] = [
      ['The tarball', 6.5, built.tarballBytes],
      ['The program in the package', 7.6, bytesOf(/^dist\/(?!web\/|grammars\/)/)],
      ['The grammars in the package', 13, bytesOf(/^dist\/grammars\//)],
      ['The web app in the package', 4.3, bytesOf(/^dist\/web\//)],
    ];
    for (const [what, megabytes, bytes] of sizes)
      expectWithin({ what, most: megabytes * MB, unit: 'bytes', advice }, bytes);
  });

  it('holds what its pages link to, heading by heading, and no other picture', () => {
    const names = built.files.map((file) => file.path);
    const text = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
    expect(names).toContain('README.md');
    expect(deadLinks(names, text)).toEqual([]);
    const pages = names.filter((name) => name.endsWith('.md')).map(text);
    const pictures = names.filter((name) => /^docs\/.*\.(?:png|svg)$/.test(name));
    expect(pictures.filter((name) => !pages.some((page) => page.includes(path.basename(name))))).toEqual([]);
  });

  it('runs no script when it is installed', () => {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const own = Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare|publish|prepublish.*)$/.test(name));
    expect(own).toEqual([]);
  });

  it('satisfies publint and are-the-types-wrong', async () => {
    const bin = (name: string) => path.join(ROOT, 'node_modules', name);
    const lint = await run(process.execPath, [bin('publint/src/cli.js'), '--strict', built.tarball]);
    expect(lint.stdout).toContain('All good!');
    // ES modules alone: `require` of Node 24 loads them too. It ends with 1 where it finds anything, and takes its time.
    for (const types of onlyLong(['@arethetypeswrong/cli/dist/index.js'])) {
      await run(process.execPath, [bin(types), built.tarball, '--profile', 'esm-only'], { maxBuffer: 64 * MB });
    }
  });

  it('starts, and answers with a tool', async (context) => {
    verifies('B11');
    const folder = installed(context);
    const command = [process.execPath, halterIn(folder)];
    const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await runHalter(['--version'], { command })).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
    const server = await startScriptedServer({
      turns: [{ calls: [{ name: 'grep_search', arguments: { pattern: 'needle' } }] }, { text: 'In hay.txt.' }],
    });
    onTestFinished(() => server.close());
    const cwd = scratchFolder();
    putFiles(cwd, { 'hay.txt': 'a needle\n' });
    const args = ['run', 'Where?', '--provider', 'openai', '--base-url', server.openaiUrl, '--allow', 'grep_search'];
    const ran = await runHalter([...args, '--format', 'json'], { command, cwd });
    expect(ran.json()).toMatchObject({ answer: 'In hay.txt.', exit_reason: 'answered' });
    expect(JSON.stringify(ran.json())).toContain('a needle');
  });

  it('has the grammars and workers that an index needs', async (context) => {
    verifies('Z20');
    const command = [process.execPath, halterIn(installed(context))];
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(cwd, {
      'ship.py': 'def set_sail(ship):\n    return ship\n',
      'crew.ts': 'export const hire = (): number => 1;\n',
    });
    expect(await runHalter(['index'], { command, cwd, home })).toMatchObject({ code: 0 });
    const graph = ['tools', 'call', 'code_graph', '{"relation": "defines", "path": "ship.py"}'];
    const ran = await runHalter(graph, { command, cwd, home });
    expect(ran.out).toContain('set_sail');
    // The shell's grammar decides what a line really runs.
    const policy = ['policy', 'test', 'bash', '{"command": "git log; rm -rf /"}', '--allow', 'bash(git log *)'];
    expect((await runHalter(policy, { command, cwd, home })).out).toMatch(/^ask/m);
  });

  it('serves the web app', async (context) => {
    const command = [process.execPath, halterIn(installed(context))];
    const model = await startScriptedServer({ turns: [{ text: 'hello' }] });
    onTestFinished(() => model.close());
    const args = ['--provider', 'openai', '--base-url', model.openaiUrl];
    const server = await serving(args, { command });
    const address = server.line.trim();
    const page = await (await fetch(address)).text();
    expect(page).toContain('<div id="app">');
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
    expect((await fetch(new URL(script, address))).headers.get('content-type')).toContain('javascript');
    server.child.kill('SIGTERM');
    await server.finished;
  });

  it('says how to get the engine, which comes only to those who want it', async (context) => {
    verifies('K8');
    const folder = installed(context);
    expect(fs.existsSync(path.join(folder, 'node_modules/node-llama-cpp'))).toBe(false);
    const ran = await runHalter(['run', '--provider', 'embedded', 'hi'], {
      command: [process.execPath, halterIn(folder)],
    });
    expect(ran.err).toContain('npm install node-llama-cpp@');
  });

  it('can be imported by every entry, with types that a strict compiler accepts', async (context) => {
    verifies('K1', 'L4');
    const folder = installed(context);
    putFiles(folder, {
      'use.mts': USE,
      'tsconfig.json': JSON.stringify({ compilerOptions: STRICT, files: ['use.mts'] }),
    });
    const types = path.join(ROOT, 'node_modules/@types');
    // Usually a program that names every entry and more of their types is compiled once (installed-programs.test.ts).
    for (const compiler of onlyLong([path.join(ROOT, 'node_modules/typescript/bin/tsc')]))
      execFileSync(process.execPath, [compiler, '-p', folder, '--typeRoots', types], { encoding: 'utf8' });
    const ran = await run(process.execPath, ['use.mts'], { cwd: folder, env: cleanEnvironment(scratchFolder()) });
    expect(ran.stdout).toBe('It is 100. add hermes 1 hermes 500 200\n');
  });
});

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
};

const USE = `import { builtinTools, createHarness, defineTool } from 'halter';
import { ErrorCode } from 'halter/core';
import { autoParseToolCalls } from 'halter/dialects';
import { autoParseToolCalls as inBrowser } from 'halter/dialects/browser';
import { createApp, openHalter } from 'halter/server';
import { scriptedProvider } from 'halter/testing';

const add = defineTool({
  name: 'add',
  description: 'Add two integers',
  parameters: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    required: ['a', 'b'],
  },
  risk: 'safe',
  run: ({ a, b }) => a + b,
});
const provider = scriptedProvider([{ calls: [{ name: 'add', arguments: { a: 42, b: 58 } }] }, { text: 'It is 100.' }]);
const harness = createHarness({ model: 'scripted', provider, tools: [...builtinTools, add] });
const { answer, toolsUsed, toolCalls } = await harness.chat('What is 42 + 58?');
await harness.close();
// Checked by the compiler: names and arguments of each tool are known.
const paths: string[] = toolCalls.flatMap((call) => (call.name === 'write_file' ? [call.arguments.path] : []));
const sums: number[] = toolCalls.flatMap((call) => (call.name === 'add' ? [call.arguments.a + call.arguments.b] : paths.map(Number)));
if (sums[0] !== 100) throw new Error('the arguments of add');

const text = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>';
const halter = await openHalter({ folder: process.cwd(), model: 'scripted', modelProvider: provider });
const app = createApp({ halter, token: 'secret' });
const health = await app(new Request('http://127.0.0.1/healthz', { headers: { host: '127.0.0.1' } }));
await app.close();
await halter.close();
const read = autoParseToolCalls(text);
console.log(answer, toolsUsed.join(), read.dialect, read.calls.length, inBrowser(text).dialect, ErrorCode.ToolNotFound, health.status);
`;

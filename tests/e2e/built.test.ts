/** The built program as npm installs it: starts under an old Node, passes signals on, and ends with its parent. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundleProgram } from '../../scripts/bundle-program.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { expectWithin } from '../support/budget.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { reachedFiles, reachedSurfaces } from '../support/reached-modules.ts';
import { scratchFolder } from '../support/scratch.ts';

const OLDEST_MAJOR = 12;
const NEEDED_MAJOR = 24;

/** A Node that is too old for the program, on the PATH or where Debian puts it. */
const findOldNode = (): string | undefined =>
  [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin']
    .map((folder) => path.join(folder, 'node'))
    .find((file) => {
      const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
      const major = Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]);
      return major >= OLDEST_MAJOR && major < NEEDED_MAJOR;
    });

let root = '';
let main = '';
beforeAll(async () => {
  // As in an installed package: dist/, package.json, and the dependencies above them.
  root = fs.mkdtempSync(path.join(fs.realpathSync(process.env['TMPDIR'] ?? '/tmp'), 'halter-built-'));
  await bundleProgram(path.join(root, 'dist'));
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(root, 'package.json'));
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  main = path.join(root, 'dist/cli/main.js');
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const processesOf = (text: string): number[] =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    });
const until = async (fact: () => boolean): Promise<void> => {
  while (!fact()) await new Promise((next) => setTimeout(next, 20));
};

/** The files that an entry of dist/ loads at once, and the names of what it loads from elsewhere. */
const loadedBy = (entry: string): { files: string[]; elsewhere: string[] } => {
  const files = new Set([path.join(root, 'dist', entry)]);
  const elsewhere: string[] = [];
  for (const file of files) {
    for (const [, name = ''] of fs
      .readFileSync(file, 'utf8')
      .matchAll(/^(?:import|export)\b[^;]*?["']([^"']+)["'];/gm)) {
      if (name.startsWith('.')) files.add(path.join(path.dirname(file), name));
      else elsewhere.push(name);
    }
  }
  return { files: [...files], elsewhere };
};

const LIBRARY_LOADS = {
  what: 'What `import "halter"` loads',
  most: 328_000,
  unit: 'bytes',
  advice:
    '`npm run bench:import` measures it. What only some programs need is imported where it is used (`await import`); ' +
    'what every program needs raises the number here, with the reason in the commit.',
};

describe('the built library', () => {
  it('gives at each entry what its source gives', async () => {
    for (const entry of ['index', 'core/checked', 'dialects/checked/index', 'server/checked', 'testing/checked']) {
      const built: object = await import(path.join(root, 'dist', `${entry}.js`));
      const source: object = await import(path.join(ROOT, 'src', `${entry}.ts`));
      expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort());
    }
  });

  it('has each class and each list once, whichever entry it came from', async () => {
    const library = await import(path.join(root, 'dist/index.js'));
    const core = await import(path.join(root, 'dist/core/checked.js'));
    expect(core.HalterError).toBe(library.HalterError);
    const error = await library
      .createHarness({ model: 'm', workspace: scratchFolder() })
      .executeTool('none', {})
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(library.HalterError);
  });

  it('is loaded as a handful of files, with no package and nothing optional', () => {
    const { files, elsewhere } = loadedBy('index.js');
    expect(elsewhere.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(files.length).toBeLessThan(8);
    const size = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
    expectWithin(LIBRARY_LOADS, size);
  });

  it.each([
    ['index.js', 'src/harness/create-harness.ts'],
    ['core/checked.js', 'src/core/step.ts'],
    ['dialects/checked/index.js', 'src/dialects/repair-json.ts'],
    ['testing/checked.js', 'src/testing/scripted-provider.ts'],
  ])('reaches no command line, no terminal and no server from %s, loaded now or later', (entry, own) => {
    verifies('K1');
    const dist = path.join(root, 'dist');
    expect(reachedFiles(path.join(dist, entry)).flatMap(({ modules }) => modules)).toContain(own);
    expect(reachedSurfaces(dist, entry)).toBeUndefined();
  });

  it.each(['core/index.js', 'core/checked.js', 'dialects/index.js'])(
    'asks for nothing that a browser has not: %s',
    (entry) => {
      expect(loadedBy(entry).elsewhere).toEqual([]);
    },
  );
});

describe('the built program', () => {
  it('loads the steps in which small models are led when one is', () => {
    const chunks = fs.globSync('chunks/*.js', { cwd: path.join(root, 'dist') });
    const holds = (file: string): boolean => /function runSteps|runSteps = /.test(fs.readFileSync(file, 'utf8'));
    expect(chunks.filter((name) => holds(path.join(root, 'dist', name)))).toHaveLength(1);
    expect(loadedBy('chunks/terminal.js').files.filter(holds)).toEqual([]);
  });

  it('is a program file and starts', async () => {
    verifies('B11');
    expect(fs.readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
    const ran = await runHalter(['--version'], { command: [process.execPath, main] });
    expect(ran).toMatchObject({
      code: 0,
      out: `${JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version}\n`,
    });
  });

  it('runs without type stripping: a tool, a session, an answer', async () => {
    const server = await startScriptedServer({
      turns: [{ calls: [{ name: 'ls', arguments: {} }] }, { text: 'empty' }],
    });
    onTestFinished(() => server.close());
    const ran = await runHalter(['run', 'x', '--provider', 'openai', '--base-url', server.openaiUrl], {
      command: [process.execPath, '--no-experimental-strip-types', main],
    });
    expect(ran).toMatchObject({ code: 0, out: 'empty\n', err: expect.stringMatching(/^✓ ls/) });
  });

  it('goes on under the Node of its package when started by an old one', async (context) => {
    const old = findOldNode();
    if (old === undefined) return context.skip('there is no Node older than 24 here: apt-get install nodejs');
    const ran = await runHalter(['tools', 'call', 'get_working_directory', '{}'], { command: [old, main] });
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(await runHalter(['rnu'], { command: [old, main] })).toMatchObject({ code: 2 });
  });

  it('says what it needs when an old Node finds no other', async (context) => {
    const old = findOldNode();
    if (old === undefined) return context.skip('there is no Node older than 24 here: apt-get install nodejs');
    const alone = scratchFolder();
    fs.cpSync(path.join(root, 'dist'), path.join(alone, 'dist'), { recursive: true });
    fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(alone, 'package.json'));
    const ran = await runHalter(['--version'], { command: [old, path.join(alone, 'dist/cli/main.js')] });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('the program needs Node 24 or newer, and this is v');
    expect(ran.err).toContain('Install it from https://nodejs.org');
    expect(ran.err).toContain('`import "halter"` works with this one');
  });

  const ENDED = [
    ['built', 'SIGTERM'],
    ['built', 'SIGKILL'],
    ['start script', 'SIGTERM'],
    ['start script', 'SIGKILL'],
  ] as const;
  it.each(everyNth(ENDED, 3))('leaves nothing running when the old Node of the %s gets %s', async (way, signal) => {
    verifies('B11');
    const old = findOldNode() ?? process.execPath;
    let reached: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const server = await startScriptedServer({
      turns: () => {
        reached();
        return { headersGate: new Promise(() => {}) };
      },
    });
    onTestFinished(() => server.close());
    const mark = server.openaiUrl;
    const program = way === 'built' ? main : path.join(ROOT, 'scripts/start.mjs');
    const running = startHalter(['run', 'x', '--provider', 'openai', '--base-url', mark], { command: [old, program] });
    await waiting;
    const started = processesOf(mark);
    running.child.kill(signal);
    await running.finished;
    await until(() => processesOf(mark).length === 0);
    expect(started.length).toBe(old === process.execPath ? 1 : 2);
  });
});

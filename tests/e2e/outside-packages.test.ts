/** What is said where a package that halter loads is missing, another version or damaged: by the installed program. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OUTSIDE_PACKAGES, type OutsidePackage, packageToInstall } from '../../src/core/outside-packages.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { OPEN, type Ran, type RunOptions, runHalter, startHalter } from '../support/halter-process.ts';
import { installedProject, printedBy } from '../support/installed-program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const project = installedProject();
const PATIENT = { timeout: 120_000 };
/** Nobody listens there. */
const DATABASE = 'postgres://127.0.0.1:1/halter';
const STACK = /^\s+at |Require stack|this is a defect/m;

type State = 'missing' | 'older' | 'damaged';
const STATES: readonly State[] = ['missing', 'older', 'damaged'];

/** Puts a package into that state until the end of the test. */
const alter = (folder: string, { name, version }: OutsidePackage, state: State): void => {
  const place = path.join(folder, 'node_modules', name);
  const aside = path.join(folder, 'aside');
  fs.rmSync(aside, { recursive: true, force: true });
  const isThere = fs.existsSync(place);
  if (isThere) fs.renameSync(place, aside);
  onTestFinished(() => {
    fs.rmSync(place, { recursive: true, force: true });
    if (isThere) fs.renameSync(aside, place);
  });
  if (state === 'missing') return;
  const exports = { '.': './index.js', './*': './index.js' };
  const manifest = { name, version: state === 'older' ? '0.0.9' : version, type: 'module', exports };
  // As a driver fails whose native part is missing.
  const fails = `throw Object.assign(new Error("Cannot find module 'native'\\nRequire stack:\\n- /a"), { code: 'MODULE_NOT_FOUND' });`;
  putFiles(place, { 'package.json': JSON.stringify(manifest), 'index.js': fails });
};

const words = (one: OutsidePackage, state: State): RegExp =>
  ({
    missing: new RegExp(`is not installed.*npm install ${packageToInstall(one)}`, 's'),
    older: new RegExp(
      `${one.name}\\): found 0\\.0\\.9 in .*, needs ${one.version} .*npm install ${packageToInstall(one)}`,
      's',
    ),
    // What is put together from several files fails as a whole, and says so in its own words.
    damaged: new RegExp(
      `found ${one.name} ${one.version} in .*\\) cannot be loaded: .*npm install ${packageToInstall(one)}`,
      's',
    ),
  })[state];

type Row = { one: OutsidePackage; args: readonly string[]; code?: number };
const HOLDING = JSON.stringify({ mcpServers: { x: { command: 'node', args: ['-e', '0'] } } });
const { engine, mcp, parser, pdf, postgres, ripgrep, system } = OUTSIDE_PACKAGES;

const ROWS: readonly Row[] = [
  { one: postgres, args: ['sessions', 'list', '--database', DATABASE] },
  { one: engine, args: ['run', '--provider', 'embedded', '--offline', 'hi'], code: 5 },
  { one: ripgrep, args: ['tools', 'call', 'grep_search', '{"pattern":"x"}', '--allow', 'folder:read'] },
  { one: system, args: ['tools', 'call', 'system_stats', '{}'] },
  // The other files are indexed.
  { one: pdf, args: ['index'], code: 0 },
  { one: parser, args: ['index'] },
  { one: parser, args: ['tools', 'call', 'bash', '{"command":"git status"}', '--allow', 'bash(git *)'], code: 3 },
  { one: mcp, args: ['mcp', 'list'] },
];

/** How the program that was installed there is run, in a workspace with files of each kind and a home with an MCP server. */
const installed = (folder: string, stdin?: typeof OPEN): RunOptions => {
  const cwd = scratchFolder();
  putFiles(cwd, { 'a.py': 'def whole():\n  return 1\n', 'a.pdf': '%PDF-1.4' });
  const home = scratchFolder();
  putFiles(home, { '.config/halter/mcp.json': HOLDING });
  const command = [process.execPath, path.join(folder, 'node_modules/halter/dist/cli/main.js')];
  return { cwd, home, command, ...(stdin === undefined ? {} : { stdin }) };
};

const play = (folder: string, args: readonly string[]): Promise<Ran> => runHalter(args, installed(folder));

describe('a package that halter loads', () => {
  const rows = ROWS.flatMap((row) =>
    STATES.map((state) => ({ ...row, name: row.one.name, line: row.args.join(' '), state })),
  );
  it.for(rows)('$name $state: `$line`', PATIENT, async ({ one, args, state, code = 1 }, context) => {
    verifies('B12');
    const folder = project(context);
    alter(folder, one, state);
    const ran = await play(folder, args);
    const said = ran.out + ran.err;
    expect(said).toMatch(words(one, state));
    expect(said).not.toMatch(STACK);
    expect(ran.code).toBe(code);
  });

  it.for(STATES)(
    'a run goes on without the MCP servers where their client is %s, and says so',
    PATIENT,
    async (state, context) => {
      await using model = await startScriptedServer({ turns: [{ text: 'Hello.' }] });
      const folder = project(context);
      alter(folder, mcp, state);
      const ran = await play(folder, [
        'run',
        '--provider',
        'openai',
        '--base-url',
        model.openaiUrl,
        '-m',
        'test-model',
        'hi',
      ]);
      expect(ran.err).toMatch(words(mcp, state));
      expect([ran.code, ran.out]).toEqual([0, 'Hello.\n']);
    },
  );

  it.for(['run hi', 'worker', 'serve --port 0', 'doctor', 'run -c hi', 'sessions show x'])(
    'another driver of the database is told by `%s`',
    PATIENT,
    async (line, context) => {
      const folder = project(context);
      alter(folder, postgres, 'older');
      const ran = await play(folder, [...line.split(' '), '--database', DATABASE]);
      const said = ran.out + ran.err;
      expect(said).toMatch(words(postgres, 'older'));
      expect(said).not.toMatch(STACK);
      expect(ran.code).toBe(1);
    },
  );

  it('another driver of the database is told to an editor', PATIENT, async (context) => {
    const folder = project(context);
    alter(folder, postgres, 'older');
    const ask = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const { child, said, told, finished } = startHalter(['acp', '--database', DATABASE], installed(folder, OPEN));
    child.stdin?.write(ask(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} }));
    await said('"id":1');
    child.stdin?.write(ask(2, 'session/new', { cwd: folder, mcpServers: [] }));
    await said('"id":2');
    child.stdin?.end();
    const { out } = await finished;
    expect(out + told()).toMatch(words(postgres, 'older'));
    expect(out + told()).not.toMatch(STACK);
  });

  it('another driver of the database is told by the library', PATIENT, async (context) => {
    const folder = project(context);
    alter(folder, postgres, 'older');
    const program = `import { createHarness } from 'halter';
import { scriptedProvider } from 'halter/testing';
const harness = createHarness({ model: 'm', provider: scriptedProvider([]), storage: { kind: 'postgres', url: '${DATABASE}' } });
await harness.chat('hi').then(() => console.log('answered'), ({ message }) => console.log(message));
await harness.close();`;
    expect(await printedBy(folder, program)).toMatch(words(postgres, 'older'));
  });

  it.for(Object.values(OUTSIDE_PACKAGES).map((one: OutsidePackage) => ({ ...one, one })))(
    '`halter doctor` tells of another $name',
    PATIENT,
    async ({ one }, context) => {
      const folder = project(context);
      alter(folder, one, 'older');
      const ran = await play(folder, ['doctor']);
      expect(ran.out).toMatch(words(one, 'older'));
      expect(ran.code).toBe(1);
    },
  );
});

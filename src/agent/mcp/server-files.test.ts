import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { ServerDefinition } from '../../mcp/server-definition.ts';
import { filesOfServer, isSameStart, startDigest } from './server-files.ts';

const PACKAGE = JSON.stringify({
  name: 'demo',
  scripts: { mcp: 'node scripts/start.mjs --port 1', premcp: 'sh tools/prepare.sh', other: 'node other.mjs' },
  dependencies: { a: '1' },
});
const FILES: Readonly<Record<string, string>> = {
  'server.mjs':
    "import './lib/tools.mjs';\nimport { x } from 'kit';\nconst f = path.join(here, 'lib', 'joined.mjs');\n",
  'lib/tools.mjs': "export * from '../shared.mjs';\n",
  'lib/joined.mjs': '',
  'shared.mjs': '',
  'other.mjs': '',
  'notes.md': '',
  'data.db': '',
  'package.json': PACKAGE,
  'scripts/start.mjs': '',
  'tools/prepare.sh': '#!/bin/sh\n. ./tools/common.sh\n',
  'tools/common.sh': '',
  'pkg/main.py': 'from .inner import run\nimport helper\n',
  'pkg/__init__.py': '',
  'pkg/inner.py': '',
  'helper.py': '',
  'pkg/helper.py': '',
  'app/index.js': "require('./deep')",
  'app/deep.js': '',
  'bin/tool': '#!/bin/sh\nexec ./bin/worker\n',
  'bin/worker': '#!/bin/sh\n',
  Makefile: 'serve:\n\tnode made.mjs\n',
  'made.mjs': '',
  'cmd/main.go': 'package main',
  'node_modules/kit/package.json': '{"main": "./lib.js"}',
  'node_modules/kit/lib.js': "require('./inner.js')",
  'node_modules/kit/inner.js': '',
  'node_modules/mcp-thing/package.json': '{"bin": {"mcp-thing": "cli.js"}}',
  'node_modules/mcp-thing/cli.js': '',
};

const workspace = (): string => {
  const folder = fs.realpathSync.native(scratchFolder());
  putFiles(folder, FILES);
  for (const name of ['bin/tool', 'bin/worker']) fs.chmodSync(path.join(folder, name), 0o755);
  return folder;
};
const server = (command: string, args: string[] = [], env: Record<string, string> = {}): ServerDefinition => ({
  name: 's',
  kind: 'process',
  command,
  args,
  env,
});
const at = (folder: string, environment = {}) => ({ roots: [folder], environment });
const files = (folder: string, given: ServerDefinition, environment = {}): string[] =>
  filesOfServer(given, at(folder, environment))
    .files.map((file) => path.relative(folder, file))
    .sort();

it('finds what a server is started from, whoever names it', () => {
  verifies('S43');
  const folder = workspace();
  const own = ['lib/joined.mjs', 'lib/tools.mjs', 'server.mjs', 'shared.mjs'];
  const kit = ['node_modules/kit/inner.js', 'node_modules/kit/lib.js', 'node_modules/kit/package.json'];
  const all = [...own, ...kit].sort();
  const cases: [ServerDefinition, string[]][] = [
    [server('node', ['server.mjs']), all],
    [server('node', ['./lib/../server.mjs', '--db=data.db', 'notes.md']), all],
    [server('/usr/bin/node', [path.join(folder, 'server.mjs')]), all],
    [server('node', ['--import', `file://${folder}/shared.mjs`, '-e', '0']), ['shared.mjs']],
    [server('node', ['--require=./shared.mjs', 'other.mjs']), ['other.mjs', 'shared.mjs']],
    [server('node', ['-r./shared.mjs', 'other']), ['other.mjs', 'shared.mjs']],
    [server('node', [], { NODE_OPTIONS: '--import ./shared.mjs' }), ['shared.mjs']],
    [server('node', ['app']), ['app/deep.js', 'app/index.js']],
    [server('sh', ['-c', 'cd lib && exec node tools.mjs']), ['lib/tools.mjs', 'shared.mjs']],
    [server('env', ['A=b', 'node', 'other.mjs']), ['other.mjs']],
    [server('bin/tool'), ['bin/tool', 'bin/worker']],
    [
      server('python3', ['-m', 'pkg.main']),
      ['helper.py', 'pkg/__init__.py', 'pkg/helper.py', 'pkg/inner.py', 'pkg/main.py'],
    ],
    [server('npm', ['run', 'mcp']), ['package.json', 'scripts/start.mjs', 'tools/common.sh', 'tools/prepare.sh']],
    [
      server('npx', ['-y', 'mcp-thing@1.2.3', '.']),
      ['node_modules/mcp-thing/cli.js', 'node_modules/mcp-thing/package.json', 'package.json'],
    ],
    [server('make', ['serve']), ['Makefile', 'made.mjs']],
    [server('go', ['run', './cmd']), ['cmd/main.go']],
    [server('node', ['/usr/lib/server.js', folder, '.']), []],
  ];
  for (const [given, expected] of cases) expect([given, files(folder, given)]).toEqual([given, expected]);
  expect(files(folder, server('tool'), { PATH: `/nonexistent:${folder}/bin` })).toEqual(['bin/tool', 'bin/worker']);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form that .mcp.json uses
  expect(files(folder, server('node', ['${HERE}/other.mjs']), { HERE: folder })).toEqual(['other.mjs']);
});

it('binds a yes to the content of those files, to links and to what is not there yet', () => {
  verifies('S43');
  const folder = workspace();
  const place = at(folder);
  const given = server('node', ['server.mjs']);
  const before = startDigest(given, place);
  fs.writeFileSync(path.join(folder, 'notes.md'), 'changed');
  expect(startDigest(given, place)).toBe(before);
  for (const name of ['server.mjs', 'lib/tools.mjs', 'shared.mjs', 'node_modules/kit/inner.js']) {
    const digest = startDigest(given, place);
    fs.appendFileSync(path.join(folder, name), '\n// changed');
    expect([name, startDigest(given, place) === digest]).toEqual([name, false]);
  }
  const missing = server('node', ['dist/later.js']);
  const absent = startDigest(missing, place);
  putFiles(folder, { 'dist/later.js': '1' });
  expect(startDigest(missing, place)).not.toBe(absent);

  fs.symlinkSync('other.mjs', path.join(folder, 'link.mjs'));
  const linked = server('node', ['link.mjs']);
  expect(files(folder, linked)).toEqual(['link.mjs', 'other.mjs']);
  const digest = startDigest(linked, place);
  fs.writeFileSync(path.join(folder, 'other.mjs'), 'changed');
  expect(startDigest(linked, place)).not.toBe(digest);
});

it('lets package.json change in what starts nothing', () => {
  const folder = workspace();
  const given = server('npm', ['run', 'mcp']);
  const before = startDigest(given, at(folder));
  const installed = PACKAGE.replace('"a":"1"', '"a":"1","b":"2"');
  fs.writeFileSync(path.join(folder, 'package.json'), installed);
  expect(startDigest(given, at(folder))).toBe(before);
  expect(isSameStart('/x/package.json', PACKAGE, installed)).toBe(true);
  const rewritten = PACKAGE.replace('node scripts/start.mjs', 'node evil.mjs');
  fs.writeFileSync(path.join(folder, 'package.json'), rewritten);
  expect(startDigest(given, at(folder))).not.toBe(before);
  expect(isSameStart('/x/package.json', PACKAGE, rewritten)).toBe(false);
  expect(isSameStart('/x/server.mjs', 'a', 'b')).toBe(false);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of programs.
/** What a server loads by its settings, by where its modules lie, or by another name than a path in quotes. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import { startDigest } from './server-files.ts';

type Row = [
  name: string,
  files: Record<string, string>,
  command: string,
  args: string[],
  /** What is written or changed. */
  changed: string,
  env?: Record<string, string>,
];

const ROWS: Row[] = [
  [
    'python beside the script: a module of the standard library',
    { 'server.py': 'import asyncio\n' },
    'python3',
    ['server.py'],
    'selectors.py',
  ],
  [
    'PYTHONPATH',
    { 'server.py': 'import tools\n', 'lib/tools.py': '' },
    'python3',
    ['server.py'],
    'lib/tools.py',
    { PYTHONPATH: 'lib' },
  ],
  [
    'python: sys.path',
    { 'server.py': "import sys\nsys.path.insert(0, 'lib')\nimport tools\n", 'lib/tools.py': '' },
    'python3',
    ['server.py'],
    'lib/tools.py',
  ],
  [
    'python: a name behind import as',
    { 'server.py': 'import os, tools as t\n', 'tools.py': '' },
    'python3',
    ['server.py'],
    'tools.py',
  ],
  [
    'python: import_module',
    { 'server.py': 'm = importlib.import_module("plugins.tool")\n', 'plugins/tool.py': '' },
    'python3',
    ['server.py'],
    'plugins/tool.py',
  ],
  [
    'python: several lines in brackets',
    { 'server.py': 'from pkg import (\n  a,\n  b,\n)\n', 'pkg/__init__.py': '', 'pkg/b.py': '' },
    'python3',
    ['server.py'],
    'pkg/b.py',
  ],
  [
    'python: the package above',
    { 'src/app/__main__.py': 'from . import x\n', 'src/app/x.py': '', 'src/app/__init__.py': '' },
    'python3',
    ['-m', 'app'],
    'src/app/x.py',
    { PYTHONPATH: 'src' },
  ],
  [
    'NODE_PATH',
    { 'server.js': "require('tools')\n", 'lib/tools.js': '' },
    'node',
    ['server.js'],
    'lib/tools.js',
    { NODE_PATH: 'lib' },
  ],
  [
    'tsconfig paths',
    { 'server.ts': "import 'zod'\n", 'tsconfig.json': '{}' },
    'npx',
    ['tsx', 'server.ts'],
    'tsconfig.json',
  ],
  [
    'tsconfig of bun',
    { 'server.ts': "import 'zod'\n", 'tsconfig.json': '{}' },
    'bun',
    ['run', 'server.ts'],
    'tsconfig.json',
  ],
  [
    'an import map of deno',
    { 'server.ts': "import 'zod'\n", 'deno.json': '{"importMap": "./map.json"}', 'map.json': '{}' },
    'deno',
    ['run', 'server.ts'],
    'map.json',
  ],
  [
    'node --env-file',
    { 'server.js': '', 'my.vars': 'NODE_OPTIONS=' },
    'node',
    ['--env-file=my.vars', 'server.js'],
    'my.vars',
  ],
  [
    'a template text in javascript',
    { 'server.mjs': 'await import(`${here}/tools.mjs`)\n', 'tools.mjs': '' },
    'node',
    ['server.mjs'],
    'tools.mjs',
  ],
  [
    'javascript: a folder and a text',
    { 'server.js': "require(__dirname + '/lib/tools.js')\n", 'lib/tools.js': '' },
    'node',
    ['server.js'],
    'lib/tools.js',
  ],
  [
    'php: __DIR__',
    { 'server.php': "<?php require __DIR__ . '/lib/tools.php';\n", 'lib/tools.php': '' },
    'php',
    ['server.php'],
    'lib/tools.php',
  ],
  ['lua: a module', { 'server.lua': 'require "tools"\n', 'tools.lua': '' }, 'lua', ['server.lua'], 'tools.lua'],
  [
    'lua: a module in a folder',
    { 'server.lua': 'require("lib.tools")\n', 'lib/tools.lua': '' },
    'lua',
    ['server.lua'],
    'lib/tools.lua',
  ],
  [
    'ruby: require_relative of a bare name',
    { 'server.rb': "require_relative 'tools'\n", 'tools.rb': '' },
    'ruby',
    ['server.rb'],
    'tools.rb',
  ],
  ['ruby -I', { 'server.rb': "require 'tools'\n", 'lib/tools.rb': '' }, 'ruby', ['-Ilib', 'server.rb'], 'lib/tools.rb'],
  [
    'perl: use lib',
    { 'server.pl': "use lib 'lib';\nuse My::Tools;\n", 'lib/My/Tools.pm': '' },
    'perl',
    ['server.pl'],
    'lib/My/Tools.pm',
  ],
  ['perl -I', { 'server.pl': 'use Tools;\n', 'lib/Tools.pm': '' }, 'perl', ['-Ilib', 'server.pl'], 'lib/Tools.pm'],
  [
    'shell: BASH_SOURCE',
    { 'server.sh': '. "${BASH_SOURCE%/*}/lib/common"\n', 'lib/common': 'true' },
    'bash',
    ['server.sh'],
    'lib/common',
  ],
  [
    'shell: a folder of cd',
    { 'server.sh': 'D="$(cd "$(dirname "$0")" && pwd)"\nsource "$D/common.bash"\n', 'common.bash': '' },
    'bash',
    ['server.sh'],
    'common.bash',
  ],
  [
    'make: include without an ending',
    { Makefile: 'include rules/common\nserve:\n\ttrue\n', 'rules/common': 'X=1' },
    'make',
    ['serve'],
    'rules/common',
  ],
  ['make -f', { 'tools/serve': 'serve:\n\ttrue\n' }, 'make', ['-f', 'tools/serve', 'serve'], 'tools/serve'],
  ['just: import', { justfile: "import 'more.just'\n", 'more.just': '' }, 'just', ['serve'], 'more.just'],
  ['rake: rakelib', { Rakefile: '', 'rakelib/serve.rake': '' }, 'rake', ['serve'], 'rakelib/serve.rake'],
  [
    'task: includes',
    { 'Taskfile.yml': 'includes:\n  x: ./tasks/x.yml\n', 'tasks/x.yml': '' },
    'task',
    ['serve'],
    'tasks/x.yml',
  ],
  [
    'go: cgo',
    { 'main.go': 'package main\nimport "C"\n', 'native.c': '', 'go.mod': 'module x' },
    'go',
    ['run', '.'],
    'native.c',
  ],
  ['go: assembler', { 'main.go': 'package main', 'x_amd64.s': '' }, 'go', ['run', '.'], 'x_amd64.s'],
  [
    'cargo: C of a build script',
    { 'Cargo.toml': '', 'src/main.rs': '', 'build.rs': 'cc::Build::new().file("src/x.c")', 'src/x.c': '' },
    'cargo',
    ['run'],
    'src/x.c',
  ],
  ['gradle.properties', { 'build.gradle': '', 'gradle.properties': '' }, './gradlew', ['run'], 'gradle.properties'],
  [
    'gradle: groovy and version catalogue',
    { 'build.gradle': '', 'gradle/libs.versions.toml': '' },
    'gradle',
    ['run'],
    'gradle/libs.versions.toml',
  ],
  [
    'gradle: buildSrc',
    { 'build.gradle': '', 'buildSrc/src/main/groovy/x.groovy': '' },
    'gradle',
    ['run'],
    'buildSrc/src/main/groovy/x.groovy',
  ],
  [
    'dotnet: launch settings',
    { 'x.csproj': '', 'Properties/launchSettings.json': '{}' },
    'dotnet',
    ['run'],
    'Properties/launchSettings.json',
  ],
  [
    'docker: a folder under another name',
    { 'srv/server.js': '' },
    'docker',
    ['run', '-i', '-v', './srv:/app', 'node', 'node', '/app/server.js'],
    'srv/server.js',
  ],
  [
    'docker: the whole folder under another name',
    { 'server.js': '' },
    'docker',
    ['run', '-i', '--mount', 'type=bind,src=.,dst=/app', 'node', 'node', '/app/server.js'],
    'server.js',
  ],
  [
    'docker compose: a file of variables',
    {
      'compose.yaml': 'services:\n  s:\n    env_file: server.vars\n    build: ./srv\n',
      'server.vars': '',
      'srv/Dockerfile': '',
    },
    'docker',
    ['compose', 'run', 's'],
    'srv/Dockerfile',
  ],
  ['uv: the lock', { 'pyproject.toml': '', 'uv.lock': '' }, 'uv', ['run', 'server'], 'uv.lock'],
  [
    "uv: the project's own module by its script",
    { 'pyproject.toml': '[project.scripts]\nserver = "app.main:run"\n', 'src/app/main.py': '' },
    'uv',
    ['run', 'server'],
    'src/app/main.py',
  ],
  [
    'uv --directory',
    { 'srv/pyproject.toml': '', 'srv/server.py': '' },
    'uv',
    ['--directory', 'srv', 'run', 'server.py'],
    'srv/server.py',
  ],
  ['java -cp', { 'classes/Server.class': '' }, 'java', ['-cp', 'classes', 'Server'], 'classes/Server.class'],
  ['java: an argument file', { 'java.args': '-javaagent:x.jar' }, 'java', ['@java.args', 'Server'], 'java.args'],
  [
    'a config file that node takes',
    { 'server.js': '', 'node.config.json': '{}' },
    'node',
    ['--experimental-default-config-file', 'server.js'],
    'node.config.json',
  ],
  ['nodemon.json', { 'server.js': '', 'nodemon.json': '{}' }, 'npx', ['nodemon', 'server.js'], 'nodemon.json'],
  [
    "a process manager's file",
    { 'ecosystem.config.js': '' },
    'pm2-runtime',
    ['ecosystem.config.js'],
    'ecosystem.config.js',
  ],
  ['elixir', { 'mix.exs': '', 'lib/server.ex': '' }, 'mix', ['run', '--no-halt'], 'lib/server.ex'],
  [
    'r: sourced by a bare name',
    { 'server.R': "source('tools.R')\n", 'tools.R': '' },
    'Rscript',
    ['server.R'],
    'tools.R',
  ],
  [
    'powershell',
    { 'server.ps1': '. "$PSScriptRoot/tools.ps1"\n', 'tools.ps1': '' },
    'pwsh',
    ['-File', 'server.ps1'],
    'tools.ps1',
  ],
  [
    'a native module',
    { 'server.js': "require('./build/Release/x')\n", 'build/Release/x.node': '' },
    'node',
    ['server.js'],
    'build/Release/x.node',
  ],
  ['vite-node config', { 'server.ts': '', 'vite.config.ts': '' }, 'npx', ['vite-node', 'server.ts'], 'vite.config.ts'],
  [
    'a script of npm in a workspace',
    {
      'package.json': '{"workspaces":["pkg/*"]}',
      'pkg/a/package.json': '{"scripts":{"mcp":"node s.mjs"}}',
      'pkg/a/s.mjs': '',
    },
    'npm',
    ['run', 'mcp', '-w', 'pkg/a'],
    'pkg/a/s.mjs',
  ],
];

it.each(ROWS)('asks again: %s', (_name, files, command, args, changed, env = {}) => {
  verifies('S43');
  const folder = fs.realpathSync.native(scratchFolder());
  putFiles(folder, files);
  const server = { name: 's', kind: 'process' as const, command, args, env };
  const place = { roots: [folder], environment: {} };
  const before = startDigest(server, place);
  putFiles(folder, { [changed]: `${files[changed] ?? ''}\n# another text\n` });
  expect(startDigest(server, place)).not.toBe(before);
  void path;
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { AUTOLOADED_FILES } from './autoloaded-files.ts';
import {
  askedUntilNamed,
  isAutoExecutedPath,
  isNeverWritten,
  isSecretPath,
  SECRET_EXAMPLES,
} from './sensitive-files.ts';

describe('names of files that are asked about', () => {
  it.each([
    '.git/hooks/x',
    'a/.HG/x',
    '.halter/config.json',
    'git~1/config',
    '.git\u200b/config',
    '.git. /x',
    '.config/halter/x',
  ])('%s is never written', (path) => expect(isNeverWritten(path)).toBe(true));

  it.each([
    '.gitignore',
    '.github/workflows/ci.yml',
    'README.md',
    'src/env.ts',
    'a/b',
    '',
    '.',
    'halter',
    '/proc/cpuinfo',
  ])('%s is none of them', (path) =>
    expect([isAutoExecutedPath(path), isSecretPath(path), isNeverWritten(path)]).toEqual([false, false, false]),
  );

  it.each([
    '.vim/after/ftplugin/python.vim',
    'sub/.vim/pack/x/start/y/plugin/z.vim',
    '.vim/ftdetect/x.vim',
    'vimfiles/after/x.vim',
    '_vimrc',
    '.bashrc.d/x.sh',
    '.zshrc.d/x',
    '.bashrc.local',
    '.zsh/functions/x',
    '.zcompdump-host',
    '.direnv/flake-profile-1.rc',
    'sub/.direnv/bin/ls',
    '.config/go/env',
    '.config/gh/config.yml',
    '.config/mpv/scripts/x.lua',
    '.local/share/bash-completion/completions/git',
    '.config/sxhkd/sxhkdrc',
    'commitlint.config.js',
    '.commitlintrc.cjs',
    'x.pro.user',
  ])('%s is asked about each time', (path) => {
    verifies('S17', 'S36');
    expect(isAutoExecutedPath(path)).toBe(true);
  });

  it.each([
    '.venv/bin/activate',
    'app/.venv/bin/python',
    'venv/bin/pip',
    'my env/bin/activate.fish',
    'x/Scripts/activate.bat',
    '.venv/Scripts/python.exe',
    'x/bin/activate_this.py',
    '.direnv/python-3.12/bin/python',
    '.pixi/envs/x/etc/conda/activate.d/x.sh',
    '.devbox/gen/scripts/.hooks.sh',
    '.htaccess',
    'public/.htaccess',
    'public/.user.ini',
    'web.config',
    '.python-version',
    'lib/python3.12/site-packages/x.pth',
  ])('%s is asked about until a rule names it', (path) => {
    verifies('S17');
    expect([isAutoExecutedPath(path), askedUntilNamed(path) !== undefined]).toEqual([false, true]);
  });

  it.each([
    'bin/active',
    'src/bin/run.ts',
    'scripts/activate.ts',
    'conftest.py',
    'Makefile',
    'x.pth',
    'docs/vim/after.md',
    'venv.md',
    'profile.d.ts',
  ])('%s is a file like others', (path) => {
    verifies('S17');
    expect([isAutoExecutedPath(path), askedUntilNamed(path)]).toEqual([false, undefined]);
  });

  it.each([
    '.octaverc',
    '.pi/extensions/x.ts',
    '.github/hooks/x.json',
    '.sl/config',
    'jupyter_server_config.py',
    '.proverc',
    '.erlang',
    'hie.yaml',
    '.merlin',
    '.lazy.lua',
    '.vim/coc-settings.json',
    '.vimspector.json',
    '.vimrc.local',
    '.local.vimrc',
    '.ycm_extra_conf.py',
    '.kateproject',
    '.theia/tasks.json',
    '.lapce/settings.toml',
    '.externalToolBuilders/x.launch',
    '.latexmkrc',
    'latexmkrc',
    '.byebugrc',
    '.openhands/setup.sh',
    '.void/mcp.json',
    '.agents/hooks.json',
    '.mux/init',
    'conductor.json',
    '.codebuddy/settings.json',
    '.warp/x.yaml',
    'lefthook-local.yml',
    '.lefthook-local.yml',
    'lefthook.toml',
    '.config/lefthook.yml',
    '.huskyrc.js',
    'husky.config.js',
    '.git-hooks/pre-commit',
    'captainhook.json',
    'grumphp.yml',
    'prek.toml',
    'hk.pkl',
    '.rusty-hook.toml',
    'simple-git-hooks.cjs',
    'lint-staged.config.mjs',
    'pip.ini',
    'uv.toml',
    'nuget.config',
    'NuGet.Config',
    '.jvmopts',
    '.sbtopts',
    '.mill-jvm-opts',
    'devbox.json',
    '.flox/env/manifest.toml',
    '.shadowenv.d/x.lisp',
    '.envrc.local',
    '.yarn/sdks/typescript/lib/tsserver.js',
    '.config/zsh/.zshrc',
    '.config/emacs/init.el',
    '.config/helix/config.toml',
    '.config/zed/settings.json',
    '.config/Code/User/settings.json',
    '.config/starship.toml',
    '.config/i3/config',
    '.config/hypr/hyprland.conf',
    '.config/uv/uv.toml',
    '.buckconfig.local',
    '.lfsconfig',
    'pnpm-workspace.yaml',
    'pnpm-workspace.yml',
    '.gitlab/duo/mcp.json',
    '.gitlab/duo/chat-rules.md',
    'mcp.json',
    'mcp_config.json',
    '.tool-versions',
    '.asdfrc',
    '.vs/tasks.vs.json',
    'mise.local.toml',
    'mise.ci.toml',
    '.bazelversion',
    'user.bazelrc',
    '.bazelrc.user',
    '.copilot/mcp-config.json',
    '.github/copilot/mcp.json',
    '.agent/rules/x.md',
    '.vibe/config.toml',
    '.kimi/x',
    '.grok/settings.json',
    'gptme.toml',
    '.container-use/environment.json',
    '.abacusai/mcp.json',
    '.terraformrc',
    '.jupyter/jupyter_server_config.d/x.json',
    '.julia/config/startup.jl',
    '.oh-my-zsh/custom/x.zsh',
    '.wezterm.lua',
    '.qoder/settings.json',
    '.commandcode/settings.json',
    '.claude-plugin/plugin.json',
    '.run/Tests.run.xml',
    '.bsp/server.json',
    'buildServer.json',
    '.factorypath',
    '.lite_project.lua',
    '.nvim/nvim-dap.lua',
    'rust-analyzer.toml',
    '.luarc.json',
    '.lsp/config.edn',
    '.rvmrc',
    '.prototools',
    '.moon/workspace.yml',
    'bin/hermit.hcl',
    '.corepack.env',
    'poetry.toml',
    '.RData',
    '.perldb',
    '_irbrc',
    '.tmuxp.yaml',
    'devfile.yaml',
    'local.properties',
    '.mvn/settings.xml',
  ])('%s is run or loaded by itself', (path) => expect(isAutoExecutedPath(`a/${path}`)).toBe(true));

  it.each([
    'AGENTS.md',
    'package.json',
    '.editorconfig',
    '.nvmrc',
    'src/agents/a.ts',
    'src/uv.ts',
    'lefthook',
    'config/code/a.ts',
    'docs/.vitepress/config.ts',
    'model.pth',
    'src/mcp.json.ts',
    'docs/agents.md/../x.md',
    'deno.json',
    '.github/dependabot.yml',
  ])('%s is not', (path) => expect(isAutoExecutedPath(path)).toBe(false));

  it('knows every file of the table by what its row says, and each file stands in one row', () => {
    for (const row of AUTOLOADED_FILES)
      for (const file of row.files) {
        const path = `a/${file.replaceAll('*', 'x')}`;
        const isEachTime = row.asks === 'each time';
        expect([path, isAutoExecutedPath(path), askedUntilNamed(path)]).toEqual([
          path,
          isEachTime,
          isEachTime ? undefined : row,
        ]);
        expect(isAutoExecutedPath(path.toUpperCase())).toBe(isEachTime);
      }
    const all = AUTOLOADED_FILES.flatMap(({ files }) => files);
    expect(all.filter((file, index) => all.indexOf(file) !== index)).toEqual([]);
  });

  it.each([
    'model.pth',
    '.github/dependabot.yml',
    'src/agents.ts',
    'README.md',
    'package.json',
    'claude.txt',
    '...',
    '',
    '.',
    '/',
    'a//b',
    '/a/b.ts',
    'a/',
  ])('%s is autoloaded by nobody unasked', (path) => expect(askedUntilNamed(path)).toBeUndefined());

  it.each(['/proc/self/environ', '/proc/$PPID/environ', '/proc/1/mem', '/proc/[0-9]*/environ', '/proc/self/fd/3'])(
    '%s holds what belongs to a process',
    (path) => expect(isSecretPath(path)).toBe(true),
  );

  it('knows every name of its own list, in whatever folder and however it is spelled', () => {
    const folder = fc.array(fc.constantFrom('a', 'Ü b', '.', 'x.y'), { maxLength: 4 });
    fc.assert(
      fc.property(
        folder,
        fc.constantFrom(...SECRET_EXAMPLES),
        fc.constantFrom('', '.', ' ', '/'),
        (parts, name, end) => {
          const path = [...parts, name].join('/') + end;
          expect([path, isSecretPath(path)]).toEqual([path, true]);
          expect(isSecretPath(path.toUpperCase())).toBe(true);
        },
      ),
    );
  });
});

it('knows secrets of the system, and files that only hold one key', () => {
  verifies('S18');
  for (const path of [
    '/etc/shadow',
    '../../etc/gshadow',
    '/etc//shadow-',
    '/etc/ssl/private/a.key',
    '/etc/sudoers',
    'id_ed25519_sk',
    '.snowsql/config',
    'a/.vercel/auth.json',
    'wallet.dat',
  ])
    expect(isSecretPath(path), path).toBe(true);
  for (const path of [
    '/etc/hosts',
    '/etc/ssl/certs/a.crt',
    'etc/readme.md',
    'docs/etc/shadows.md',
    'src/vercel/auth.json',
  ])
    expect(isSecretPath(path), path).toBe(false);
});

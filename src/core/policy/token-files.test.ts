import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { isTokenFile, tokenIn } from './token-files.ts';

describe('files of settings that may hold a key', () => {
  it.each([
    '.git/config',
    'sub/.git/config',
    '.GIT/config',
    '.git/config.worktree',
    '.git/modules/m/config',
    '.git/worktrees/w/config.worktree',
    '.git/logs/HEAD',
    'mirror.git/config',
    '.gitmodules',
    '/home/me/.gitconfig',
    '/home/me/.config/git/config',
    '.yarnrc.yml',
    'NuGet.Config',
    '.bundle/config',
    '.cargo/config.toml',
    'api/gradle.properties',
    '.mcp.json',
    '.claude/settings.local.json',
  ])('%s', (path) => {
    verifies('S18');
    expect(isTokenFile(path)).toBe(true);
  });

  it.each(['config', 'src/config', '.gitignore', 'a.ts', '.git', '.git/objects/ab/cd', 'my.gitx/config'])(
    '%s is none',
    (path) => expect(isTokenFile(path)).toBe(false),
  );
});

describe('a key in settings', () => {
  it.each([
    '[remote "origin"]\n\turl = https://me:hunter2@host/x.git',
    '[remote "origin"]\n\turl = https://ghp_0123456789abcdefghij0123456789abcdef@github.com/x/y',
    '[remote "origin"]\n\turl = https://0123456789abcdef0123456789abcdef01234567@host/x.git',
    '[remote "origin"]\n\tpushurl = "https://x-access-token:abc@host/x.git"',
    '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic eDpnaHNfYWJj',
    '[http]\n\tproxy = http://me:pass@proxy:8080',
    '[credential]\n\thelper = "!f() { echo username=me; echo password=hunter2; }; f"',
    '[url "https://oauth2:glpat-abcdefghijklmnop@gitlab.com/"]\n\tinsteadOf = git@gitlab.com:',
    '[sendemail]\n\tsmtpPass = hunter2',
    '[github]\n\ttoken = abcdef',
    '[core]\n\tsshCommand = sshpass -p hunter2 ssh',
    'npmAuthToken: "abcdef"',
    '  npmAuthIdent: me:hunter2\n  npmAuthToken: abc',
    '//registry.example.com/:_authToken=abc',
    '[install.scopes]\n"@me" = { token = "abc", url = "https://registry.example.com/" }',
    '[global]\nindex-url = https://me:hunter2@pypi.example.com/simple',
    '<add key="ClearTextPassword" value="hunter2" />',
    '<server><id>x</id><password>hunter2</password></server>',
    'nexusPassword=hunter2',
    '{ "env": { "GITHUB_TOKEN": "abc" } }',
    '{\n  "GITHUB_TOKEN": "abc"\n}',
    '{ "github-oauth": { "github.com": "ghp_0123456789abcdefghij0123456789abcdef" } }',
    'BUNDLE_GEMS__EXAMPLE__COM: "me:hunter2"\nBUNDLE_X__TOKEN: "abc"',
    'abc abc Me <me@x> 1 +0000\tpull https://me:hunter2@host/x.git: Fast-forward',
  ])('%j', (text) => {
    verifies('S18');
    expect(tokenIn(text)).toBeDefined();
  });

  it.each([
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false',
    '[remote "origin"]\n\turl = git@github.com:x/y.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*',
    '[remote "origin"]\n\turl = https://github.com/x/y.git',
    '[remote "origin"]\n\turl = https://me@bitbucket.org/x/y.git',
    '[remote "origin"]\n\turl = ssh://git@host:22/x.git',
    '[branch "token-refresh"]\n\tremote = origin\n\tmerge = refs/heads/token-refresh',
    '[user]\n\tsigningKey = ABCDEF0123456789\n\temail = me@example.com',
    '[credential]\n\thelper = store --file=/x\n\thelper = osxkeychain',
    '[core]\n\taskPass = /usr/bin/ask',
    '[http]\n\tsslKey = /x/key.pem',
    `npmAuthToken: "\${NPM_TOKEN}"`,
    'npmAlwaysAuth: true',
    'nodeLinker: node-modules',
    '# password=hunter2',
    `[global]\nindex-url = https://me:\${PASSWORD}@pypi.example.com/simple`,
    `<password>\${env.PASSWORD}</password>`,
    '<add key="nuget.org" value="https://api.nuget.org/v3/index.json" />',
    'org.gradle.jvmargs=-Xmx2g',
    `{ "mcpServers": { "x": { "command": "npx", "args": ["-y", "x"], "env": { "TOKEN": "\${TOKEN}" } } } }`,
    '[submodule "x"]\n\tpath = x\n\turl = ../x.git',
    'ref: refs/heads/main',
  ])('none in %j', (text) => expect(tokenIn(text)).toBeUndefined());
});

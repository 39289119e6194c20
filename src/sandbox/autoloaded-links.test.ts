/** Links through which other programs obey an ordinary file of the folder. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { inSandboxWorld } from '../../tests/support/sandbox-world.ts';

/** `taken`: what is not kept; `$MORE` stands for the other folder. */
type LinkCase = { before: string; command: string; taken: string[]; told?: string };
const REPOSITORY =
  'git init -q -b main .; mkdir -p scripts conf/vs; echo old > scripts/hook.sh; chmod +x scripts/hook.sh';

const AUTOLOADED: Readonly<Record<string, LinkCase>> = {
  'a hook': {
    before: `${REPOSITORY}; ln -s ../../scripts/hook.sh .git/hooks/pre-commit`,
    command: 'echo new > scripts/hook.sh',
    taken: ['scripts/hook.sh'],
    told: '.git/hooks/pre-commit leads to it: git runs it',
  },
  'a hook that is made executable': {
    before: `${REPOSITORY}; chmod -x scripts/hook.sh; ln -s ../../scripts/hook.sh .git/hooks/pre-commit`,
    command: 'chmod +x scripts/hook.sh',
    taken: ['scripts/hook.sh'],
  },
  'a hook by its whole path': {
    before: `${REPOSITORY}; ln -s "$PWD/scripts/hook.sh" .git/hooks/pre-commit`,
    command: 'mv scripts/hook.sh old; cp old scripts/hook.sh; echo new >> scripts/hook.sh',
    taken: ['scripts/hook.sh'],
  },
  'the folder of the hooks': {
    before: `${REPOSITORY}; rm -r .git/hooks; ln -s ../scripts .git/hooks`,
    command: 'echo new > scripts/pre-commit; echo new > scripts/hook.sh',
    taken: ['scripts/hook.sh', 'scripts/pre-commit'],
  },
  'the folder of the repository': {
    before: `${REPOSITORY}; mv .git meta; ln -s meta .git`,
    command: 'echo new > meta/hooks/pre-commit; git config core.fsmonitor x; echo > a; git add a; git commit -qm a',
    taken: ['meta/config', 'meta/hooks/pre-commit'],
  },
  'settings of a repository': {
    before: `${REPOSITORY}; mv .git/config conf/git; ln -s ../conf/git .git/config`,
    command: 'git config -f conf/git core.fsmonitor x',
    taken: ['conf/git'],
  },
  'a file of a shell': {
    before: 'mkdir conf; echo old > conf/env; ln -s conf/env .envrc',
    command: 'echo new > conf/env',
    taken: ['conf/env'],
    told: '.envrc leads to it',
  },
  'a file that is removed': {
    before: 'mkdir conf; echo old > conf/env; ln -s conf/env .envrc',
    command: 'rm conf/env',
    taken: ['conf/env'],
  },
  'a file whose folder is removed': {
    before: 'mkdir -p up/conf; echo old > up/conf/env; ln -s up/conf/env .envrc',
    command: 'rm -r up',
    taken: ['up'],
  },
  'a file whose folder is moved': {
    before: 'mkdir -p up/conf; echo old > up/conf/env; ln -s up/conf/env .envrc',
    command: 'mv up/conf elsewhere',
    taken: ['up/conf'],
  },
  'a file that is not there yet': {
    before: 'ln -s conf/env .envrc',
    command: 'mkdir conf; echo new > conf/env',
    taken: ['conf/env'],
  },
  'a file whose folder becomes a link': {
    before: 'mkdir -p conf; echo old > conf/env; ln -s conf/env .envrc',
    command: 'mkdir evil; echo new > evil/env; rm -r conf; ln -s evil conf',
    taken: ['conf'],
  },
  'a chain of links': {
    before: 'mkdir a b c; echo old > c/env; ln -s a/one .envrc; ln -s ../b/two a/one; ln -s ../c/env b/two',
    command: 'echo new > c/env; echo new > other; ln -sf ../other b/two',
    taken: ['b/two', 'c/env'],
  },
  'a link through another one': {
    before: 'mkdir real; echo old > real/env; ln -s real way; ln -s way/env .envrc',
    command: 'mkdir evil; echo new > evil/env; rm way; ln -s evil way',
    taken: ['way'],
  },
  'a folder of an editor': {
    before: 'mkdir -p conf/vs; echo {} > conf/vs/settings.json; ln -s conf/vs .vscode',
    command: 'echo new > conf/vs/tasks.json; mkdir conf/vs/d; echo new > conf/vs/d/e; echo fine > conf/other',
    taken: ['conf/vs/d', 'conf/vs/tasks.json'],
  },
  'a link in a folder that a link leads to': {
    before: 'mkdir -p vs real; echo old > real/t; ln -s ../real/t vs/tasks.json; ln -s vs .vscode',
    command: 'echo new > real/t',
    taken: ['real/t'],
  },
  'a folder below one that others share': {
    before: 'mkdir -p shared/fish; ln -s shared .config',
    command: 'echo new > shared/fish/config.fish; echo fine > shared/other',
    taken: ['shared/fish/config.fish'],
  },
  'a folder that a command makes a link to': {
    before: 'mkdir -p shared/fish; echo old > shared/fish/config.fish',
    command: 'ln -s shared .config',
    taken: ['.config'],
  },
  'both by one command': {
    before: 'mkdir shared',
    command: 'mkdir shared/fish; echo new > shared/fish/config.fish; ln -s shared .config',
    taken: ['shared/fish'],
  },
  'a file deep in the tree': {
    before: 'mkdir -p p/q/r s; echo old > s/npm; ln -s ../../../s/npm p/q/r/.npmrc',
    command: 'echo new > s/npm',
    taken: ['s/npm'],
  },
  'a file of another folder that commands write to': {
    before: 'echo old > "$MORE/env"; ln -s "$MORE/env" .envrc',
    command: 'echo new > "$MORE/env"',
    taken: ['$MORE/env'],
  },
  'hooks of husky': {
    before: `${REPOSITORY}; mkdir .husky; ln -s ../scripts/hook.sh .husky/pre-commit; git config core.hooksPath .husky`,
    command: 'echo new > scripts/hook.sh',
    taken: ['scripts/hook.sh'],
  },
  'hooks at a place that settings name': {
    before: `${REPOSITORY}; mkdir gh; ln -s ../scripts/hook.sh gh/pre-commit; git config core.hooksPath gh`,
    command: 'echo new > scripts/hook.sh; echo new > gh/post-commit',
    taken: ['gh/post-commit', 'scripts/hook.sh'],
  },
  'hooks at a place behind a link': {
    before: `${REPOSITORY}; mkdir -p real/gh; ln -s real way; git config core.hooksPath way/gh`,
    command: 'echo new > real/gh/pre-commit; rm way; ln -s scripts way',
    taken: ['real/gh/pre-commit', 'way'],
  },
  'hooks at a place by the name of the home folder': {
    before: `${REPOSITORY}; mkdir -p "$HOME/in"; ln -s "$PWD" "$HOME/in/ws"; git config core.hooksPath "~/in/ws/gh"`,
    command: 'mkdir gh; echo new > gh/pre-commit',
    taken: ['gh'],
  },
  'hooks whose folder becomes a link': {
    before: `${REPOSITORY}; mkdir -p t/gh; git config core.hooksPath t/gh`,
    command: 'mkdir -p evil/gh; echo new > evil/gh/pre-commit; rm -r t; ln -s evil t',
    taken: ['t'],
  },
  'hooks that settings of the person name': {
    before: `${REPOSITORY}; git config -f "$HOME/dot" core.hooksPath gh; ln -s dot "$HOME/.gitconfig"; mkdir gh`,
    command: 'echo new > gh/pre-commit',
    taken: ['gh/pre-commit'],
  },
  'settings that others include': {
    before: `${REPOSITORY}; echo > conf/inc; ln -s inc conf/link; git config include.path ../conf/link`,
    command: 'git config -f conf/inc core.fsmonitor x',
    taken: ['conf/inc'],
  },
  'settings that included ones include': {
    before: `${REPOSITORY}; git config -f conf/a include.path b; git config -f conf/b core.hooksPath gh; git config 'includeIf.gitdir:/**.path' ../conf/a`,
    command: 'git config -f conf/b core.fsmonitor x; mkdir gh; echo new > gh/pre-commit',
    taken: ['conf/b', 'gh'],
  },
  'a file of the home folder that leads here': {
    before:
      'echo : > bashrc; ln -s "$PWD/bashrc" "$HOME/.bashrc"; mkdir fish "$HOME/.config"; ln -s "$PWD/fish" "$HOME/.config/fish"',
    command: 'echo new > bashrc; echo new > fish/config.fish',
    taken: ['bashrc', 'fish/config.fish'],
  },
};

const ORDINARY: Readonly<Record<string, { before: string; command: string }>> = {
  'git commit with a hook that is a link': {
    before: `${REPOSITORY}; printf '#!/bin/sh\\nexit 0\\n' > scripts/hook.sh; ln -s ../../scripts/hook.sh .git/hooks/pre-commit`,
    command:
      'echo a > a; git add .; git commit -qm a; git checkout -q -b b; git commit -q --allow-empty -m c; git gc -q',
  },
  'hooks that are written again as they were': {
    before: `${REPOSITORY}; mkdir -p .husky/_; echo 'true' > .husky/pre-commit; printf '#!/bin/sh\\n' > .husky/_/h; ln -s h .husky/_/pre-commit; chmod +x .husky/_/h; git config core.hooksPath .husky/_`,
    command: `git config core.hooksPath .husky/_; printf '#!/bin/sh\\n' > .husky/_/h; echo a > a; git add a; git commit -qm a`,
  },
  'packages that are links to each other': {
    before:
      'mkdir -p packages/a packages/b/node_modules node_modules/.bin; ln -s ../../a packages/b/node_modules/a; ln -s ../packages/a node_modules/a; ln -s ../../packages/a/cli.js node_modules/.bin/a',
    command:
      'echo x > packages/a/cli.js; echo x > packages/a/index.js; mkdir -p node_modules/c; echo {} > node_modules/c/package.json; ln -s ../c/c.js node_modules/.bin/c',
  },
  'links that lead to themselves, up and outside': {
    before:
      'ln -s . self; ln -s self again; ln -s .. up; ln -s one two; ln -s two one; ln -s /usr/bin out; mkdir d; ln -s .. d/up; ln -s . .config; ln -s .. tools',
    command: 'echo x > a; mkdir e; echo x > e/f; rm two; ln -s e g; mv e h',
  },
  'packages that are removed with the links in them': {
    before:
      'mkdir -p node_modules/.store/git/.vscode packages/a; echo {} > node_modules/.store/git/.vscode/x; echo a > node_modules/.store/git/rc; ln -s .store/git node_modules/git; ln -s .store/git/rc node_modules/.npmrc; ln -s ../node_modules/.store packages/a/node_modules',
    command: 'rm -rf node_modules',
  },
  'a file beside one that is autoloaded': {
    before: 'mkdir conf; echo old > conf/env; ln -s conf/env .envrc; ln -s conf latest',
    command: 'echo x > conf/other; touch latest; mv conf/other conf/third; cat .envrc > copy',
  },
};

describe('a file that is autoloaded through a link', () => {
  for (const [what, { before, command, taken, told = '' }] of everyNth(Object.entries(AUTOLOADED), 5)) {
    inSandboxWorld(`stays what it was: ${what}`, async (world) => {
      verifies('L11', 'S36');
      world.outside(before);
      const ran = await world.run(`${command}; echo kept > kept`);
      expect(ran.taken).toEqual(taken.map((name) => name.replace('$MORE', world.more)));
      expect(ran.withheld.map(({ reason }) => reason).join('\n')).toContain(told);
      expect(world.outside('cat kept')).toBe('kept\n');
    });
  }

  for (const [what, { before, command }] of everyNth(Object.entries(ORDINARY), 5)) {
    inSandboxWorld(`is no reason to keep ordinary work from its place: ${what}`, async (world) => {
      verifies('S36');
      world.outside(before);
      const ran = await world.run(command);
      expect(ran, ran.output).toMatchObject({ code: 0, withheld: [] });
    });
  }

  inSandboxWorld('is asked about where the link would be, and counts with a yes', async (world) => {
    verifies('S36');
    world.outside(
      `${REPOSITORY}; ln -s ../../scripts/hook.sh .git/hooks/pre-commit; echo a > env; echo a > vs; ln -s env .envrc; mkdir .vscode; ln -s ../vs .vscode/tasks.json`,
    );
    const asked: string[] = [];
    const mayKeep = async (changes: readonly { path: string }[]): Promise<boolean[]> => {
      asked.push(...changes.map((change) => change.path));
      return changes.map(() => true);
    };
    const ran = await world.run('echo b > env; echo b > vs; echo new > scripts/hook.sh', { mayKeep });
    // What may hold secrets stands in no question, and nobody is asked about hooks.
    expect(asked).toEqual(['vs']);
    expect(ran.taken).toEqual(['env', 'scripts/hook.sh']);
    expect(world.outside('cat .vscode/tasks.json .envrc .git/hooks/pre-commit')).toBe('b\na\nold\n');
  });

  inSandboxWorld('stays what it was beside a background command', async (world) => {
    verifies('S36');
    world.outside('echo a > env; ln -s env .envrc; echo a > later');
    let output = '';
    const job = await world.processes.open({
      command: [
        '/bin/bash',
        '-c',
        'echo b > env; echo x > done; until [ -e go ]; do sleep 0.05; done; echo b > later; echo x > end; sleep 60',
      ],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => existsSync(path.join(world.root, 'done'))).toBe(true);
    await expect.poll(() => output).toContain('Taken back: env');
    world.outside('ln -s later .npmrc; sleep 0.2; touch go');
    await expect.poll(() => existsSync(path.join(world.root, 'end')), { timeout: 10_000 }).toBe(true);
    await expect.poll(() => output).toContain('Taken back: later');
    await job.value.stop();
    expect(world.outside('cat env later')).toBe('a\na\n');
  });
});

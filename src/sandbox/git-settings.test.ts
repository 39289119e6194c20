/** What a command may make of the settings of a repository that the person has. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { inSandboxWorld, type SandboxWorld } from '../../tests/support/sandbox-world.ts';

const COMMITTED = 'git init -q -b main .; echo a > a.txt; git add a.txt; git commit -qm first';
const WITH_ORIGIN = `${COMMITTED}; git init -q --bare -b main "$MORE/o.git"; git remote add origin "$MORE/o.git"; git push -q -u origin main`;

const settingsIn = ({ root }: SandboxWorld): string => readFileSync(path.join(root, '.git/config'), 'utf8');

/** `before` is the person's doing. Several commands run one after another; what counts is the last. */
type SettingsCase = { before?: string; commands: string[]; told?: string };

const REDIRECTED: Readonly<Record<string, SettingsCase>> = {
  'another remote of a branch': {
    commands: ['git remote add evil https://evil.example/x.git; git config branch.main.remote evil'],
    told: 'it sets branch.main.remote to a remote that you did not have',
  },
  'another remote of a branch, by two commands': {
    commands: ['git remote add evil https://evil.example/x.git', 'git config branch.main.remote evil'],
    told: 'branch.main.remote',
  },
  'another remote to push to': {
    commands: ['git remote add evil https://evil.example/x.git; git config branch.main.pushRemote evil'],
    told: 'branch.main.pushremote',
  },
  'an address in place of a remote': {
    commands: ['git config branch.main.remote https://evil.example/x.git'],
    told: 'branch.main.remote',
  },
  'a remote for a branch that had none': {
    before: `${WITH_ORIGIN}; git branch other`,
    commands: ['git remote add evil https://evil.example/x.git; git config branch.other.remote evil'],
    told: 'branch.other.remote',
  },
  'a remote that takes the place of the only one': {
    commands: ['git remote remove origin; git remote add evil https://evil.example/x.git'],
    told: 'remote evil',
  },
  'a remote of the name that git takes by itself': {
    before: `${COMMITTED}; git remote add mine https://mine.example/x.git`,
    commands: ['git remote add origin https://evil.example/x.git'],
    told: 'remote origin',
  },
  'an old form of a remote': {
    before: `${COMMITTED}; git remote add mine https://mine.example/x.git`,
    commands: ['mkdir -p .git/branches; echo https://evil.example/x.git > .git/branches/origin'],
    told: 'it is nothing that git writes at ordinary work',
  },
  'objects that are loaded from a remote when they are missing': {
    commands: [
      'git remote add evil https://evil.example/x.git; git config core.repositoryformatversion 1; git config extensions.partialClone evil',
    ],
    told: 'extensions.partialclone',
  },
  'a remote that promises objects': {
    commands: ['git remote add evil https://evil.example/x.git; git config remote.evil.promisor true'],
    told: 'remote.evil.promisor',
  },
  'a filter of objects': {
    commands: ['git config remote.origin.partialclonefilter blob:none'],
    told: 'remote.origin.partialclonefilter',
  },
  'a fetch into branches of the person': {
    commands: ["git config --add remote.origin.fetch '+refs/heads/*:refs/heads/*'"],
    told: 'remote.origin.fetch',
  },
  "a fetch of another remote into origin's branches": {
    commands: [
      "git remote add evil https://evil.example/x.git; git config remote.evil.fetch '+refs/heads/*:refs/remotes/origin/*'",
    ],
    told: 'remote.evil.fetch',
  },
  'a push that removes what is not here': {
    commands: ['git config remote.origin.mirror true'],
    told: 'remote.origin.mirror',
  },
  'a push of every branch': { commands: ['git config push.default matching'], told: 'push.default' },
  'another address to push to': {
    commands: ['git config remote.origin.pushurl https://evil.example/x.git'],
    told: 'remote.origin.pushurl',
  },
  'an address to push to that the person set': {
    before: `${WITH_ORIGIN}; git config remote.origin.pushurl "$MORE/o.git"`,
    commands: ['git config --unset remote.origin.pushurl'],
    told: 'it removes remote.origin.pushurl',
  },
  'a second address of a remote': {
    commands: ['git config --add remote.origin.url https://evil.example/x.git'],
    told: 'remote.origin.url',
  },
  'the order of two addresses': {
    before: `${WITH_ORIGIN}; git config --add remote.origin.url https://other.example/x.git`,
    commands: [
      'first=$(git config --get-all remote.origin.url | head -1); git config --unset-all remote.origin.url; git config remote.origin.url https://other.example/x.git; git config --add remote.origin.url "$first"',
    ],
    told: 'remote.origin.url',
  },
  'hooks that the person named': {
    before: `${WITH_ORIGIN}; mkdir h; git config core.hooksPath h`,
    commands: ['git config --unset core.hooksPath'],
    told: 'it removes core.hookspath',
  },
  'a check of names that are harmful elsewhere': {
    commands: ['git config core.protectNTFS false'],
    told: 'core.protectntfs',
  },
  'rights for everybody': { commands: ['git config core.sharedRepository world'], told: 'core.sharedrepository' },
  'a remote by settings of the work tree alone': {
    before: `${WITH_ORIGIN}; git config extensions.worktreeConfig true`,
    commands: ['printf "[branch \\"main\\"]\\n\\tremote = https://evil.example/x.git\\n" > .git/config.worktree'],
    told: 'branch.main.remote',
  },
};

const ORDINARY: Readonly<Record<string, SettingsCase>> = {
  'git checkout -b': { commands: ['git checkout -q -b topic; git commit -q --allow-empty -m second'] },
  'git checkout -b from a branch of a remote': { commands: ['git checkout -q -b topic origin/main'] },
  'git checkout --track of a local branch': {
    commands: ['git checkout -q --track -b topic main', 'git branch -q -u origin/main'],
  },
  'git branch -u': { before: `${WITH_ORIGIN}; git branch other`, commands: ['git branch -q -u origin/main other'] },
  'git branch -u of another remote of the person': {
    before: `${WITH_ORIGIN}; git remote add fork "$MORE/o.git"; git fetch -q fork`,
    commands: ['git branch -q -u fork/main main'],
  },
  'git branch -u of a remote that the person added meanwhile': {
    commands: [
      'git remote add one https://one.example/x.git',
      'OUTSIDE git remote add fork "$MORE/o.git"; git fetch -q fork',
      'git branch -q -u fork/main main',
    ],
  },
  'git push -u': { commands: ['git checkout -q -b topic; git push -q -u origin topic'] },
  'git branch -m': { commands: ['git branch -m main trunk'] },
  'git branch -d': { before: `${WITH_ORIGIN}; git branch -q topic origin/main`, commands: ['git branch -q -d topic'] },
  'git branch -d of one that an editor noted something of': {
    before: `${WITH_ORIGIN}; git branch -q topic origin/main; git config branch.topic.vscode-merge-base origin/main`,
    commands: ['git branch -q -d topic'],
  },
  'git remote add': { commands: ['git remote add other https://other.example/x.git'] },
  'git remote remove': {
    before: `${WITH_ORIGIN}; git remote add other https://other.example/x.git`,
    commands: ['git remote remove other'],
  },
  'git remote add and git push -u in a repository without remotes': {
    before: `${COMMITTED}; git init -q --bare -b main "$MORE/o.git"`,
    commands: ['git remote add origin "$MORE/o.git"; git push -q -u origin main'],
  },
  'git remote add and git push -u by two commands': {
    before: `${COMMITTED}; git init -q --bare -b main "$MORE/o.git"`,
    commands: ['git remote add origin "$MORE/o.git"', 'git push -q -u origin main'],
  },
  'git remote set-branches': { commands: ['git remote set-branches --add origin topic'] },
  'git config user.email': { commands: ['git config user.email a@example.org; git config user.name a'] },
  'git config push.autoSetupRemote': {
    commands: ['git config push.autoSetupRemote true; git config push.default current; git config pull.rebase true'],
  },
  'git sparse-checkout': { commands: ['git sparse-checkout set --cone d; git sparse-checkout disable'] },
  'git worktree add': { commands: ['git worktree add -q wt -b topic; git worktree remove wt'] },
  'git init': { commands: ['git init -q sub; git -C sub remote add origin https://o.example/x.git'] },
  'git clone': {
    commands: [
      'git clone -q "$MORE/o.git" sub; git clone -q --mirror "$MORE/o.git" sub.git; git -C sub checkout -q -b topic; git -C sub push -q -u origin topic',
      'git -C sub remote add other "$MORE/o.git"; git -C sub push -q -u other topic',
    ],
  },
  'git gc and git maintenance': { commands: ['git gc -q; git maintenance run --quiet --task=commit-graph'] },
};

describe('settings of a repository of the person', () => {
  for (const [what, { before = WITH_ORIGIN, commands, told = '' }] of everyNth(Object.entries(REDIRECTED), 7)) {
    inSandboxWorld(`stay what they were: ${what}`, async (world) => {
      verifies('S12');
      world.outside(before);
      let settings = '';
      let withheld: readonly { reason: string }[] = [];
      for (const command of commands) {
        settings = settingsIn(world);
        withheld = (await world.run(command)).withheld;
      }
      expect(withheld.map(({ reason }) => reason).join()).toContain(told);
      expect(settingsIn(world)).toBe(settings);
    });
  }

  for (const [what, { before = WITH_ORIGIN, commands }] of everyNth(Object.entries(ORDINARY), 7)) {
    inSandboxWorld(`change with ordinary work: ${what}`, async (world) => {
      verifies('S12');
      world.outside(before);
      for (const command of commands) {
        if (command.startsWith('OUTSIDE ')) world.outside(command.slice('OUTSIDE '.length));
        else {
          const ran = await world.run(command);
          expect(ran, ran.output).toMatchObject({ code: 0, withheld: [] });
        }
      }
    });
  }
});

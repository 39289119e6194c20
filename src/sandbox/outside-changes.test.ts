/** What a person, or another program, changes in the folder while a command runs that changes it too. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { openSandboxWorld, type SandboxWorld } from '../../tests/support/sandbox-world.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { CommandChange } from '../core/ports.ts';
import { detectSandbox } from './index.ts';

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});
const inWorld = (name: string, test: (world: SandboxWorld) => Promise<void>): void =>
  it(name, { timeout: 60_000 }, async (context) => {
    if (!works) context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    const world = await openSandboxWorld();
    await test(world);
    world.close();
  });

/** The tree with contents, links, rights. */
const LOOK =
  'find . -mindepth 1 -not -path "./.git*" \\( -type f -printf "%P %m " -exec sh -c \'tr "\\n" "|" < "$1"; echo\' _ {} \\; -o -type l -printf "%P -> %l\\n" -o -type d -printf "%P/ %m\\n" \\) | sort';

type Case = {
  name: string;
  before: string;
  command: string;
  meanwhile: string;
  /** What stands afterwards: the person's. */
  stands: string;
  /** What is told, and what is kept of the command's: path → content, or undefined where there is nothing to keep. */
  told: Readonly<Record<string, string | undefined>>;
};

const BEFORE = "printf 'l1\\nl2\\n' > u.txt; chmod 644 u.txt";
const CONFLICTS: readonly Case[] = [
  {
    name: 'a file that the person appends to',
    before: BEFORE,
    command: 'sed -i s/l1/L1/ u.txt; $WAIT',
    meanwhile: "echo 'MY EDIT' >> u.txt",
    stands: 'u.txt 644 l1|l2|MY EDIT|\n',
    told: { 'u.txt': 'L1\nl2\n' },
  },
  {
    name: 'a file that both append to',
    before: BEFORE,
    command: '$WAIT; echo theirs >> u.txt',
    meanwhile: 'echo mine >> u.txt',
    stands: 'u.txt 644 l1|l2|mine|\n',
    told: { 'u.txt': 'l1\nl2\nmine\ntheirs\n' },
  },
  {
    name: 'a file that the person saves by renaming another one',
    before: BEFORE,
    command: 'echo new > u.txt; $WAIT',
    meanwhile: 'cp u.txt .u.tmp; echo mine >> .u.tmp; mv .u.tmp u.txt',
    stands: 'u.txt 644 l1|l2|mine|\n',
    told: { 'u.txt': 'new\n' },
  },
  {
    name: 'a file that an old one takes the place of',
    before: `${BEFORE}; echo old > old; touch -d 2001-02-03 old`,
    command: 'echo new > u.txt; $WAIT',
    meanwhile: 'mv old u.txt',
    stands: 'u.txt 644 old|\n',
    told: { 'u.txt': 'new\n' },
  },
  {
    name: 'a file whose time the person sets back',
    before: BEFORE,
    command: 'echo new > u.txt; $WAIT',
    meanwhile: 'echo mine > u.txt; touch -d 2001-02-03 u.txt',
    stands: 'u.txt 644 mine|\n',
    told: { 'u.txt': 'new\n' },
  },
  {
    name: 'a file that the person removes',
    before: BEFORE,
    command: 'echo new >> u.txt; $WAIT',
    meanwhile: 'rm u.txt',
    stands: '',
    told: { 'u.txt': 'l1\nl2\nnew\n' },
  },
  {
    name: 'a file that the person removes and the command writes in its place anew',
    before: BEFORE,
    command: 'rm u.txt; echo new > u.txt; $WAIT',
    meanwhile: 'rm u.txt; touch other',
    stands: 'other 644 \n',
    told: { 'u.txt': 'new\n' },
  },
  {
    name: 'a file that the person renames',
    before: BEFORE,
    command: 'echo new >> u.txt; $WAIT',
    meanwhile: 'mv u.txt v.txt',
    stands: 'v.txt 644 l1|l2|\n',
    told: { 'u.txt': 'l1\nl2\nnew\n' },
  },
  {
    name: 'a file that the command removes and the person writes',
    before: BEFORE,
    command: 'rm u.txt; $WAIT',
    meanwhile: 'echo mine >> u.txt',
    stands: 'u.txt 644 l1|l2|mine|\n',
    told: { 'u.txt': undefined },
  },
  {
    name: 'a file that the command renames and the person writes',
    before: BEFORE,
    command: 'mv u.txt v.txt; $WAIT',
    meanwhile: 'echo mine >> u.txt',
    stands: 'u.txt 644 l1|l2|mine|\nv.txt 644 l1|l2|\n',
    told: { 'u.txt': undefined },
  },
  {
    name: 'a new file that both make',
    before: ':',
    command: 'echo theirs > new; $WAIT',
    meanwhile: 'echo mine > new',
    stands: 'new 644 mine|\n',
    told: { new: 'theirs\n' },
  },
  {
    name: 'rights that the person changes',
    before: BEFORE,
    command: 'echo new >> u.txt; $WAIT',
    meanwhile: 'chmod 755 u.txt',
    stands: 'u.txt 755 l1|l2|\n',
    told: { 'u.txt': 'l1\nl2\nnew\n' },
  },
  {
    name: 'rights that the command changes',
    before: BEFORE,
    command: 'chmod 755 u.txt; $WAIT',
    meanwhile: 'echo mine >> u.txt',
    stands: 'u.txt 644 l1|l2|mine|\n',
    told: { 'u.txt': 'l1\nl2\n' },
  },
  {
    name: 'a link that both set',
    before: 'ln -s a l',
    command: 'ln -sfn b l; $WAIT',
    meanwhile: 'ln -sfn c l',
    stands: 'l -> c\n',
    told: { l: '-> b' },
  },
  {
    name: 'a file that becomes a link',
    before: BEFORE,
    command: 'ln -sf elsewhere u.txt; $WAIT',
    meanwhile: 'echo mine >> u.txt',
    stands: 'u.txt 644 l1|l2|mine|\n',
    told: { 'u.txt': '-> elsewhere' },
  },
  {
    name: 'a file in a folder that the command removes',
    before: 'mkdir d; echo 1 > d/1; echo 2 > d/2',
    command: 'rm -rf d; $WAIT',
    meanwhile: 'echo mine >> d/2',
    stands: 'd/ 755\nd/1 644 1|\nd/2 644 2|mine|\n',
    told: { d: undefined },
  },
  {
    name: 'a new file in a folder that the command makes anew',
    before: 'mkdir d; echo 1 > d/1',
    command: 'rm -rf d; mkdir d; echo new > d/new; $WAIT',
    meanwhile: 'echo mine > d/mine',
    stands: 'd/ 755\nd/mine 644 mine|\nd/new 644 new|\n',
    told: { 'd/mine': undefined },
  },
  {
    name: 'a folder that the person removes',
    before: 'mkdir d; echo 1 > d/1; echo 2 > d/2',
    command: 'echo new >> d/1; $WAIT',
    meanwhile: 'rm -r d',
    stands: '',
    told: { d: undefined },
  },
  {
    name: 'a folder that the person renames',
    before: 'mkdir d; echo 1 > d/1',
    command: 'echo new > d/new; $WAIT',
    meanwhile: 'mv d e',
    stands: 'e/ 755\ne/1 644 1|\n',
    told: { d: undefined },
  },
  {
    name: 'a folder where the command wants a file',
    before: BEFORE,
    command: 'echo new > u.txt; $WAIT',
    meanwhile: 'rm u.txt; mkdir u.txt; echo mine > u.txt/x',
    stands: 'u.txt/ 755\nu.txt/x 644 mine|\n',
    told: { 'u.txt': 'new\n' },
  },
  {
    name: 'one of many files of which the others are put in place',
    before: 'mkdir a b; echo 1 > a/1; echo 2 > a/2; echo 3 > b/3',
    command: 'for f in a/1 a/2 b/3 b/4; do echo new >> $f; done; $WAIT',
    meanwhile: 'echo mine > a/2; echo mine > b/mine',
    stands: 'a/ 755\na/1 644 1|new|\na/2 644 mine|\nb/ 755\nb/3 644 3|new|\nb/4 644 new|\nb/mine 644 mine|\n',
    told: { 'a/2': '2\nnew\n' },
  },
];

/** Both did something, and nothing is lost. */
const NO_CONFLICTS: readonly (readonly [string, Pick<Case, 'before' | 'command' | 'meanwhile' | 'stands'>])[] = [
  [
    'other files of the same folder',
    {
      before: BEFORE,
      command: 'echo new > new; $WAIT; echo x >> u.txt',
      meanwhile: 'touch swap; rm swap; echo mine > mine',
      stands: 'mine 644 mine|\nnew 644 new|\nu.txt 644 l1|l2|x|\n',
    },
  ],
  [
    'a file that the command only reads',
    {
      before: BEFORE,
      command: 'cat u.txt > /dev/null; cp u.txt copy; $WAIT; cat u.txt > /dev/null',
      meanwhile: 'echo mine >> u.txt',
      stands: 'copy 644 l1|l2|\nu.txt 644 l1|l2|mine|\n',
    },
  ],
  [
    'the same change',
    {
      before: BEFORE,
      command: 'sed -i s/l1/L1/ u.txt; echo n > new; rm -f gone; $WAIT',
      meanwhile: 'sed -i s/l1/L1/ u.txt; echo n > new; rm -f gone',
      stands: 'new 644 n|\nu.txt 644 L1|l2|\n',
    },
  ],
  [
    'a folder that both make',
    {
      before: ':',
      command: 'mkdir -p d/e; echo 1 > d/e/1; $WAIT',
      meanwhile: 'mkdir -p d/e; echo 2 > d/e/2',
      stands: 'd/ 755\nd/e/ 755\nd/e/1 644 1|\nd/e/2 644 2|\n',
    },
  ],
  [
    'rights of a folder',
    {
      before: 'mkdir d; echo 1 > d/1',
      command: 'echo new >> d/1; $WAIT',
      meanwhile: 'chmod 700 d',
      stands: 'd/ 700\nd/1 644 1|new|\n',
    },
  ],
  [
    'hard links of one file',
    {
      before: 'echo 1 > a; ln a b',
      command: 'echo 2 > a.new; mv a.new a; echo 3 > b.new; mv b.new b; $WAIT',
      meanwhile: ':',
      stands: 'a 644 2|\nb 644 3|\n',
    },
  ],
];

const keptIn = (kept: string): string =>
  spawnSync(
    '/bin/sh',
    ['-c', 'if [ -L "$1" ]; then printf "%s" "-> $(readlink "$1")"; else cat "$1"; fi', 'sh', kept],
    {
      encoding: 'utf8',
    },
  ).stdout;

describe('what changes outside while a command changes it too', () => {
  for (const { name, before, command, meanwhile, stands, told } of CONFLICTS) {
    inWorld(`stays, and the command's version is kept: ${name}`, async (world) => {
      verifies('S39');
      world.outside(before);
      const { withheld } = await world.runAround(command, () => world.outside(meanwhile));
      expect(world.outside(LOOK)).toBe(stands);
      expect(withheld.map(({ path: file, cause }) => [file, cause])).toEqual(
        Object.keys(told).map((file) => [file, 'changed_outside']),
      );
      for (const { path: file, kept_at: kept } of withheld) {
        const expected = told[file];
        if (expected !== undefined) expect(keptIn(kept ?? '')).toBe(expected);
        expect(kept?.startsWith(`${world.paths.data}/kept/`)).toBe(kept === undefined ? undefined : true);
      }
    });
  }

  for (const [name, { before, command, meanwhile, stands }] of NO_CONFLICTS) {
    inWorld(`is no conflict where nothing is lost: ${name}`, async (world) => {
      verifies('S39');
      world.outside(before);
      const { withheld } = await world.runAround(command, () => world.outside(meanwhile));
      expect(world.outside(LOOK)).toBe(stands);
      expect(withheld).toEqual([]);
    });
  }

  inWorld('is not noted as a change of the command, so that it cannot be taken back', async (world) => {
    world.outside('echo 1 > a; echo 1 > b');
    const noted: CommandChange[] = [];
    const noteChanges = async (changes: readonly CommandChange[]): Promise<void> => void noted.push(...changes);
    await world.runAround('echo new >> a; echo new >> b; $WAIT', () => world.outside('echo mine >> a'), {
      noteChanges,
    });
    expect(noted.map(({ path: file }) => file)).toEqual(['b']);
  });

  inWorld('is none between two commands one after another, whatever they change', async (world) => {
    for (let round = 0; round < 5; round += 1) {
      const { withheld } = await world.run(
        'echo x >> a; mkdir -p d; echo x > d/$RANDOM; rm -rf e; mkdir e; date > e/x; mv d d2; mv d2 d',
      );
      expect(withheld).toEqual([]);
    }
    expect(world.outside('wc -l < a; ls d | wc -l')).toBe('5\n5\n');
  });

  inWorld('keeps the lines of whoever ended first, of two commands that append to one log', async (world) => {
    const other = world.run('until [ -e /tmp/first ]; do sleep 0.02; done; echo second >> log; touch /tmp/second');
    const first = await world.run('touch /tmp/first; until [ -e /tmp/second ]; do sleep 0.02; done; echo first >> log');
    const second = await other;
    const [winner, loser] =
      readFileSync(path.join(world.root, 'log'), 'utf8') === 'first\n' ? [first, second] : [second, first];
    expect(winner.withheld).toEqual([]);
    expect(loser.taken).toEqual(['log']);
    expect(keptIn(loser.withheld[0]?.kept_at ?? '')).toMatch(/(?:first|second)\n$/);
  });
});

const COMMITTED = 'git init -q -b main .; echo a > a.txt; echo b > b.txt; git add a.txt; git commit -qm first';
const LOG = 'git log --all --format=%s | sort';

describe('a repository that changes outside while a command changes it too', () => {
  type GitCase = { before?: string; command: string; meanwhile: string; look: string; stands: string; told?: string };
  const CASES: Readonly<Record<string, GitCase>> = {
    'keeps the commit of the person': {
      command: 'git status --short; $WAIT; echo agent >> a.txt; git commit -qam agent-commit',
      meanwhile: 'git add b.txt; git commit -qm mine',
      look: 'git log --format=%s; git status --short; git fsck 2>&1 | grep -c missing',
      stands: 'mine\nfirst\n M a.txt\n0\n',
      told: '.git',
    },
    'keeps what the person added to the index': {
      command: 'echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'git add b.txt',
      look: 'git log --format=%s; git status --short',
      stands: 'first\n M a.txt\nA  b.txt\n',
      told: '.git',
    },
    'keeps a branch that the person switched to': {
      command: 'echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'git switch -qc other',
      look: 'git branch --show-current; git log --format=%s',
      stands: 'other\nfirst\n',
      told: '.git',
    },
    'keeps settings of the person': {
      command: 'git config user.name agent; git commit -q --allow-empty -m agent-commit; $WAIT',
      meanwhile: 'git config user.name me',
      look: 'git config user.name; git log --format=%s',
      stands: 'me\nfirst\n',
      told: '.git',
    },
    'keeps commits when the command packs references': {
      command: 'git gc -q --prune=now; $WAIT',
      meanwhile: 'git branch kept; git commit -q --allow-empty -m mine',
      look: `${LOG}; git fsck 2>&1 | grep -c missing; git branch --list kept`,
      stands: 'first\nmine\n0\n  kept\n',
      told: '.git',
    },
    'takes a commit of the command where the person looked at the status alone': {
      before: `${COMMITTED}; git add b.txt; git commit -q --amend -m first`,
      command: 'echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'touch -d 2001-02-03 b.txt; git status --short',
      look: 'git log --format=%s; git status --short',
      stands: 'agent-commit\nfirst\n',
    },
    'takes no word where the command looked at the status alone': {
      command: 'touch -d 2001-02-03 a.txt; git status --short > /dev/null; $WAIT',
      meanwhile: 'git add b.txt; git commit -qm mine',
      look: 'git log --format=%s; git status --short',
      stands: 'mine\nfirst\n',
    },
    'takes a new branch of the command beside a fetch of the person': {
      command: 'git branch agent; git tag t; $WAIT',
      meanwhile:
        'git init -q ../more/o; git -C ../more/o commit -q --allow-empty -m theirs; git fetch -q ../more/o HEAD:refs/remotes/o/x',
      look: 'git branch; git tag; git branch -r; git fsck',
      stands: '  agent\n* main\nt\n  o/x\n',
    },
    'is one of its own below the folder': {
      before: `mkdir sub; cd sub; ${COMMITTED}`,
      command: 'cd sub; echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'cd sub; git add b.txt; git commit -qm mine',
      look: 'cd sub; git log --format=%s',
      stands: 'mine\nfirst\n',
      told: 'sub/.git',
    },
  };
  for (const [name, { before = COMMITTED, command, meanwhile, look, stands, told }] of Object.entries(CASES)) {
    inWorld(name, async (world) => {
      verifies('S39');
      world.outside(before);
      const { withheld } = await world.runAround(command, () => world.outside(meanwhile));
      expect(world.outside(look)).toBe(stands);
      expect(withheld.map(({ path: file, cause }) => [file, cause])).toEqual(
        told === undefined ? [] : [[told, 'repository_changed_outside']],
      );
    });
  }

  inWorld('names the commit of the command, which can be taken over', async (world) => {
    world.outside(COMMITTED);
    const { withheld } = await world.runAround(
      'echo agent > c.txt; git add c.txt; git commit -qm agent-commit; $WAIT',
      () => world.outside('git add b.txt; git commit -qm mine'),
    );
    const commit = /[0-9a-f]{40}/.exec(withheld[0]?.reason ?? '')?.[0];
    world.outside(`rm c.txt; git cherry-pick ${commit}`);
    expect(world.outside('git log --format=%s')).toBe('agent-commit\nmine\nfirst\n');
  });
});

describe('what changes outside while a background command changes it too', () => {
  const CASES = {
    'an edit': { meanwhile: 'echo mine >> u.txt', stands: 'mine' },
    'a save by renaming': { meanwhile: 'cp u.txt .u; echo mine >> .u; mv .u u.txt', stands: 'mine' },
    'a removal': { meanwhile: 'rm u.txt', stands: 'No such file' },
  };
  for (const [name, { meanwhile, stands }] of Object.entries(CASES)) {
    inWorld(`stays, and the command's version is kept: ${name}`, async (world) => {
      verifies('S39');
      world.outside("printf 'l1\\n' > u.txt");
      let output = '';
      let isDone = false;
      const job = await world.processes.open({
        command: ['/bin/bash', '-c', 'echo theirs >> u.txt; echo WROTE; sleep 60'],
        confined: true,
        onOutput: (text) => {
          output += text;
          // Before anything of the command is looked at.
          if (!isDone && output.includes('WROTE')) world.outside(meanwhile);
          isDone ||= output.includes('WROTE');
        },
      });
      if (!job.ok) throw new Error(job.error.message);
      await expect.poll(() => isDone, { timeout: 20_000 }).toBe(true);
      await job.value.stop();
      expect(world.outside('cat u.txt')).toContain(stands);
      const kept = /kept at (\S+)\]/.exec(output)?.[1];
      expect(output).toContain('Not put in place: u.txt');
      expect(keptIn(kept ?? '')).toBe('l1\ntheirs\n');
    });
  }

  inWorld('is none where the person saves again and again what the command reads', async (world) => {
    world.outside('echo 0 > u.txt');
    let output = '';
    const job = await world.processes.open({
      command: ['/bin/bash', '-c', 'echo UP; while :; do tail -n 1 u.txt; sleep 0.05; done'],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => output, { timeout: 20_000 }).toContain('UP');
    for (let round = 1; round < 20; round += 1) {
      world.outside(`echo round-${round} > .u; mv .u u.txt`);
      if (round % 5 === 0) await expect.poll(() => output, { timeout: 20_000 }).toContain(`round-${round}`);
    }
    await expect.poll(() => output, { timeout: 20_000 }).toContain('round-19');
    await job.value.stop();
    expect(output).not.toContain('Not put in place');
    expect(world.outside('cat u.txt')).toBe('round-19\n');
  });
});

describe('a folder that the person may not write to', () => {
  const ORDINARY = 65_534;
  const isRoot = process.getuid?.() === 0;
  const asOrdinary = isRoot ? ['/usr/bin/setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups'] : [];
  const script = (root: string, home: string, line: string): string => `
    import { openConfinement } from ${JSON.stringify(path.resolve('src/sandbox/confine.ts'))};
    import { createProcesses } from ${JSON.stringify(path.resolve('src/io/processes.ts'))};
    const home = ${JSON.stringify(home)}, root = ${JSON.stringify(root)};
    const paths = { config: home + '/.config/halter', data: home + '/.local/share/halter', cache: home + '/.cache/halter' };
    const environment = { HOME: home, PATH: process.env.PATH };
    const { confine, report, close } = await openConfinement({ root, addDirs: [], paths, environment, network: false });
    const processes = createProcesses({ root, environment, confine, registerExit: () => {} });
    const signal = new AbortController().signal;
    const ran = await processes.run({ command: ['/bin/bash', '-c', ${JSON.stringify(line)}],
      confined: true, timeoutMs: 0, signal, maxOutputBytes: 1000 });
    console.log(JSON.stringify({ kind: report.kind, ...ran.value }));
    processes.close(); close();`;

  it('refuses a command as the system does, and says so of what it writes nevertheless', {
    timeout: 60_000,
  }, (context) => {
    if (isRoot && !existsSync('/usr/bin/setpriv'))
      return context.skip('setpriv is not there (apt-get install util-linux)');
    const [base, home] = [scratchFolder(), scratchFolder()];
    const root = path.join(base, 'ws');
    mkdirSync(root);
    writeFileSync(path.join(root, 'there'), 'as it was\n');
    chmodSync(base, 0o755);
    chmodSync(root, 0o555);
    if (isRoot) chownSync(home, ORDINARY, ORDINARY);
    const line = 'echo x > new; echo x > there; chmod u+w .; echo x > new';
    const [program = '', ...words] = [
      ...asOrdinary,
      process.execPath,
      '--input-type=module',
      '-e',
      script(root, home, line),
    ];
    const { stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', cwd: '/' });
    const ran = JSON.parse(stdout || JSON.stringify({ stderr }));
    if (ran.kind !== undefined && ran.kind !== 'bubblewrap')
      return context.skip('bubblewrap does not work here for an ordinary user');
    expect(ran.output).toMatch(/new: Permission denied/);
    expect(ran.sandbox.unwritable).toEqual([root]);
    expect(ran.sandbox.withheld).toMatchObject([
      {
        path: 'new',
        cause: 'not_written',
        reason: 'you may not write there',
        kept_at: expect.stringContaining('/kept/'),
      },
    ]);
    expect(readdirSync(root)).toEqual(['there']);
  });
});

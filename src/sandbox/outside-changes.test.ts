/** What a person, or another program, changes in the folder while a command runs that changes it too. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { inSandboxWorld, keptIn } from '../../tests/support/sandbox-world.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { CommandChange } from '../core/ports.ts';

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

describe('what changes outside while a command changes it too', () => {
  for (const { name, before, command, meanwhile, stands, told } of everyNth(CONFLICTS, 5)) {
    inSandboxWorld(`stays, and the command's version is kept: ${name}`, async (world) => {
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

  for (const [name, { before, command, meanwhile, stands }] of everyNth(NO_CONFLICTS, 3)) {
    inSandboxWorld(`is no conflict where nothing is lost: ${name}`, async (world) => {
      verifies('S39');
      world.outside(before);
      const { withheld } = await world.runAround(command, () => world.outside(meanwhile));
      expect(world.outside(LOOK)).toBe(stands);
      expect(withheld).toEqual([]);
    });
  }

  inSandboxWorld('is not noted as a change of the command, so that it cannot be taken back', async (world) => {
    world.outside('echo 1 > a; echo 1 > b');
    const noted: CommandChange[] = [];
    const noteChanges = async (changes: readonly CommandChange[]): Promise<boolean> => noted.push(...changes) > 0;
    await world.runAround('echo new >> a; echo new >> b; $WAIT', () => world.outside('echo mine >> a'), {
      noteChanges,
    });
    expect(noted.map(({ path: file }) => file)).toEqual(['b']);
  });

  inSandboxWorld('is none between two commands one after another, whatever they change', async (world) => {
    for (let round = 0; round < 5; round += 1) {
      const { withheld } = await world.run(
        'echo x >> a; mkdir -p d; echo x > d/$RANDOM; rm -rf e; mkdir e; date > e/x; mv d d2; mv d2 d',
      );
      expect(withheld).toEqual([]);
    }
    expect(world.outside('wc -l < a; ls d | wc -l')).toBe('5\n5\n');
  });

  inSandboxWorld('keeps the lines of whoever ended first, of two commands that append to one log', async (world) => {
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

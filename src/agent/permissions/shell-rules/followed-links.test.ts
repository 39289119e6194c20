/** Programs that go through a folder and follow the links in it: what those lead to is read too. */
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { READING_COMMANDS } from '../../../core/policy/folder-read.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';
import type { ShellSurroundings } from './surroundings.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});

const ALLOW = [...READING_COMMANDS, ...'ugrep *|ag *|ack *|fd *|tar *|zip *|cp *|rsync *|scp *'.split('|')].map(
  (pattern) => ({ pattern }),
);

/** `make` gets the folder and one outside of it. */
const folderWith = (make: (folder: string, outside: string) => void): string => {
  const [folder, outside] = [scratchFolder(), scratchFolder()];
  mkdirSync(path.join(folder, 'src/deep'), { recursive: true });
  mkdirSync(path.join(folder, 'conf'));
  writeFileSync(path.join(folder, 'src/a.ts'), 'TODO');
  writeFileSync(path.join(folder, 'conf/b.ts'), 'TODO');
  writeFileSync(path.join(outside, 'notes.txt'), 'TODO');
  make(folder, outside);
  return folder;
};
const verdict = (line: string, folder: string): string =>
  rules.decide({ allow: ALLOW, deny: [] }, line, surroundingsOf(folder)).verdict;

const FOLLOWING = [
  'grep -R TODO .',
  'grep -R TODO',
  'grep -nR TODO src',
  'grep -Rn TODO src/',
  'grep --dereference-recursive TODO src',
  'grep --dereference-r TODO src',
  'egrep -R TODO src',
  'cd src && grep -R TODO .',
  'rg -L TODO',
  'rg --follow TODO src',
  'rg --foll TODO src',
  'rg -nL TODO src',
  'ugrep -R TODO src',
  'ugrep -rS TODO src',
  'ag -f TODO src',
  'ag --follow TODO',
  'ack --follow TODO',
  'find -L .',
  'find -L src -name x',
  'find src -follow -name x',
  'find src -name x -follow',
  'fd -L x src',
  'ls -LR',
  'ls -RL src',
  'ls -R --dereference src',
  'ls -lL src/deep',
  'tree -l',
  'tree -al src',
  'du -L src',
  'du -aL',
  'du --dereference src',
  'diff -r src conf',
  'diff -qr conf src',
  'diff --recursive src conf',
  'tar chf - src',
  'tar -c --dereference -f - src',
  'zip -r - src',
  'cp -rL src x',
  'cp -R --dereference src x',
  'rsync -aL src/ x',
  'rsync -a --copy-links src/ x',
  'rsync -a --copy-unsafe-links src/ x',
  'scp -r src h:x',
  'nice grep -R TODO src',
  'grep -R TODO src | head',
];
const ORDINARY = FOLLOWING.filter((line) => !/^(?:cp|scp|rsync|zip|ack|ag|ugrep|fd|tar|nice) ?/.test(line));

const LINKS: readonly [string, (folder: string, outside: string) => void][] = [
  ['a folder outside', (folder, outside) => symlinkSync(outside, path.join(folder, 'src/deep/out'))],
  [
    'a file outside',
    (folder, outside) => symlinkSync(path.join(outside, 'notes.txt'), path.join(folder, 'src/deep/n')),
  ],
  [
    'a folder that holds a link outside',
    (folder, outside) => {
      symlinkSync('../../conf', path.join(folder, 'src/deep/l'));
      symlinkSync(outside, path.join(folder, 'conf/out'));
    },
  ],
  [
    'a folder with a secret',
    (folder) => {
      symlinkSync('../../conf', path.join(folder, 'src/deep/l'));
      writeFileSync(path.join(folder, 'conf/.env'), 'KEY=1');
    },
  ],
  [
    'a file with secrets',
    (folder) => {
      symlinkSync('../../conf/.env', path.join(folder, 'src/deep/l'));
      writeFileSync(path.join(folder, 'conf/.env'), 'KEY=1');
    },
  ],
];
/** Of a secret in the folder their names, sizes and ages may be told. */
const NAMES_ONLY = /^(?:find|fd|ls|tree|du)\b/;

describe.each(LINKS)('where a link leads to %s', (what, make) => {
  const isSecret = what.includes('secret');
  it.each(FOLLOWING.filter((line) => !isSecret || !NAMES_ONLY.test(line)))('%s asks', (line) => {
    verifies('S18', 'S10');
    expect(verdict(line, folderWith(make))).toBe('ask');
  });
});

describe('where links stay in the folder, lead to programs or to nothing', () => {
  const folder = (): string =>
    folderWith((root) => {
      symlinkSync('../../conf', path.join(root, 'src/deep/l'));
      symlinkSync('..', path.join(root, 'conf/round'));
      symlinkSync('/usr/bin/env', path.join(root, 'src/deep/python'));
      symlinkSync('nothing', path.join(root, 'src/deep/gone'));
    });
  it.each([...ORDINARY, 'grep -r TODO src', 'find src', 'ls -R src', 'du -a src', 'tree src'])('%s passes', (line) => {
    expect(verdict(line, folder())).toBe('allow');
  });
});

it.each(['grep -r TODO .', 'rg TODO', 'find . -name x', 'ls -R', 'tree', 'du -a', 'diff -r --no-dereference src conf'])(
  '%s follows no link, and passes beside one that leads out',
  (line) => {
    const folder = folderWith((root, outside) => symlinkSync(outside, path.join(root, 'src/deep/out')));
    expect(verdict(line, folder)).toBe('allow');
  },
);

it.each(ORDINARY.filter((line) => !line.startsWith('ls -l')))('in mode auto %s is told as reading outside', (line) => {
  verifies('S18');
  const folder = folderWith((root, outside) => symlinkSync(outside, path.join(root, 'src/deep/out')));
  // A home folder beside it: what lies there is nobody's `/tmp`.
  const around = surroundingsOf(folder, { home: scratchFolder() });
  const told = rules.decide({ allow: [{}], deny: [] }, line, around);
  expect(told).toMatchObject({ verdict: 'allow', mentions: [{ about: 'outside' }] });
});

it.each([
  ['while read l; do echo $l; done < out.txt', 'outside'],
  ['mapfile a < out.txt; echo $a', 'outside'],
  ['x=out.txt; cat $x', 'outside'],
  ['x=out; cat $x/notes.txt', 'outside'],
  ['x=./out.txt; cat $x', 'outside'],
  ['echo out.txt | xargs cat', 'outside'],
  ['printf "out/notes.txt" | xargs cat', 'outside'],
  ['for f in out.txt; do cat $f; done', 'outside'],
  ['git --work-tree=out status', 'outside'],
  ['x=c++/notes.txt; cat $x', 'outside'],
  ['while read l; do echo $l; done < a..b/notes.txt', 'outside'],
  ['x="a b/notes.txt"; cat "$x"', 'outside'],
  ['echo @scope/notes.txt | xargs cat', 'outside'],
  [`x=${'./'.repeat(200)}out.txt; cat $x`, 'outside'],
  [`: ${Array.from({ length: 300 }, (_, at) => `w${at}`).join(' ')}; x=out; cat $x/notes.txt`, 'outside'],
  [`: ${Array.from({ length: 3_000 }, (_, at) => `w${at}`).join(' ')}; x=src; cat $x/a.ts`, 'outside'],
  ['git commit -m "get it out of here"', undefined],
  ['grep -rn out src', undefined],
  ['echo out', undefined],
  [`cat > src/b.ts <<'EOF'\n${Array.from({ length: 3_000 }, (_, at) => `w${at} out`).join('\n')}\nEOF`, undefined],
  ['x=src/a.ts; cat $x', undefined],
  ['echo conf | xargs ls', undefined],
  ['while read l; do echo $l; done < src/a.ts', undefined],
])('in mode auto a link that stands anywhere in the line counts: %s (%s)', (line, about) => {
  verifies('S18');
  const folder = folderWith((root, outside) => {
    for (const name of ['out', 'c++', 'a..b', 'a b', '@scope']) symlinkSync(outside, path.join(root, name));
    symlinkSync(path.join(outside, 'notes.txt'), path.join(root, 'out.txt'));
  });
  const around = surroundingsOf(folder, { home: scratchFolder() });
  const { mentions } = rules.decide({ allow: [{}], deny: [] }, line, around);
  expect(mentions.map((mention) => mention.about)).toEqual(about === undefined ? [] : [about]);
});

const UNNAMED = [
  'find . -exec cat {} +',
  'find . -name "*.txt" -exec grep x {} +',
  'find src -type l -exec cat {} \\;',
  'find . -type f -o -exec cat {} \\;',
  `find . -exec sh -c 'cat "$1"' _ {} \\;`,
  'find . -print0 | xargs -0 cat',
  'find . | while read f; do cat "$f"; done',
  'for f in $(find .); do cat $f; done',
  'cat $(ls)',
  'x=$(ls | head -1); cat $x',
  'ls src/deep | xargs -I{} cat src/deep/{}',
  'echo * | xargs cat',
  `printf 'o%st.txt' u | xargs cat`,
  'git ls-files | xargs cat',
  'wc -l $(git ls-files)',
  'fd -x cat',
  'fd -t l -x cat',
  'tree -fi | xargs cat',
  'ls | parallel cat',
  'cat list | xargs cat',
  'sort --files0-from=list',
  'wc --files0-from=list',
  'file -f list',
  'sha256sum -c list',
  'cat list | md5sum --check',
  'tar -cf - -T list',
  `mapfile -t a < list; cat "\${a[@]}"`,
  `a=(*); cat "\${a[@]}"`,
  'shopt -s dotglob; for f in *; do cat $f; done',
  `cat $(echo txt.tuo | rev)`,
  `cat $(printf 'o%s' ut.txt)`,
  `sh -c 'grep -R x src'`,
  `bash -lc "find -L ."`,
  `eval 'grep -R x src'`,
  'env A=b grep -R x src',
  'exec grep -R x src',
  'sudo rg -L x',
  'echo src | xargs grep -R x',
  'find src -type d -exec grep -R x {} +',
  `sh -c 'cat *'`,
  `sh -c 'for f in *; do cat $f; done'`,
  `echo 'cat *' | sh`,
  'ls -1 | sed "s/^/cat /" | sh',
  'sh <<X\ncat *\nX',
  `perl -e 'while(<*>){open F,$_;print <F>}'`,
  `python3 -c "import os; [print(open(f).read()) for f in os.listdir('.')]"`,
  `awk 'BEGIN{while(("ls"|getline f)>0) while((getline l < f)>0) print l}'`,
  '7z a x .',
];
const NAMING = [
  'find . -type f -exec cat {} +',
  'find . -type f -name "*.ts" | xargs wc -l',
  'find . -name "*.ts" | wc -l',
  'find . -exec rm {} +',
  'rg --files | xargs cat',
  'fd -t f -x cat',
  'grep -rl x src | xargs sed -i s/x/y/',
  'for f in src/*.ts; do cat $f; done',
  'for i in 1 2 3; do echo $i; done',
  'x=$(git rev-parse HEAD); echo $x',
  'git log --oneline | head -5',
  `sh -c 'npm test'`,
  `sh -c 'grep -r x src'`,
  'ls src/*/',
  'node -e "console.log(1+1)"',
  'zip -ry - .',
];
describe('in mode auto, where a link leads out of the folder', () => {
  const toldOf = (line: string): readonly string[] => {
    const folder = folderWith((root, outside) => {
      symlinkSync(outside, path.join(root, 'out'));
      symlinkSync(path.join(outside, 'notes.txt'), path.join(root, 'out.txt'));
      symlinkSync(path.join(outside, 'notes.txt'), path.join(root, 'src/deep/n'));
      writeFileSync(path.join(root, 'list'), 'out.txt');
    });
    const { mentions } = rules.decide(
      { allow: [{}], deny: [] },
      line,
      surroundingsOf(folder, { home: scratchFolder() }),
    );
    return mentions.map((mention) => mention.about);
  };
  it.each(UNNAMED)('a line that may follow it without naming it is told as reading outside: %s', (line) => {
    verifies('S18');
    expect(toldOf(line)).toEqual(['outside']);
  });
  it.each(NAMING)('a line that follows none is not: %s', (line) => {
    expect(toldOf(line)).toEqual([]);
  });
});

describe('in mode auto, in a folder of many files', () => {
  const LINES = [
    'git ls-files | xargs wc -l',
    "find . -name '*.ts' -exec grep -l foo {} +",
    'git diff --name-only | xargs npx eslint',
    'npx eslint $(git diff --name-only)',
    'black $(git diff --name-only)',
    'md5sum -c sums.txt',
    `python3 -c "import os; [print(open(f).read()) for f in os.listdir('.')]"`,
  ];
  const toldOf = (folder: string, known: Partial<ShellSurroundings> = {}): (string | undefined)[] => {
    // Looked for elsewhere.
    const noSecrets = { secretBelow: () => undefined };
    const surroundings = { ...surroundingsOf(folder, { home: scratchFolder() }), ...noSecrets, ...known };
    return LINES.map(
      (line) =>
        rules
          .decide({ allow: [{}], deny: [] }, line, surroundings)
          .mentions.find(({ about }) => about === 'outside')
          ?.text.split(/ leads outside|,/)[0],
    );
  };

  const READING = ['grep -rn foo .', 'tar czf a.tgz .', 'cat $(cat sums.txt)', 'md5sum -c sums.txt'];
  const secretsOf = (folder: string): string[][] =>
    READING.map((line) =>
      rules
        .decide({ allow: [{}], deny: [] }, line, surroundingsOf(folder, { home: scratchFolder() }))
        .mentions.filter(({ about }) => about === 'secret')
        .map(({ text }) => text),
    );

  it('lines are asked about where one of them is a secret or a link that leads out, and only there', () => {
    verifies('S18');
    const [folder, outside] = [scratchFolder(true), scratchFolder()];
    const packed = path.join(folder, 'packed');
    putFiles(folder, { 'packed/0': '', 'sums.txt': '', 'src/caf\ufffd.ts': '' });
    putFiles(outside, { 'notes.txt': '' });
    for (let number = 1; number <= 20_000; number += 1)
      linkSync(path.join(packed, '0'), path.join(packed, `${number}`));
    expect(toldOf(folder)).toEqual(LINES.map(() => undefined));
    expect(secretsOf(folder)).toEqual(READING.map(() => []));
    symlinkSync(path.join(outside, 'notes.txt'), path.join(packed, 'z.ts'));
    expect(toldOf(folder)).toEqual(LINES.map(() => 'packed/z.ts'));
    putFiles(folder, { 'packed/deep/.env': '' });
    for (const told of secretsOf(folder)) expect(told).toContainEqual(expect.stringContaining('packed/deep/.env'));
  });

  it('lines are asked about where there are too many to look at, and are told so', () => {
    verifies('S18');
    const told = toldOf(scratchFolder(), { linksBelow: () => undefined });
    expect(told).toEqual(LINES.map(() => '. holds too many files to be looked at'));
  });
});

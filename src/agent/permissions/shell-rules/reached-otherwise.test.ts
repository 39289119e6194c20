// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell.
/** A secret that a line reaches by another way: a link in a variable, a folder that it went to, a list that it changes. */
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});

const folderOfWork = (): string => {
  const folder = scratchFolder();
  putFiles(folder, {
    '.env': 'KEY=1',
    note1: '',
    'src/a.ts': '',
    'package.json': '{"files": ["src"]}',
    '.npmignore': '.env\n',
    '.dockerignore': '.env\n',
    Dockerfile: 'FROM x\nCOPY . .\n',
  });
  symlinkSync('/etc/hostname', path.join(folder, 'note0'));
  symlinkSync('.env', path.join(folder, 'note2'));
  return folder;
};
const aboutSecret = (line: string): boolean => {
  const { mentions } = rules.decide({ allow: [{}], deny: [] }, line, surroundingsOf(folderOfWork()));
  return mentions.some(({ about }) => about === 'secret');
};

describe('a secret that is reached by another way', () => {
  it.each([
    // What says that it is left out is changed before it is packed.
    'rm .npmignore package.json && npm pack',
    'rm -f package.json; npm publish',
    'mv package.json x; npm pack',
    'echo {} > package.json && npm pack',
    'npm pkg delete files && npm pack',
    'npm pkg set files[]=. && npm pack',
    'rm pack*.json && npm pack',
    'sed -i d package.json && npm pack',
    'git checkout other -- package.json && npm pack',
    'x=package.json; rm $x; npm pack',
    'truncate -s 0 .dockerignore; docker build .',
    'cp /dev/null .dockerignore; docker build .',
    'printf "COPY . ." > Dockerfile; docker build .',
    'tee .dockerignore < src/a.ts; docker build .',
    "bash -c 'rm .dockerignore'; docker build .",
    'find . -name "*ignore" -delete && npm pack',
    'git rm -q "*ignore" && npm pack',
    'git add . && git checkout -- package.json && npm pack',
    'git diff --output=package.json && npm pack',
    'npx prettier --write package.json && npm pack',
    "node -e \"require('fs').rmSync('package.json')\" && npm pack",
    'docker run -v .:/x busybox rm /x/.dockerignore; docker build .',
    // What the kernel shows of a process, seen from a folder that the line went to, or by a glob.
    'cd /proc/self && cat environ',
    'cd /proc/1; cat environ',
    'cd /proc && cat 1/environ',
    'cd / && cat proc/1/environ',
    'cd /proc/self/task && cat 1/environ',
    'cat /proc/self/en?iron',
    'cat /proc/*/env*',
    'head -c 99 /proc/[0-9]*/environ',
    'cd ../../../../../../../proc/self && cat environ',
    'pushd /proc/self; strings environ',
    // A link, by a glob that names another one first, a variable, or as what comes in.
    'cat note?',
    'cat note*',
    'f=note2; cat $f',
    'for f in note1 note2; do cat "$f"; done',
    'cat < note[2-9]',
    'cat <note?',
    'x=2; cat note$x',
    'cat note{1,2}',
  ])('asks: %s', (line) => {
    verifies('S18');
    expect(aboutSecret(line)).toBe(true);
  });

  it.each([
    'npm pack',
    'npm run build && npm pack',
    'git add package.json && npm pack',
    'git commit -m "update package.json" && npm publish',
    'node -p "require(\'./package.json\').version" && npm publish',
    'npx prettier --check package.json && npm pack',
    'hadolint Dockerfile && docker build .',
    'git diff --stat Dockerfile && docker build .',
    'git add .gitignore && npm pack',
    'npm version patch && npm publish',
    'rm -rf dist && npm pack',
    'cat .npmignore && npm pack',
    'grep files package.json; npm pack',
    'git commit -m "$x" && npm publish',
    'docker build . > log.txt',
    'cat Dockerfile; docker build .',
    'cd /proc && ls',
    'cat /proc/cpuinfo',
    'cat /proc/mem*',
    'cd src && cat a.ts',
    'cat < note1',
    'f=note1; cat $f',
  ])('does not ask: %s', (line) => {
    verifies('S18');
    expect(aboutSecret(line)).toBe(false);
  });
});

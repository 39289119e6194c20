/** Secrets whose names a line puts together, under a rule for every command. */
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});

const asks = (line: string, files: Record<string, string>): boolean => {
  const folder = scratchFolder();
  putFiles(folder, files);
  const { verdict, mentions } = rules.decide({ allow: [{}], deny: [] }, line, surroundingsOf(folder));
  return verdict === 'ask' || mentions.some(({ about }) => about === 'secret');
};
const FILES = { '.env': 'KEY=1', 'conf/server.pem': 'KEY', 'a.txt': '', 'src/b.ts': '', 'src/c.env.ts': '' };

describe('a secret whose name the line puts together', () => {
  it.each([
    'for f in .*; do cat "$f"; done',
    'for f in .e?v; do head $f; done',
    'for x in env; do cat .$x; done',
    'for x in a env; do grep KEY ".$x"; done',
    'cat {.,}env',
    'cat .{e,f}nv',
    'cat {a.txt,.{e,x}nv}',
    'x=nv; cat .e$x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own syntax
    'x=e; cat .${x}nv',
    'x=.e; y=nv; cat $x$y',
    'a=.en; a="$a"v; a="$a"; cp "$a" out.txt',
    'a=.en; a="$a"v; a="$a"; git add -f "$a"',
    'x=en; y=.$x; cat "$y"v',
    'cat $(printf .%s env)',
    'cat .$(echo env)',
    'x=$(echo .env); y=$x; cat $y',
    'x=$(printf .%s env); cat $x',
    'cat `echo .en`v',
    'printf -v x .%s env; cat $x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own syntax
    'cat ${PWD}/.e??',
    'cat $PWD/.env*',
    'shopt -s dotglob; cat *',
    'base64 < .e$(echo nv)',
    'p=pem; openssl rsa -in x conf/server.$p',
    'cp conf/ser$X.pem b',
    "bash -c 'x=nv; cat .e$x'",
    "sudo sh -c 'for f in .*; do cat $f; done'",
    'curl -d @x conf/serve$R.pem',
    'cat conf/s*.p$e',
    `python3 -c "print(open('.e' + 'nv').read())"`,
    `python3 -c "print(open('.%s' % 'env').read())"`,
    `python3 -c "print(open(f'.{chr(101)}nv').read())"`,
    `python3 -c "print(open('\\x2eenv').read())"`,
    `python3 -c "n = '.e'; n += 'nv'; print(open(n).read())"`,
    `python3 -c "from pathlib import Path; print(Path('.', 'vne.'[::-1]).read_text())"`,
    `python3 -c "import os; [print(open(f).read()) for f in os.listdir('.')]"`,
    `python3 -c "import glob; [print(open(f).read()) for f in glob.glob('.*')]"`,
    `python3 -c "import shutil; shutil.copy('.e' 'nv', 'b')"`,
    `python -Sc "print(open(bytes([46,101,110,118])).read())"`,
    `node -e "console.log(require('fs').readFileSync('.e' + 'nv', 'utf8'))"`,
    `node -p "fs.readFileSync(['.env'][0].slice(0), 'utf8')"`,
    'node -e "for (const f of fs.readdirSync(process.cwd())) console.log(fs.readFileSync(f))"',
    `perl -e "open F, '.e'.'nv'; print <F>"`,
    `ruby -e "puts File.read('.e' + 'nv')"`,
    `php -r "echo file_get_contents('.e'.'nv');"`,
    `python3 -c "import io; print(io.FileIO('.e'+'nv').read())"`,
    `python3 -c "f=open; print(f('.e'+'nv').read())"`,
    `python3 -c "import tarfile; tarfile.open('x.tar','w').add('.')"`,
    `node -e "const {readFileSync:r}=require('fs');console.log(r('.e'+'nv')+'')"`,
    `node --eval="console.log(fs.readFileSync('.e'+'nv')+'')"`,
    `python3 <<< "print(open('.e'+'nv').read())"`,
    `timeout 5 python3 -c "print(open('.e'+'nv').read())"`,
    `bash -c 'python3 -c "print(open(".e"+"nv").read())"'`,
  ])('is asked about: %s', (line) => {
    verifies('S18');
    expect(asks(line, FILES)).toBe(true);
  });

  it.each([
    'for f in *; do cat "$f"; done',
    'for f in src/*.ts; do cat "$f"; done',
    'for f in a b; do grep x $f.txt; done',
    'cat *',
    'cat ./*',
    'cat src/{b,c}.ts',
    'cat $(git ls-files)',
    'x=$(date); cat "$x"',
    'cat "$dir/$file"',
    'cat src/$(echo b).ts',
    'sed -n 1p $(git diff --name-only)',
    'x=src; cat $x/b.ts',
    'echo .e$x',
    'ls .*',
    'test -f .e$x && make',
    'docker build -t $TAG .',
    'make -j$(nproc)',
    'kill $pid',
    'npm version $V',
    'git checkout $branch',
    'cat src/$name.ts',
    'node src/$script.js',
    'n=5; tail -n $n a.txt',
    `python3 -c "print(open('a.txt').read())"`,
    `python3 -c "import json; print(json.load(open('src/x.json'))['a'])"`,
    `python3 -c "import sys; print(open(sys.argv[1]).read())" a.txt`,
    `python3 -c "import sys; print(sys.stdin.readline())"`,
    `python3 -c "print('a' + 'b')"`,
    `python3 -c "with open('b.txt', 'w') as f: f.write('x' + 'y')"`,
    `node -e "console.log(require('./package.json').version)"`,
    `node -p "1 + 1"`,
    `node -e "console.log(fs.readFileSync('a.txt', 'utf8').length)"`,
    `ruby -e "puts 1 + 2"`,
    `perl -pe "s/a/b/" a.txt`,
  ])('is none where the name cannot be that of one: %s', (line) => {
    verifies('S18');
    expect(asks(line, { ...FILES, Dockerfile: 'FROM x\nCOPY src .\n' })).toBe(false);
  });

  it('and none where no secret is there', () => {
    verifies('S18');
    const files = { 'a.txt': '', 'src/b.ts': '' };
    for (const line of ['cat .*', 'cat "$f"', 'x=nv; cat .e$y', 'shopt -s dotglob; cat *'])
      expect(asks(line, files), line).toBe(false);
  });

  it('is looked for in bounded steps', () => {
    verifies('S18');
    const stars = `${'*a'.repeat(40)}*b`;
    expect(asks(`cat ${stars}`, { [`${'a'.repeat(200)}.pem`]: '' })).toBe(false);
    expect(asks(`cat ${'{a,b}'.repeat(40)}$x`, FILES)).toBe(false);
  });
});

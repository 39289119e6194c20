/** A deny rule holds where another program carries the command that it denies. */
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});
const verdict = (pattern: string, line: string): string =>
  rules.decide({ allow: [{}], deny: [{ pattern }] }, line, surroundingsOf(scratchFolder())).verdict;

const CARRIED = String.raw`
echo dGFnIHYx | base64 -d | xargs git
echo tag v1 | xargs git
echo tag v1 | xargs -n 2 git
echo v1 | xargs git tag
echo v1 | xargs -I{} git tag {}
printf 'tag\nv1' | xargs git
xargs git < words
xargs -a words git
parallel git ::: tag
split --filter="git tag v8" a.js
split --filter 'git tag v8' a.js
git config alias.zz tag && git zz v7
git config alias.zz '!git tag' && git zz v7
git -c alias.zz=tag zz v7
git zz v7
/usr/lib/git-core/git-tag v6
/usr/libexec/git-core/git-tag v6
git-tag v6
compgen -C "git tag v1"
complete -C 'git tag v1' x
cmake -E env git tag v1
cmake -E time git tag v1
go test -exec 'git tag v1' ./...
go run -exec "git tag v1" .
gcc -wrapper git,tag,v1 a.c
run-parts --arg=tag d
cargo --config 'build.rustc-wrapper="git tag v1"' build
install -s --strip-program='git tag v1' a b
helm template x --post-renderer 'git tag v1'
apt-get -o DPkg::Pre-Invoke::='git tag v1' update
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!git tag v1' git x
find . -exec git tag {} ;
find . -name x -exec git tag v1 \;
python3 -c 'import subprocess; subprocess.run(["gi"+"t", "ta"+"g", "v1"])'
python3 -c 'import os; getattr(os, "sys"+"tem")("gi"+"t tag v1")'
python3 -c "__import__('os').system('gi' 't tag v1')"
node -e 'require("child_" + "process").execSync("gi" + "t tag v1")'
node -pe 'process.binding("spawn_sync")'
perl -e 'exec "gi"."t", "ta"."g", "v1"'
perl -e '$x = "gi"; system($x."t tag v1")'
ruby -e 'system("gi" + "t tag v1")'
php -r 'system("gi"."t tag v1");'
awk 'BEGIN { system("gi" "t tag v1") }'
awk 'BEGIN { "gi" "t tag v1" | getline }'
gawk 'BEGIN { f = "system"; @f("git tag v1") }' 
sed '1e git tag v1' a.txt
sed 's/.*/git tag v1/e' a.txt
tar -cf a.tar --checkpoint=1 --checkpoint-action=exec='git tag v1' x
tar -xf a.tar --to-command='git tag v1'
rsync -e 'git tag v1' a b:c
ssh -o ProxyCommand='git tag v1' host
vim -c '!git tag v1' -c q
watch -n 1 git tag v1
nohup git tag v1
env -i git tag v1
`
  .trim()
  .split('\n');

const ORDINARY = `
git status
git log --oneline -5
git add -A && git commit -m "tag the release"
git diff HEAD~1 -- src
git push origin main
git config user.name Ada
git config --get remote.origin.url
npm test
npm run build 2>&1 | tail -20
npm install
npx vitest run
node -e 'console.log(JSON.parse(require("fs").readFileSync("package.json", "utf8")).version)'
node -p '1 + 1'
node scripts/build.mjs
python3 -c 'print(1)'
python3 -c 'import json, sys; print(json.load(sys.stdin)["a"])'
python3 -m pytest -q
perl -ne 'print if /tag/' a.txt
perl -pi -e 's/tag/label/g' a.txt
ruby -e 'puts 1'
awk '{ print $1 }' a.txt
awk -F: '$3 > 100 { n += 1 } END { print n }' a.txt
sed -n 1,20p a.txt
sed -i 's/tag/label/' a.txt
find . -name '*.ts' -exec grep -l tag {} +
find . -name '*.log' -delete
grep -rn "git tag" docs
rg tag src
echo "run git tag afterwards"
ls | xargs wc -l
find src -name '*.ts' | xargs grep -n tag
git ls-files | xargs wc -l
tar czf a.tgz src
cmake -B build
cmake --build build
go test ./...
go build -o tag .
gcc -o a a.c
make
make test
cargo build --release
docker build -t tag .
curl -s http://localhost:3000/tag
cat tag.txt
mkdir -p tag
for f in *.txt; do wc -l "$f"; done
`
  .trim()
  .split('\n');

describe('a command that is denied', () => {
  it.each(CARRIED)('is not allowed where another program carries it: %s', (line) => {
    verifies('Z10');
    expect(verdict('git tag *', line)).not.toBe('allow');
  });

  it.each(ORDINARY)('does not stand in the way of ordinary work: %s', (line) => {
    verifies('Z10');
    expect(verdict('git tag *', line)).toBe('allow');
  });
});

import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { mayBringForeign, reachesNetwork } from './foreign-output.ts';

it.each([
  'curl https://a.test',
  'timeout 5 wget a.test',
  'git pull',
  'git -q fetch origin',
  'npm view left-pad readme',
  'pip download x',
  'python3 -c "import urllib.request"',
  'node -e "fetch(\'http://a\')"',
  'exec 3<>/dev/tcp/a.test/80',
  'cd x && /usr/bin/curl a.test',
  'gh issue view 3',
  'openssl s_client -connect a.test:443',
])('%s reaches the network', (line) => expect(reachesNetwork(line)).toBe(true));

it.each([
  'npm test',
  'git status',
  'git log -3',
  'ls -la',
  'make',
  'node build.mjs',
  'cargo build',
  'grep -rn fetch src',
])('%s does not', (line) => expect(reachesNetwork(line)).toBe(false));

it.each([
  'node build.mjs',
  'cargo run',
  'npm exec tool',
  'yarn tool',
  './fetch.sh',
  'sh fetch.sh',
  'bash -c "./fetch"',
  'python3 tool.py | head',
  'ls; ./tool',
  'echo a | node -',
  'find . -exec ./tool {} +',
  'xargs ./tool < list',
  'timeout 5 ./tool',
  'A=1 ./tool',
  '$TOOL x',
  'echo $(./tool)',
  'git frobnicate',
  'git -c core.pager=./tool log',
  'awk \'{ print | "/inet/tcp/0/a/80" }\'',
  'for f in *; do ./tool $f; done',
])('%s may bring what others wrote, where there is a network', (line) => {
  verifies('S20');
  expect(mayBringForeign(line)).toBe(true);
});
it.each([
  'npm test',
  'npm run build -- --watch=false',
  'make -j4 all',
  'cargo build --release && cargo test',
  'go test ./...',
  'pytest -q | tail -5',
  'ls -la | head -3',
  'git log -3 --oneline',
  'git -C src --no-pager status',
  'grep -rn "a|b" src',
  'cat a.txt > b.txt && wc -l b.txt',
  'cd src; find . -name "*.ts" | xargs grep -l x',
  'find . -type f -exec wc -l {} +',
  'node --version',
  'echo "$HOME"',
  'for f in *; do echo $f; done',
  'if [ -f a ]; then cat a; fi',
  'A=1 env',
  'timeout 5 sort a',
])('%s brings nothing from there', (line) => expect(mayBringForeign(line)).toBe(false));

import { expect, it } from 'vitest';
import { reachesNetwork, readsOutside } from './foreign-output.ts';

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
  'cat /home/ann/page.html',
  'cat ~/Downloads/x',
  'head -3 ../other/x',
  'cat "$HOME/x"',
  'sort < /var/log/syslog',
])('%s reads outside', (line) => expect(readsOutside(line)).toBe(true));
it.each(['cat a.txt', 'ls src/..x', 'cat /tmp/out', 'make > /dev/null', 'git diff a..b', '/usr/bin/env true'])(
  '%s does not read outside',
  (line) => expect(readsOutside(line)).toBe(false),
);

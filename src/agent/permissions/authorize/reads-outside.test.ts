// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell.
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { readsOutside } from './reads-outside.ts';

it.each([
  'cat /home/ann/page.html',
  'cat ~/Downloads/x',
  'head -3 ../other/x',
  'cat "$HOME/x"',
  'sort < /var/log/syslog',
  // Up and out behind a folder that is there, or behind one of the run.
  'cat src/../../other/README',
  'cat a/../../x',
  'cat ./../x',
  'cat /tmp/../home/x/README',
  'cat /usr/bin/../share/doc/x',
  'cat /dev/../opt/x',
  'tail -n1 /dev/fd/../../opt/x',
  'cat /dev/shm/x',
  'cat $PWD/../x',
  'cat `pwd`/../x',
  'cat "$(git rev-parse --show-toplevel)/../x"',
  'cat "$d"/../x',
  // Going there first.
  'cd; cat notes',
  'cd && cat notes',
  'cd -P; cat notes',
  'cd - && cat x',
  'cd ..;cat x',
  'pushd ..;cat x',
  '(cd ..&&cat x)',
  '(cd ..)',
  'cd src/../.. && cat x',
  'cd ./.. && cat x',
  'cd / && cat opt/x',
  'find / -name x',
  'grep -r key /',
  // Written another way.
  'cat \\/opt/x',
  'cat "/"opt/x',
  'cat .\\./x',
  'cat "."./x',
  'cat .?/x',
  'cat {/opt/x,}',
  'cat .{.,}/x',
  'cat {..,a}/x',
  'bash -c "cat ..\\/x"',
  // Behind an option.
  'gcc @/opt/x',
  'grep -f/opt/x y',
  'sed -f/opt/x y',
  'git -C.. log',
  'make -C../x',
  'dd if=/opt/x',
  // By a variable that names a folder elsewhere.
  'cat ${PWD%/*}/x',
  'cat $(dirname $PWD)/x',
  'cat $(dirname "$(pwd)")/x',
  'cat $OLDPWD/x',
  'cat $XDG_DATA_HOME/x',
  'cat "${XDG_CONFIG_HOME}"/x',
  'cat $USERPROFILE/x',
  'cat $GOPATH/pkg/mod/x/README.md',
  'cat $CARGO_HOME/registry/x',
  'cat ${x:-/opt}/y',
  'D=$(dirname $PWD); cat $D/x',
])('%s reads outside', (line) => {
  verifies('S20');
  expect(readsOutside(line)).toBe(true);
});

it.each([
  'cat a.txt',
  'ls src/..x',
  'cat /tmp/out',
  'make > /dev/null',
  'git diff a..b',
  '/usr/bin/env true',
  'cat src/../a.txt',
  'ls ./src/./a',
  'go test ./...',
  'git log main...HEAD',
  'git log origin/main..',
  'ls $(git rev-parse --show-toplevel)/src',
  'ls "${dir}/src"',
  'cat $PWD/src/a.ts',
  'echo $PATH',
  'for DIR in src lib; do ls $DIR/x; done',
  'ROOT=src; ls $ROOT/a',
  'cat $TMPDIR/x',
  'cd src && ls',
  'cd -- src; make',
  'cut -d/ -f2 names',
  'cut -d / -f2 names',
  'tr / _ < names',
  'awk -F / 1 names',
  'npm run build 2>&1 | tail -3',
  'date +%d/%m',
  'echo "a / b"',
  "awk '{ print $1/$2 }' a.txt",
  'head -c 9 /dev/urandom',
])('%s does not read outside', (line) => {
  verifies('S20');
  expect(readsOutside(line)).toBe(false);
});

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
  // In the code of another language.
  `python3 -c "print(open(r'/etc/motd').read())"`,
  `python3 -c "print(open(f'/opt/{x}').read())"`,
  `python3 -c "print(open(b'/etc/motd').read())"`,
  `python3 -c "print(open(rb'/tmp/../home/x').read())"`,
  `python3 -c "print(open(r'~/x').read())"`,
  `python3 -c "print(open(r'../x').read())"`,
  `python3 -c "for f in ['/etc/motd']: print(open(f).read())"`,
  `node -e "['/etc/motd','b'].map((f) => console.log(read(f)))"`,
  'node -e "for(const f of[\\"/srv/x\\",\\"y\\"])console.log(read(f))"',
  `node -e 'for(const f of["/srv/x","y"])console.log(read(f))'`,
  `ruby -e "puts File.read %w[/etc/motd].first"`,
  `perl -e "print'/etc/motd'"`,
  'cat /{etc,opt}/motd',
  'cat "/"{etc,opt}/motd',
  'cat /@x/y',
  'cat /[e]tc/motd',
  'ls /|cat',
  'echo $(ls /)',
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
  'ls "$dir"/src',
  'ls "${dir}"/src "$(git rev-parse --show-toplevel)"/src',
  `perl -e "print for 'a'..'c'"`,
  `grep '[/]x' names`,
  'IFS=/; read a b < names',
])('%s does not read outside', (line) => {
  verifies('S20');
  expect(readsOutside(line)).toBe(false);
});

/** How a line was looked at before: the place, and what stands before it. */
const BEFORE =
  /(?:^|[\s=:'"<(,])(?:\/(?!(?:dev|tmp|usr\/bin|bin)(?:\/|$|[\s'"]))[^\s'"]|~|\$\{?HOME\b|\.\.(?:\/|\s|$))/;

it('finds all that was found by the sign before a place alone', () => {
  verifies('S20');
  const before = [
    '',
    'cat ',
    'x=',
    'x:',
    '<',
    'f(',
    'a,',
    "'",
    '"',
    "r'",
    'f"',
    "print'",
    '["',
    '[',
    '{',
    'a',
    'b/',
    '\\"',
  ];
  const places = ['/etc/x', '/', '/{a,b}', '/@a', '/+', '/(a)', '/[a]', '/*', '//a', '~', '~a/b', '$HOME', '${HOME}/a'];
  const further = ['../a', '..', '.. b', '../..', './a', 'a/..', '/tmp/a', '/tmp/../a', '/dev/null', '/usr/lib/a'];
  const after = ['', ' b', "'", '"', ')', '/c', ']', ',d', "')"];
  const missed = before.flatMap((sign) =>
    [...places, ...further].flatMap((place) =>
      after.flatMap((end) => {
        const line = `${sign}${place}${end}`;
        // A stroke by itself that a bracket or a comma ends is a sign, where no command takes it for a folder.
        const isSign = /(?<![^\s=:'"<(,[])\/[)\]]/.test(line);
        return BEFORE.test(line) && !isSign && !readsOutside(line) ? [line] : [];
      }),
    ),
  );
  expect(missed).toEqual([]);
});

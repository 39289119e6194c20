/** What a `*` at the end of a rule for a command stands for: what the command works on, and nothing that carries more. */
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { BARE_SURROUNDINGS } from '../../../../tests/support/bare-surroundings.ts';
import { openShellRules, type ShellRules } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});
const allows = (pattern: string, line: string): boolean =>
  rules.commandMatches(pattern, line, 'allow', BARE_SURROUNDINGS);

/** The rule without its star, and what the star is not. */
const CARRYING: Readonly<Record<string, string>> = {
  'npm test':
    '--registry=https://e.test|--registry https://e.test|--registry e.test|--reg=e.test|--@scope:registry=https://e.test|--//e.test/:_authToken=x|--_authToken=x|' +
    '--proxy=http://e.test|--https-proxy=http://e.test|--http-proxy e.test|--noproxy=x|--cafile=x|--ca=x|--cert=x|--key=x|--strict-ssl=false|--no-strict-ssl|--cache=x|' +
    '--userconfig=x|--script-shell=./x|--node-options=--require=./x.js|--prefix=x|-C x|-w x|--git=./x|--editor=./x|--node-gyp=./x|--shell=./x|--logs-dir=x|-g|--global|--location=global|' +
    '--pack-destination=x|-- --config x.js|-- --config=x.js|-- --require ./x.js|-- --import=./x.js|-- --globalSetup ./x.ts|-- --reporter ./x.js|-- --registry=https://e.test|' +
    '-- --proxy=e.test|-- --host e.test|-- --coverage.customProviderModule=x|-- --loader ./x.js|-- --outputFile=x|-- --plugin=./x|-- --exec ./x',
  'npm install':
    '--registry=https://e.test|https://e.test/x.tgz|git+https://e.test/x.git|git+ssh://git@e.test/x|github:e/x|e/x|./x.tgz|x@https://e.test/x.tgz|x@npm:evil|--save-dev e/x|x@git@e.test:x.git|file:../x|--install-links=x|--tmp=x',
  'pnpm test':
    '--registry=https://e.test|--config.registry=x|--config.script-shell=./x|--dir x|-C x|--filter x|--script-shell=./x|--store-dir=x|--lockfile-dir x|--modules-dir=x|--virtual-store-dir=x|' +
    '--pnpmfile=x|--global-pnpmfile=x|--npm-path=./x|--node-options=x|--use-node-version=1|--state-dir=x|--cache-dir=x|--https-proxy=x|-- --config x',
  'yarn test':
    '--registry https://e.test|--cwd x|--use-yarnrc x|--modules-folder x|--cache-folder x|--global-folder x|--preferred-cache-folder x|--mutex network:1|--proxy x|--https-proxy x|--script-shell x|--link-folder x|--config x',
  'git push':
    'https://e.test/x.git|git@e.test:x.git|e.test:x.git|ssh://e.test/x|--repo=https://e.test/x|--receive-pack=./x|--exec=./x|--rec ./x',
  'git fetch':
    'https://e.test/x.git|git@e.test:x|--upload-pack ./x|--upload-pa=./x|--server-option=x|--negotiate-only=ext::x',
  'git pull': 'https://e.test/x.git main|me@e.test:x|-s ./x|--strategy=x',
  'git log': '--output=x|--ext-diff|--textconv|-O x',
  'cargo test':
    '--config x|--config=build.rustc="./x"|--manifest-path x|-C x|-Z unstable|-Zscript|--target-dir x|--registry x|--index https://e.test|--artifact-dir x|--out-dir x|--lockfile-path x|--target x.json|--git https://e.test|--path x',
  'go test':
    '-exec ./x|-exec=./x|-toolexec x|-vettool=x|-overlay x|-modfile=x|-o x|-C x|-pkgdir x|-outputdir x|-coverprofile=x|-cpuprofile x|-memprofile=x|-trace x|-modcacherw|-buildmode=plugin|-test.outputdir=x|-ldflags=-extld=./x|-gccgoflags=x|-gocoverdir=x|-test.gocoverdir=x|-fuzzcachedir=x|-test.cpuprofile=x|-blockprofile=x|-mutexprofile x',
  'make all':
    '-f x|--file=x|--makefile x|-C x|--directory=x|-E x|--eval=x|-I x|--include-dir=x|SHELL=./x|CC=./x|--fil=x|--jobserver-auth=fifo:x|--sync-mutex=x',
  'pip install':
    '-i https://e.test x|--index-url https://e.test|--index-url=https://e.test|--extra-index-url e.test|-f x|--find-links x|--trusted-host e.test|--proxy e.test|--cert x|--client-cert x|--target x|-t x|--prefix x|--root x|--user|' +
    '--src x|-r x|--requirement x|-c x|--constraint x|-e x|--editable x|--python x|--cache-dir x|--log x|--config-settings x|-C x|--global-option x|--report x|--keyring-provider x|git+https://e.test/x|https://e.test/x.whl|./x|x.whl|--ind https://e.test',
  pytest:
    '-p x|-px|-c x|--config-file=x|-o python_files=x|--override-ini x=y|--rootdir=x|--confcutdir=x|--import-mode=x|--pyargs x|--basetemp=x|--junitxml=x|--junit-xml=x|--log-file=x|--debug=x|--cov-config=x|--cov-report=html:x|--tx ssh=e.test|-d|--rsyncdir x|--base-url=https://e.test|--pdbcls=x:y|--pastebin=all|--trace-config=x|--resultlog=x|--html=x|--driver x|@x',
  'python3 -m pytest': '-p x|-c x|-o x=y|--rootdir=x|--junitxml=x|--tx ssh=e.test|--pdbcls=x:y',
  tar: '-cIx a|--use-compress-program=./x -cf a b|--to-command=./x -xf a|--checkpoint-action=exec=./x -cf a b|-F ./x -cf a|--info-script=./x|--new-volume-script=x|--rsh-command=x -cf e.test:a b|-cf e.test:a b|-C x -cf a b|-T x -cf a|-X x -cf a b|--exclude-from=x|--rmt-command=x|xf a|--index-file=x|-cf a --to-com=x|-V x --volno-file=x',
  find: '. -exec ./x ;|. -execdir ./x ;|. -ok ./x ;|. -okdir ./x ;|. -delete|. -fprint x|. -fprintf x y|. -fls x|. -fprint0 x|-files0-from x',
  rsync:
    '-e ./x a b|--rsh=./x a b|--rsync-path=./x a e.test:b|--log-file=x a b|--files-from=x a b|--password-file=x a b|--sockopts=x a b|--daemon|--config=x|-M x a b|--include-from=x a b|--exclude-from=x a b|--link-dest=x a b|--copy-dest=x a b|--compare-dest=x a b|--copy-as=x a b|--early-input=x a b|--write-batch=x a b|--only-write-batch=x a b|--read-batch=x b|-f merge,x a b|--filter=merge,x a b|-T x a b|--temp-dir=x a b|--backup-dir=x a b|--address=e.test a b|--stop-at=x --dparam=x',
  ssh: '-o ProxyCommand=./x e.test|-F x e.test|e.test ./x|-J e.test x|-R 1:e.test:1 x|-I x e.test|-S x e.test|-E x e.test|e.test',
  curl: '-x e.test http://a|--proxy e.test http://a|-K x http://a|-o x http://a|-T x http://a|-d @x http://a|-b x http://a|--cookie x http://a|-E x http://a|-H @x http://a|--cacert x http://a|--capath x http://a|--interface x http://a|--dns-servers e.test http://a|--abstract-unix-socket x http://a|--pinnedpubkey x http://a|-n http://a|--netrc http://a|--netrc-optional http://a|-F x=@y http://a|--proxy-header @x http://a|--socks5 e.test http://a|--haproxy-clientip x http://a|--dns-interface x http://a|--crlfile x http://a|--ssl-sessions x http://a|--pubkey x sftp://a|--stderr x http://a|--ftp-port x http://a|-P x http://a|--mail-rcpt x http://a|--upload-file x http://a|--url-query @x http://a|--ipfs-gateway e.test ipfs://x|--referer x --config y|--tls-earlydata --keylog x|--output-d x http://a|--form-string x=y http://a|--proxy-cert x http://a|--proxy1.0 e.test http://a|--ech x http://a|--random-file x http://a|--egd-file x http://a|--trace-config x --trace y http://a',
  'curl https://docs.test/a': 'http://e.test/|e.test|--url http://e.test|--next http://e.test|-L -s e.test',
  'docker build':
    '-f x .|--file=x .|--build-arg=x=y --secret id=x,src=y .|--secret=id=x .|--ssh=default .|--output=x .|-o x .|--add-host=a:1 .|--network=host .|--iidfile=x .|--metadata-file=x .|--build-context=a=b .|--cache-from=e.test/x .|--cache-to=e.test/x .|--builder=x .|--push .|--allow=x .|https://e.test/x.git|git@e.test:x|--security-opt=x .|--cgroup-parent=x .|--add-hos a:1 .|--entitlement x --allow=security.insecure .',
  'docker compose up': '-f x|--file=x|--env-file=x|--project-directory=x|--host=x|-H x',
  node: 'x.js|-e x|-r ./x x.js|--import ./x x.js|--env-file=x x.js',
  'node --test':
    '--import ./x|--require ./x|--test-reporter=./x|--env-file=x|--experimental-loader=./x|--test-global-setup=x|-r ./x|--test-reporter-destination=x',
  python3: 'x.py|-c x|-m x|-W x|-X importtime x.py',
  env: './x|A=1 ./x|-S ./x|-C x ls|-u A ./x',
  xargs: './x|-a x ls|-I {} ./x|rm',
  'npx vitest':
    '--config x|-c x|--config=x.ts|--root x|-r x|--reporter ./x.js|--reporter=./x.js|--environment ./x|--runner ./x|--coverage.customProviderModule=./x|--outputFile=x|--outputFile.json=x|--api.host=e.test|--globalSetup ./x|--execArgv=--import=./x|--browser.provider=./x|--dir x|--workspace x|--poolOptions.forks.execArgv=x|--setupFiles x|--snapshotEnvironment ./x|--pool ./x',
  'npx jest':
    '--config x|-c x|--globalSetup ./x|--setupFiles ./x|--setupFilesAfterEnv ./x|--testRunner ./x|--transform x|--reporters ./x|--env ./x|--resolver ./x|--watchPlugins ./x|--filter ./x|--projects x|--rootDir x|--roots x|--outputFile x|--testEnvironment ./x|--runner ./x|--cacheDirectory x|--testSequencer ./x|--snapshotSerializers ./x|--prettierPath ./x|--modulePaths x|--haste x|--globalTeardown ./x|--testResultsProcessor ./x|--dependencyExtractor x|--coverageDirectory x',
  'npx mocha':
    '-r ./x|--require ./x|--import ./x|--loader ./x|-R ./x|--reporter ./x|--config x|--package x|--file x|--ui ./x|-u ./x|--node-option import=./x|-n import=./x',
  'npx eslint':
    '-c x|--config x|--rulesdir x|--resolve-plugins-relative-to x|--plugin x|--parser ./x|-f ./x|--format ./x|-o x|--output-file x|--cache-location x|--flag x --config=y|--ignore-path x --rulesdir=y',
  'npx tsc':
    '--project x --outDir y|@args|--plugins x|--outFile x|--out x|--tsBuildInfoFile x|--generateTrace x|--generateCpuProfile x',
  'uv sync': '--index https://e.test|--index=e.test',
  'gh pr': 'create --body-file x|list --config x',
  'mvn test': '-Dmaven.ext.class.path=x|-Dexec.executable=./x|--settings x',
  phpunit: '--bootstrap x|-c x',
  'terraform plan': '-var-file=x|-backend-config x',
  'sphinx-build': '-c x a b',
  'meson test': '--wrapper ./x',
  ctest: '--test-dir x',
  'npx prettier':
    '--plugin ./x .|--plugin=./x .|--config x .|--plugin-search-dir x .|--ignore-path x --config=y .|--cache-location x .',
  'ruff check': '--config x|--output-file x|-o x|--cache-dir x',
  './run.sh':
    '--registry https://e.test|--proxy=e.test|--config x|--exec ./x|--host e.test|--plugin=./x|--url=https://e.test|--output=x|--index-url e.test',
};

const ORDINARY: Readonly<Record<string, string>> = {
  'npm test':
    '|-- src/a.test.ts|-- -t name|-t name|--silent|-s|-- --run|-- --coverage|-- --reporter=verbose|-- --reporter verbose src/a.test.ts|-- -u src/a.test.ts|--if-present|-- --bail 1|-- --project web|-- --testPathPattern src/x|-- --grep "a b"',
  'npm run build': '|-- --watch|-- --mode production|--silent|-- src/index.ts',
  'npm install':
    '|left-pad|left-pad@1.3.0|@scope/name@^2|--save-dev x|-D x|--no-audit|--no-fund|--prefer-offline|--legacy-peer-deps|--omit=dev',
  'pnpm test': '|-- -t name|--silent|src/a.test.ts|-r|--no-bail',
  'yarn test': '|-t name|src/a.test.ts|--silent|--watch=false',
  'git push': '|origin|origin main|-u origin feature/a|--force-with-lease|--tags|--dry-run|origin HEAD:refs/heads/x',
  'git fetch': '|origin|--all|--prune|origin pull/3/head:pr-3',
  'git pull': '|--rebase|origin main|--ff-only',
  'git log': '|-3 --stat|--oneline -- src/a.ts|--grep=config|--author=me@e.test',
  'cargo test': '|--all|name -- --nocapture|--release|-p core|--features a,b|--no-fail-fast|-j 4|--test it',
  'go test': '|./...|-run TestA ./pkg|-v -count=1 ./...|-race ./...|-tags=a|-cover|-timeout 30s|-bench=. -benchmem',
  'make all': '|-j4|-k|-n|-B',
  'pip install': '|requests|requests==2.0|--upgrade pip|-U x|-q x|"x[extra]>=1"|--no-deps x|--pre x',
  pytest:
    '|-q|-x tests/a.py|-k name|tests/a.py::test_b|-vv --tb=short|--maxfail=1|-m slow|--lf|-n 4|--cov=src|-rA|-s|--durations=10|--co|tests -n auto --dist loadfile',
  'python3 -m pytest': '|-q|tests/a.py::test_b|-k name',
  tar: '-tf a.tar|-czf a.tgz src|cf a.tar b|--exclude=x -cf a b',
  find: '. -name "*.ts"|src -type f -newer a|. -maxdepth 2 -print0',
  rsync: '-a src/ copy/|-av --delete --exclude=x src/ copy/|-n a b',
  curl: 'http://a|-sL http://a|-I http://a|-H "accept: x" http://a|-X POST http://a|--max-time 5 http://a|--compressed http://a|-fsS http://a|--retry 3 http://a|-A x http://a',
  'curl https://docs.test/a': '|-s|-L --max-time 5|-H "accept: x"',
  'docker build':
    '.|-t name .|--tag=name:1 --build-arg A=1 .|--no-cache .|--target x .|--pull .|--progress=plain .|--platform linux/amd64 .|-q .',
  'docker compose up': '|-d|--build|web',
  'node --test': '',
  'npx vitest':
    '|run|run src/a.test.ts|-t name|--coverage|--reporter=verbose|--reporter dot|--watch=false|-u|--project web|--environment jsdom|--pool forks|--ui',
  'npx jest': '|src/a.test.ts|-t name|--ci|--coverage|--watchAll=false|-i|-u|--verbose|--env=jsdom|--silent',
  'npx mocha': '|test/a.js|-g name|--timeout 5000|-R spec|--reporter dot|--bail|--ui tdd',
  'npx eslint': '.|src --fix|--ext .ts src|--max-warnings 0 .|-f stylish .|--format=json .|--quiet .|--cache .',
  'npx tsc': '--noEmit|-p tsconfig.json|--watch|-b|--project tsconfig.build.json --noEmit',
  'npx prettier': '--check .|--write src|-c .|-w src/a.ts|--list-different .',
  'gh pr': 'create --title x --body "see https://x.test"|view 12 --json title',
  ctest: '-R name|-j 4',
  'ruff check': '|.|--fix src|--select E|--output-format=json',
  './run.sh': '|--fast|-v a.txt|--count 3|--name web|--port 8080',
};

const rows = (table: Readonly<Record<string, string>>): [rule: string, line: string][] =>
  Object.entries(table).flatMap(([rule, ends]) =>
    ends.split('|').map((end): [string, string] => [`${rule} *`, `${rule} ${end}`.trim()]),
  );

describe('a rule with a star at its end', () => {
  it('does not cover what carries a program, a host or a file to load', () => {
    verifies('Z8', 'Z10', 'S48');
    expect(
      rows(CARRYING)
        .filter(([rule, line]) => allows(rule, line))
        .map(([, line]) => line),
    ).toEqual([]);
  });

  it('covers ordinary words', () => {
    verifies('Z8', 'Z10', 'S48');
    expect(
      rows(ORDINARY)
        .filter(([rule, line]) => !allows(rule, line))
        .map(([, line]) => line),
    ).toEqual([]);
  });

  it('covers what it spells out', () => {
    verifies('Z8', 'Z10', 'S48');
    const spelled = [
      ['npm test --registry=https://e.test *', 'npm test --registry=https://e.test -s'],
      ['npm test -- --config x.js *', 'npm test -- --config x.js -t name'],
      ['pytest -p no:cacheprovider *', 'pytest -p no:cacheprovider -q'],
      ['npx vitest --config x.ts *', 'npx vitest --config x.ts run'],
      ['go test -coverprofile=c.out *', 'go test -coverprofile=c.out ./...'],
      ['pip install -r requirements.txt *', 'pip install -r requirements.txt -q'],
      ['pip install -e . *', 'pip install -e . -q'],
      ['git push https://e.test/x.git *', 'git push https://e.test/x.git main'],
    ] as const;
    expect(spelled.filter(([rule, line]) => !allows(rule, line)).map(([, line]) => line)).toEqual([]);
  });
});

describe('a star within a word', () => {
  it.each([
    ['cat docs/*', 'cat docs/a.md', true],
    ['cat docs/*', 'cat docs/sub/a.md', true],
    ['cat docs/*', 'cat docs/../b.md', false],
    ['rm build/*', 'rm build/./../src/a.ts', false],
    ['curl https://docs.test/a/*', 'curl https://docs.test/a/b', true],
    ['curl https://docs.test/a/*', 'curl https://docs.test/a/../b', false],
    ['curl https://docs.test/a/*', 'curl https://docs.test/a/..%2fb', false],
    ['curl https://docs.test/a/*', 'curl https://docs.test/a/%2e%2e/b', false],
    ['curl https://docs.test/a/*', "curl 'https://docs.test/a/{..,x}/b'", false],
    ['curl https://docs.test*', 'curl https://docs.test@e.test/', false],
    ['curl https://*.docs.test/*', 'curl https://e.test/x.docs.test/', false],
    ['curl https://*.docs.test/*', "curl 'https://e.test?.docs.test/'", false],
    ['curl https://*.docs.test/*', "curl 'https://e.test#.docs.test/'", false],
    ['curl https://*.docs.test/*', 'curl https://e.test\\\\.docs.test/', false],
    ['curl https://*.docs.test/*', 'curl https://a.docs.test/x', true],
    ['npm run build:*', 'npm run build:web', true],
  ])('%s and %s: %s', (rule, line, expected) => {
    verifies('Z8', 'S48');
    expect(allows(rule, line)).toBe(expected);
  });
});

/** Options that write, run or load something although the name of their program sounds harmless. */
import type { OptionTable } from '../objections.ts';
import { baseName } from '../wrappers.ts';

const READER: OptionTable = { reads: true };
/** Told to check, it reads the files that stand in the one that it is given. */
const SUM: OptionTable = { reads: true, short: 'c', long: 'check' };
/** Says of a file that it is there, and never what is in it. */
const LOOKER: OptionTable = { reads: true, names: true };
const TABLES: Readonly<Record<string, OptionTable>> = {
  echo: { prints: true },
  true: { prints: true },
  false: { prints: true },
  ':': { prints: true },
  ls: LOOKER,
  cat: READER,
  head: READER,
  tail: READER,
  wc: { reads: true, long: 'files0-from' },
  nl: READER,
  tac: READER,
  rev: READER,
  cut: READER,
  tr: READER,
  paste: READER,
  join: READER,
  comm: READER,
  cmp: READER,
  fold: READER,
  fmt: READER,
  column: READER,
  strings: READER,
  od: READER,
  hexdump: READER,
  base64: READER,
  base32: READER,
  md5sum: SUM,
  sha1sum: SUM,
  sha256sum: SUM,
  sha512sum: SUM,
  cksum: SUM,
  stat: LOOKER,
  readlink: LOOKER,
  realpath: LOOKER,
  basename: LOOKER,
  dirname: LOOKER,
  seq: READER,
  pwd: READER,
  whoami: READER,
  id: READER,
  uname: READER,
  nproc: READER,
  df: READER,
  grep: READER,
  egrep: READER,
  fgrep: READER,
  which: LOOKER,
  type: LOOKER,
  jq: { reads: true, short: 'fL', long: 'from-file slurpfile rawfile library-path' },
  du: { reads: true, names: true, long: 'files0-from' },
  date: { reads: true, short: 's', long: 'set', values: 'dfrI' },
  hostname: { operands: 0, short: 'F', long: 'file boot' },
  file: {
    reads: true,
    short: 'CzZmf',
    long: 'compile uncompress uncompress-noreport magic-file files-from',
    values: 'eFP',
  },
  diff: { reads: true, values: 'CUIFxXSDW' },
  sdiff: { short: 'o', long: 'output diff-program' },
  diff3: { long: 'diff-program' },
  uniq: { reads: true, operands: 1, values: 'fsw', next: /^-[fsw]$/ },
  xxd: { reads: true, operands: 1, early: true, words: /^-(?:r|rev.*|e?r.*)$/, next: /^-[cglosn]$/ },
  shuf: { short: 'o', long: 'output random-source', values: 'in' },
  sort: {
    reads: true,
    short: 'oT',
    long: 'output compress-program temporary-directory files0-from random-source',
    values: 'ktS',
  },
  tree: { reads: true, names: true, short: 'oR', long: 'output fromfile fromtabfile gitfile infofile', values: 'LPIH' },
  find: {
    reads: true,
    names: true,
    words: /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls|files0-from)$/,
  },
  fd: { reads: true, names: true, short: 'xX', long: 'exec exec-batch', values: 'edtEoScj' },
  rg: {
    reads: true,
    short: 'zf',
    long: 'pre pre-glob search-zip hostname-bin file ignore-file',
    values: 'egtTABCmMdEjr',
  },
  ag: { reads: true, long: 'pager' },
  ack: { long: 'pager ackrc noenv' },
  bat: { long: 'pager config-file' },
  tar: {
    harmless: /^--exclude$/,
    short: 'IFTCPxgX',
    long: 'exclude-from use-compress-program checkpoint-action to-command info-script new-volume-script rsh-command rmt-command extract get files-from directory absolute-names index-file volno-file listed-incremental remove-files delete',
    values: 'f',
  },
  // Every file of a folder, and with -f also those that are not packed.
  zcat: { short: 'r', long: 'recursive' },
  zip: { short: 'TO@md', long: 'unzip-command test output-file move delete' },
  rsync: {
    harmless: /^--exclude$/,
    short: 'eMfT',
    long: 'sockopts config include-from exclude-from link-dest copy-dest compare-dest copy-as early-input only-write-batch read-batch filter address dparam port rsh rsync-path remote-option files-from log-file write-batch partial-dir temp-dir backup-dir daemon password-file',
  },
  split: { long: 'filter' },
  scp: { short: 'SoFJDi' },
  sftp: { short: 'SoFJDbi' },
  ssh: { short: 'oFJWLRDESwIMiOQ' },
  curl: {
    short: 'oOKTEcdFDQxwbnP',
    long: 'cookie cacert capath crlfile interface dns-servers dns-interface dns-ipv4-addr dns-ipv6-addr abstract-unix-socket pinnedpubkey netrc netrc-optional haproxy-clientip ssl-sessions pubkey ftp-port mail-rcpt mail-from ipfs-gateway keylog form-string proxy1.0 proxy-cert proxy-cacert proxy-capath proxy-key proxy-crlfile proxy-pinnedpubkey ech random-file egd-file output write-out remote-name remote-name-all output-dir config upload-file data data-binary data-raw data-urlencode form dump-header cookie-jar trace trace-ascii stderr quote proxy engine libcurl etag-save unix-socket netrc-file cert key json url-query create-dirs hsts alt-svc variable proto-default preproxy socks4 socks4a socks5 socks5-hostname connect-to resolve doh-url',
    values: 'HXAemuUr',
  },
  wget: {
    long: 'output-document output-file append-output use-askpass config execute input-file post-file body-file directory-prefix save-cookies warc-file load-cookies content-disposition trust-server-names hsts-file rejected-log',
    short: 'OoaeiP',
  },
  make: {
    harmless: /^--jobs$/,
    short: 'fCEI',
    long: 'jobserver-auth sync-mutex file makefile directory eval include-dir',
  },
  gcc: {
    words:
      /^-{1,2}(?:wrapper|fplugin.*|iplugindir.*|B.*|specs.*|prefix.*|load|Xclang|Xlinker|Xassembler|Xpreprocessor|fuse-ld.*|ld-path.*|T.*|W[ap],.*|W?l,.*@.*|MF.*|aux-info|dumpbase.*|dumpdir.*|fdump-.*=.*|o.*|config.*)$|^-Wl,(?!(?:--as-needed|--gc-sections|--no-undefined|-rpath[,=][^,]*|-z,\w+|-O\d|-s|-S|-soname[,=][^,]*)$)/,
  },
  nm: { words: /^-{1,2}(?:plug.*|target-help|M$)/ },
  ld: { words: /^-{1,2}(?:plug.*|T.*|script.*|o.*|output.*|dynamic-linker.*|Map.*|mri-script.*|c.*)/ },
  as: { words: /^-{1,2}(?:o.*|a.*=.*|MD.*)/ },
  cmake: { words: /^(?:-P.*|-E|-C.*|--toolchain.*|--trace-redirect.*|--profiling-output.*)$/ },
  ninja: { short: 'f' },
  gradle: {
    short: 'Ibpcg',
    long: 'init-script build-file project-dir settings-file gradle-user-home include-build project-cache-dir',
  },
  mvn: {
    words:
      /^(?:-Dmaven\.ext.*|-Dexec\..*|-f.*|-s|-gs|-t|-l|--(?:file|settings|global-settings|toolchains|log-file).*)$/,
  },
  svn: { long: 'editor-cmd diff-cmd diff3-cmd merge-cmd config-option config-dir extensions' },
  tcpdump: { short: 'zwrFV', long: 'postrotate-command' },
  ip: { words: /^-(?:b|batch)/ },
  pandoc: {
    short: 'oFLHABd',
    long: 'output filter lua-filter pdf-engine pdf-engine-opt data-dir defaults template extract-media include-in-header include-before-body include-after-body',
  },
  yq: { short: 'isf', long: 'inplace in-place from-file split-exp' },
  dpkg: { short: 'iP', long: 'install pre-invoke post-invoke' },
  'apt-get': { short: 'oc', long: 'option config-file' },
  cargo: {
    short: 'CZ',
    long: 'config manifest-path target-dir registry index artifact-dir out-dir lockfile-path git path',
    harmless: /^--target$/,
  },
  go: {
    // The flags for compiler and linker may name programs; a few that only strip or set a version do not.
    words:
      /^-?-(?:exec|toolexec|vettool|overlay|modfile|o|C|pkgdir|compiler|pgo|covdata|(?:test\.)?(?:coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile|trace|outputdir|gocoverdir|fuzzcachedir)|modcacherw|buildmode|coverdir)(?:=.*)?$|^-?-(?:ldflags|gcflags|asmflags|gccgoflags)(?:$|=(?!["']?(?:all=)?(?:\s*-(?:s|w|N|l|m|X[ =][\w./-]+=[\w.+-]+))*\s*["']?$))/,
  },
  npm: {
    short: 'Cwg',
    long: 'registry proxy https-proxy http-proxy noproxy cafile ca cert key strict-ssl no-strict-ssl cache tmp logs-dir local-prefix local-address global global-dir location pack-destination auth-type replace-registry-host install-links pnpmfile global-pnpmfile npm-path use-node-version store-dir lockfile-dir modules-dir virtual-store-dir state-dir cache-dir use-yarnrc modules-folder cache-folder global-folder preferred-cache-folder mutex link-folder config script-shell node-options prefix dir cwd workspace workspaces filter userconfig globalconfig ignore-scripts git browser viewer editor shell node-gyp init-module call onload-script',
  },
  pip: {
    short: 'ifctreCd',
    long: 'dest index-url extra-index-url find-links trusted-host proxy cert client-cert target prefix root user src requirement constraint editable python cache-dir log config-settings global-option build-option install-option report keyring-provider',
    harmless: /^--(?:pre|no-.*)$/,
  },
  pytest: {
    words:
      /^-[A-Za-z]*[pcod]|^--(?:config-file|override-ini|rootdir|confcutdir|import-mode|pyargs|basetemp|junit-?xml|log-file|debug|cov-config|tx|px|rsyncdir|base-url|pdbcls|pastebin|resultlog|result-log|html|driver|plugin)(?:=|$)|^--cov-report=[^=]*:/,
  },
  /** What builds and starts containers from the files of a folder. */
  'docker build': {
    harmless: /^--build$/,
    short: 'fo',
    long:
      'file output add-host secret ssh network iidfile metadata-file build-context cache-from cache-to builder push allow security-opt cgroup-parent ' +
      'env-file project-directory entrypoint volume mount privileged cap-add device config',
  },
  mocha: { long: 'package' },
  cp: { short: 'tST', values: 't' },
  rustc: { words: /^-(?:C|-codegen=)(?:linker|link-args?|profile-use|dlltool|llvm-args)=|^-Z|^--sysroot/ },
  javac: { words: /^-J|^--?processor|^-Xplugin|^--?(?:doclet|taglet|script)|^--system/ },
  exiftool: { words: /^-(?:config|@|if|p|w|o|execute|tagsfromfile|api|use)|[{;<=]/i },
  magick: { words: /^-(?:write|script|conjure)$/ },
  kubectl: {
    short: 's',
    long: 'kubeconfig server as as-group as-uid token cluster user certificate-authority raw client-certificate client-key',
  },
  docker: { short: 'Hc', long: 'host config context tlscacert tlscert tlskey' },
  xmllint: {
    long: 'noent path xinclude noxincludenode catalogs load-trace dtdvalid dtdvalidfpi schema relaxng schematron output shell',
  },
  mypy: { long: 'python-executable install-types' },
  pylint: { long: 'init-hook load-plugins rcfile' },
  just: { short: 'fdc', long: 'justfile working-directory shell shell-arg command dotenv-path dotenv-filename' },
  task: { short: 'td', long: 'taskfile dir' },
  invoke: { short: 'crf', long: 'collection search-root config fabfile' },
  rake: { short: 'fRrIge', long: 'rakefile require libdir rakelibdir execute execute-print execute-continue' },
  ant: { words: /^-{1,2}(?:f|file|buildfile|lib|find|s|propertyfile|logger|listener|inputhandler|main)$/ },
  ctest: { words: /^(?:-S|-SP|-C|--script.*|--build-and-test|--test-command|--build-.*|--overwrite)$/ },
  meson: { long: 'native-file cross-file' },
  scons: { short: 'fCDuUY', long: 'file sconstruct makefile directory site-dir include-dir repository srcdir' },
  bazel: {
    words: /^--(?:bazelrc|host_jvm_args|server_javabase|workspace_status_command|run_under|output_(?:user_root|base))/,
  },
  buck2: { long: 'config-file' },
  'ansible-playbook': {
    short: 'iMe',
    long: 'inventory inventory-file module-path extra-vars playbook-dir vault-password-file ssh-common-args ssh-extra-args',
  },
  helm: { long: 'post-renderer kubeconfig kube-context registry-config repository-config' },
  fzf: { long: 'preview bind with-shell tmux' },
  watchman: { short: 'j', long: 'json-command statefile logfile' },
  tidy: { short: 'o', long: 'config output' },
  delta: { long: 'config pager' },
  fetchmail: { short: 'fm', long: 'fetchmailrc mda postconnect preconnect plugin plugout' },
  nox: { short: 'f', long: 'noxfile' },
  tox: { short: 'cx', long: 'conf workdir root override' },
  'pre-commit': { short: 'c', long: 'config' },
  'ssh-keygen': { short: 'Dwf' },
  'ssh-add': { short: 'sS' },
};

/** The same program by another name; a number at the end is a version. */
const ALIASES: Readonly<Record<string, string>> = {
  fdfind: 'fd',
  cc: 'gcc',
  'c++': 'gcc',
  gfortran: 'gcc',
  cpp: 'gcc',
  'ld.bfd': 'ld',
  'ld.gold': 'ld',
  lld: 'ld',
  objcopy: 'nm',
  readelf: 'nm',
  size: 'nm',
  addr2line: 'nm',
  'g++': 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  gmake: 'make',
  apt: 'apt-get',
  gradlew: 'gradle',
  mvnw: 'mvn',
  ar: 'nm',
  ranlib: 'nm',
  objdump: 'nm',
  strip: 'nm',
  ansible: 'ansible-playbook',
  bazelisk: 'bazel',
  'py.test': 'pytest',
  pipx: 'pip',
  bsdtar: 'tar',
  gtar: 'tar',
  gsort: 'sort',
  gfind: 'find',
  dir: 'ls',
  vdir: 'ls',
  exa: 'ls',
  eza: 'ls',
  javadoc: 'javac',
  jar: 'javac',
  jdeps: 'javac',
  jlink: 'javac',
  kotlinc: 'javac',
  scalac: 'javac',
  fab: 'invoke',
  inv: 'invoke',
  convert: 'magick',
  mogrify: 'magick',
  identify: 'magick',
  composite: 'magick',
  montage: 'magick',
  gm: 'magick',
  podman: 'docker',
  nerdctl: 'docker',
};

/** In whatever program, these run what they name, or what the folder that they name says. */
const ANY: OptionTable = {
  words:
    /^--(?:exec|exec-batch|execute|eval|command|shell|pager|editor|browser|viewer|init-script|load-extension|shell-escape|script-shell|rsh|linker|init-hook|load-plugins|wrapper|launcher|askpass|use-askpass|ssh-command|proxy-command|kubeconfig|python-executable|preload|cwd|chdir|working-dir|working-directory|project-dir|manifest-path|rootdir|gemfile|on-?(?:success|failure|change|exit)|(?:pre|post)-(?:command|exec|hook|script))(?:=|$)/i,
};

/** Whether the options of a program are known one by one. */
export const hasTable = (program: string): boolean => tableOf(program) !== ANY;

export const tableOf = (program: string): OptionTable => {
  const name = baseName(program);
  return known(name) ?? known(name.replace(/-?[0-9.]+$/, '')) ?? ANY;
};
const known = (name: string): OptionTable | undefined => {
  const own = Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name;
  return Object.hasOwn(TABLES, own) ? TABLES[own] : undefined;
};

export const isPrinter = (program: string): boolean => tableOf(program).prints === true;
export const isReader = (program: string): boolean => {
  const table = tableOf(program);
  return table.reads === true || table.prints === true;
};
/** What a file with secrets is called is no secret. */
export const asksForNamesOnly = (program: string): boolean =>
  tableOf(program).names === true || program === 'test' || program === '[';

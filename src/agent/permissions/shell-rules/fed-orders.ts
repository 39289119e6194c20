/**
 * Programs that take what they run from elsewhere than their words and files: from what is piped into them, from variables,
 * from words that another program appends. Nobody has read it, so it may be what a rule denies.
 */
import { isShell, runsInput } from './interpreters.ts';
import { type ShellRedirection, type ShellWord, staticWord } from './words.ts';
import { baseName, isKnownRunner, isWrapper } from './wrappers.ts';

/** The same as what comes in, or another open file. */
const INPUT = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/(?:self|thread-self|\d+)\/fd\/\d+)$/;
const REMOTE = /^(?:ssh|rsh|mosh)$/;

/** Options that name a file of orders. Of a file by its name the line says as much as of a script. */
const ORDERS_FROM: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^g?make$/, /^(?:-f|--file|--makefile)$/],
  [/^(?:g?sed|[gmn]?awk|original-awk|dc|psql|just|rake|invoke|fab|tox|nox|mvn|ant|scons|task|ninja)$/, /^-f$|^--file$/],
  [/^gdb$/, /^--?(?:x|command|ix)$/],
  [/^sftp$/, /^-b$/],
  [/^(?:docker|podman|nerdctl|docker-compose)$/, /^(?:-f|--file)$/],
  [/^(?:curl|wget)$/, /^(?:-K|--config)$/],
  [/^(?:[gb]?s?d?tar|rsync)$/, /^(?:-T|--files-from)$/],
  [/^(?:emacs|vim?|nvim)$/, /^-(?:-script|l|-load|S|s|u)$/],
  [/^crontab$/, /^-$/],
];

/** Variables that name a file of settings, or a folder of programs, which says what runs. */
const SETTINGS =
  /^(?:GIT_(?:CONFIG|CONFIG_GLOBAL|CONFIG_SYSTEM|EXEC_PATH|TEMPLATE_DIR|DIR|COMMON_DIR)|MAKEFILES|TAR_OPTIONS|HGRCPATH|CARGO_HOME|NPM_CONFIG_(?:USERCONFIG|GLOBALCONFIG|PREFIX)|YARN_RC_FILENAME|BUNDLE_GEMFILE|BUNDLE_APP_CONFIG|GEM_HOME|GEM_PATH|RUBYLIB|PERL5LIB|PYTHONSTARTUP|PYTHONHOME|PYTHONUSERBASE|PHPRC|PHP_INI_SCAN_DIR|OPENSSL_CONF|OPENSSL_MODULES|SCREENRC|VIMINIT|EXINIT|MYVIMRC|NVIM_APPNAME|XDG_CONFIG_HOME|HOME|GCC_EXEC_PREFIX|COMPILER_PATH|LUA_INIT|LUA_PATH|LUA_CPATH|JULIA_LOAD_PATH|R_PROFILE|R_PROFILE_USER|R_ENVIRON_USER|TCLLIBPATH|GROFF_COMMAND_PREFIX|ANSIBLE_CONFIG|TF_CLI_CONFIG_FILE|HISTFILE|INPUTRC)$/i;

export type Fed = { reads: boolean; redirections: readonly ShellRedirection[] };

/** How it is named in a sentence; undefined where nothing is run that comes from there. */
export const fedOrder = (words: readonly ShellWord[], { reads, redirections }: Fed): string | undefined => {
  const texts = words.map(({ text }) => text);
  const program = baseName(texts[0] ?? '');
  const what = `what ${program} runs`;
  if (program === 'git' && texts.some(isSettingFromElsewhere)) return what;
  if (!reads) return undefined;
  const others = texts.slice(1);
  if (readsOrders(program, others)) return what;
  if (/^(?:source|\.)$/.test(program)) return INPUT.test(others[0] ?? '') ? what : undefined;
  // What stands in the line itself was read with it.
  const isUnread = !redirections.some(({ operator }) => operator.startsWith('<<'));
  if (isUnread && isConsole(program, others)) return what;
  if (runsInput(program) !== 'never' && others.some((word) => word !== '-' && INPUT.test(word))) return what;
  return isUnread && isKnownRunner(program) && endsWithShell(others) ? what : undefined;
};

/** The value of a variable, and another file of settings. */
const isSettingFromElsewhere = (word: string): boolean =>
  /^--config-env(?:=|$)|^--exec-path=|^include(?:if)?\.(?:.*\.)?path=/i.test(word);

export const settingsVariable = (name: string): boolean => SETTINGS.test(name);

export const readsOrders = (program: string, words: readonly string[]): boolean => {
  const option = ORDERS_FROM.find(([name]) => name.test(program))?.[1];
  if (option === undefined) return false;
  return words.some((word, at) => {
    const [, short = '', glued = ''] = /^(-[A-Za-z])(.+)$/s.exec(word) ?? [];
    const [, long = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (option.test(short) && INPUT.test(glued)) return true;
    if (option.test(long) && INPUT.test(value)) return true;
    return option.test(word) && (word === '-' || INPUT.test(words[at + 1] ?? ''));
  });
};

/** What comes in is what it does. */
export const isConsole = (program: string, words: readonly string[]): boolean =>
  runsInput(program) !== 'never' && obeysInput(program, words);

/** It has nothing but options, or a word for what comes in; another machine is one more. */
const obeysInput = (program: string, words: readonly string[]): boolean => {
  if (words.some((word) => /^--?(?:version|help|[vVh])$/.test(word))) return false;
  const plain = words.filter((word) => !/^-./.test(word) && !/^(?:run|repl|eval|console)$/.test(word));
  const own = REMOTE.test(program) ? plain.slice(1) : plain;
  return runsInput(program) === 'always' || own.length === 0 || INPUT.test(own[0] ?? '');
};

/** `docker exec -i c sh`, `ssh h bash -s`, `busybox sh`. */
const endsWithShell = (words: readonly string[]): boolean => {
  const last = words.findLastIndex((word) => !word.startsWith('-'));
  if (words.slice(last + 1).some((word) => /^-[A-Za-z]*c/.test(word))) return false;
  return last >= 0
    ? isShell(baseName(words[last] ?? ''))
    : words.some((word) => /^(?:-[A-Za-z]*[is]|--login)$/.test(word));
};

const EACH = /^(?:xargs|gxargs|parallel)$/;
const EACH_VALUE = /^-[adEILnPsj]$|^--(?:arg-file|delimiter|max-[a-z]+|replace|jobs|colsep)$/;
export const UNREAD: ShellWord = { ...staticWord(''), dynamic: true, quoted: false };

/**
 * What xargs and parallel run, with a word behind it that they read, or in the place of one. Undefined where there is no
 * such program. An empty list: they print.
 */
export const fedWords = (words: readonly ShellWord[]): ShellWord[] | undefined => {
  const each = words.findIndex(({ text }) => EACH.test(baseName(text)));
  if (each < 0 || (each > 0 && !isWrapper(baseName(words[0]?.text ?? '')))) return undefined;
  let at = each + 1;
  for (; words[at]?.text.startsWith('-'); at += 1) if (EACH_VALUE.test(words[at]?.text ?? '')) at += 1;
  const place = /^-I(.*)$/.exec(words.find(({ text }) => /^-I/.test(text))?.text ?? '')?.[1];
  const named = place === '' ? words[words.findIndex(({ text }) => text === '-I') + 1]?.text : place;
  const end = words.findIndex(({ text }, index) => index >= at && /^:::/.test(text));
  // What stands behind `:::` is in the line, and what behind `::::` in a file.
  const told = words.slice(at, end < 0 ? undefined : end).map((word) => {
    const isPlace = word.text.includes('{}') || (named !== undefined && named !== '' && word.text.includes(named));
    return isPlace ? { ...word, dynamic: true, quoted: false } : word;
  });
  const isParallel = baseName(words[each]?.text ?? '') === 'parallel';
  if (told.length === 0) return isParallel ? [UNREAD] : [];
  return named === undefined ? [...told, UNREAD] : told;
};

/** Why a command may have failed in the sandbox although there is nothing wrong with it. */
import { possibleCommands } from '../core/policy/shell-words.ts';
import type { HiddenProgram, ProcessResult, WithheldCause, WithheldChange } from '../core/ports.ts';
import type { Reader } from '../core/tool.ts';
import { readableOutput } from './output-text.ts';

/** What only a program says that looked for a host and found no network. */
const NO_HOST =
  /could not resolve|couldn'?t resolve|name resolution|temporary failure resolving|failed to lookup address|resolve host|name or service not known|nodename nor servname|network is unreachable|no route to host|ENOTFOUND|EAI_AGAIN|ENETUNREACH|failed to establish a new connection|failed to open (?:tcp connection|socket)|no such host/i;
const REFUSED = /dial tcp|connection refused|ECONNREFUSED|failed to (?:fetch|download)|offline/i;
const READ_ONLY = /read-only file system|EROFS|errno 30/i;
const NO_REPOSITORY = /not a git repository/i;
const NOT_ALLOWED = /operation not permitted|permission denied|EPERM|EACCES/i;
/** Programs that do nothing without a network. Many of them fail without a word: `curl -s`. */
const NEEDS_NETWORK =
  /^(?:curl|wget2?|aria2c|https?|xh|httpie|nc|ncat|netcat|telnet|ping6?|dig|nslookup|host|traceroute|ssh|scp|sftp|ftp|lftp|whois)$/;
/** What `curl -w '%{http_code}'` prints where nobody answered. */
const NO_ANSWER = /^0{3}$/m;
/** Hosts that programs go to by themselves. */
const OWN_HOSTS: readonly (readonly [program: RegExp, hosts: string])[] = [
  [/^(?:npm|npx|pnpm|pnpx|yarn|bunx?|corepack)$/, 'registry.npmjs.org'],
  [/^(?:pip[\d.]*|pipx|uvx?|poetry|pdm|hatch|pipenv)$/, 'pypi.org files.pythonhosted.org'],
  [/^cargo$/, 'index.crates.io static.crates.io'],
  [/^go$/, 'proxy.golang.org sum.golang.org'],
  [/^(?:gem|bundler?)$/, 'rubygems.org index.rubygems.org'],
];
/** `python3 -m pip` */
const RUNS_MODULE = /^(?:\S*\/)?(?:python[\d.]*|py)$/;
const HOST_IN_OUTPUT =
  /(?:resolve (?:host(?:name)?|address)?:?|ENOTFOUND|EAI_AGAIN|lookup|host=|CONNECT to)[\s'"(]*([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+)/gi;
const HOST_IN_ADDRESS = /\b(?:https?|git|ssh):\/\/(?:[^\s/@'"]*@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi;
const HOSTS_NAMED = 3;

/** What the command would reach: as the line or the output says, else where its program goes by itself. */
const hostsOf = (command: string, output: string): string[] => {
  const said = [...command.matchAll(HOST_IN_ADDRESS), ...output.matchAll(HOST_IN_OUTPUT)].map(([, host = '']) => host);
  const programs = possibleCommands(command).flatMap((words) =>
    words.filter((_, at) => words.slice(0, at).every((word) => isBefore(word) || RUNS_MODULE.test(word))),
  );
  const own = programs.flatMap(
    (program) => OWN_HOSTS.find(([name]) => name.test(program.replace(/^.*\//, '')))?.[1].split(' ') ?? [],
  );
  const hosts = [...new Set([...said, ...own])].filter((host) => !/^(?:\d+\.){3}\d+$|\.$/.test(host));
  return hosts.slice(0, HOSTS_NAMED);
};

/** What opens the sandbox a little; only the person can do it. */
const opens = (what: string, flags: string, reader: Reader): string =>
  reader === 'person' ? `start halter with ${flags} to ${what}` : `the person can ${what} with ${flags}`;

const networkReason = (command: string, output: string, reader: Reader): string => {
  const flags = hostsOf(command, output).map((host) => `--allow-host ${host}`);
  const some = flags.length === 0 ? '' : `${flags.join(' ')}, all of it with `;
  return `there is no network, and no server on this machine is reached but one that the same command starts (${opens('allow it', `${some}--allow-network`, reader)})`;
};

const usesNetwork = (command: string): boolean =>
  possibleCommands(command).some((words) =>
    words.some((word, at) => NEEDS_NETWORK.test(word.replace(/^.*\//, '')) && words.slice(0, at).every(isBefore)),
  );
/** What stands before a program in a line: `if`, `timeout 5`, `FOO=1`, `xargs -n 1`. */
const isBefore = (word: string): boolean =>
  /^(?:!|if|then|else|elif|while|until|do|time|sudo|env|exec|command|nice|nohup|timeout|xargs|-.*|\w+=.*|[0-9.]+[smh]?)$/.test(
    word,
  );

/** Programs that show what somebody wrote: a failure in it is not their own. */
const SHOWS_TEXT =
  /^(?:cat|tac|head|tail|less|more|grep|egrep|fgrep|rg|ag|sed|awk|cut|tr|sort|uniq|wc|tee|echo|printf|jq|column|fold|ls|cd|true|false|\d+)$/;
/** The exit code may be that of another program than the one that failed. */
const hidesFailure = (command: string): boolean =>
  /[|;\n]/.test(command.trim().replaceAll(SAID, '_')) &&
  possibleCommands(command).some(([program = '']) => !SHOWS_TEXT.test(program.replace(/^.*\//, '')));

const saysNoNetwork = (text: string): boolean => NO_HOST.test(text) || REFUSED.test(text);

/** Where a command ended well though nothing answered it: `curl -s … | head`, `npm install | tail`. Nothing for all others. */
export const silentNetworkNote = (
  { sandbox, output, exitCode }: Pick<ProcessResult, 'sandbox' | 'output' | 'exitCode'>,
  command: string,
  reader: Reader = 'model',
): string => {
  if (sandbox === undefined || sandbox.network || exitCode !== 0) return '';
  const end = output.slice(-LOOKED_AT);
  const isUnanswered = usesNetwork(command)
    ? end.trim() === '' || saysNoNetwork(end) || NO_ANSWER.test(end)
    : NO_HOST.test(end) && hidesFailure(command);
  return isUnanswered ? `[It ran in a sandbox: ${networkReason(command, end, reader)}]\n` : '';
};

const hiddenReasons = (hidden: readonly HiddenProgram[] = [], reader: Reader): string[] =>
  hidden.map(({ name, file }) => {
    const flag = /^\/(?:var\/)?tmp\//.test(file) ? '--add-dir' : '--allow-read';
    const folder = readableOutput(file.slice(0, file.lastIndexOf('/')));
    return `${name} is installed at ${readableOutput(file)}, which commands do not see (${opens('show it to them', `${flag} ${folder}`, reader)})`;
  });

const unseenReasons = (unseen: readonly HiddenProgram[] = [], reader: Reader): string[] =>
  unseen.map(({ name, file }) => {
    const place = readableOutput(file);
    return `${readableOutput(name)} leads to ${place}, outside of this folder, which a command does not see that nobody was asked about (${opens('show it to commands', `--allow-read ${place}`, reader)})`;
  });

/** Where a command ended well without what the person has: `own-tool | head`, `cat link | head`. */
export const unseenNote = (
  { sandbox, exitCode }: Pick<ProcessResult, 'sandbox' | 'exitCode'>,
  reader: Reader = 'model',
): string => {
  const reasons =
    exitCode === 0 ? [...hiddenReasons(sandbox?.hidden, reader), ...unseenReasons(sandbox?.unseen, reader)] : [];
  return reasons.length === 0 ? '' : `[It ran in a sandbox: ${reasons.join('; ')}]\n`;
};

/** The program that the output speaks of. */
const deniedIn = (end: string, denied: readonly string[] = []): string | undefined =>
  denied.find((name) => end.split(/[^\w.+-]+/).includes(name));

/** Quoted text, and what a line says to the reader alone. */
const SAID = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"|(?<=^|\s)#.*$/gm;
/** `server &`, and none of `&&`, `2>&1`, `&>file`, `|&`. */
const IN_BACKGROUND = /[^&<>|\\]&(?![&>])/;
/** Who waits for its own jobs, or ends them, leaves none. */
const SETTLES = /\b(?:wait|kill|pkill|killall|fg)\b/;

/** Where a command that went well leaves something running, a server most of the time: its sandbox ends with it. */
export const leftBehindNote = (
  { sandbox, exitCode }: Pick<ProcessResult, 'sandbox' | 'exitCode'>,
  command: string,
  reader: Reader = 'model',
): string => {
  if (sandbox === undefined || exitCode !== 0) return '';
  const words = command.replaceAll(SAID, '_');
  return IN_BACKGROUND.test(words) && !SETTLES.test(words)
    ? `[${LEFT_BEHIND}${reader === 'person' ? '' : KEEPS_RUNNING}]\n`
    : '';
};
const LEFT_BEHIND =
  'What it started in the background (&) was ended with it, since a command runs in a sandbox of its own';
const KEEPS_RUNNING = '; background: true keeps a program running';

/** A sentence for whoever had it run; empty where the sandbox has nothing to do with it. */
export const sandboxNote = (
  { sandbox, output }: Pick<ProcessResult, 'sandbox' | 'output'>,
  command = '',
  reader: Reader = 'model',
): string => {
  if (sandbox === undefined) return '';
  const end = output.slice(-LOOKED_AT);
  const reasons: string[] = [];
  if (!sandbox.network && (saysNoNetwork(end) || usesNetwork(command)))
    reasons.push(networkReason(command, end, reader));
  reasons.push(...hiddenReasons(sandbox.hidden, reader), ...unseenReasons(sandbox.unseen, reader));
  if (sandbox.enclosing !== undefined && NO_REPOSITORY.test(end)) {
    const folder = readableOutput(sandbox.enclosing);
    reasons.push(
      `the repository in ${folder} is larger than the folder that halter was started for, and commands see that folder alone (${opens('open the repository to them', `--add-dir ${folder}`, reader)})`,
    );
  }
  if (READ_ONLY.test(end)) {
    reasons.push('only the workspace and /tmp are writable');
    const { repository } = sandbox;
    if (repository !== undefined && end.includes(repository)) {
      const folder = readableOutput(repository.replace(/\/\.git$/, ''));
      reasons.push(
        `this folder is a worktree of the repository in ${folder} (${opens('open it to commands', `--add-dir ${folder}`, reader)})`,
      );
    }
  } else if (NOT_ALLOWED.test(end) && deniedIn(end, sandbox.denied) !== undefined) {
    reasons.push(`a rule denies ${deniedIn(end, sandbox.denied)}, so no command can start it`);
  } else if (NOT_ALLOWED.test(end) && sandbox.unwritable?.length) {
    reasons.push(
      `${reader === 'person' ? 'you have' : 'the person has'} no right to write to ${sandbox.unwritable.map(readableOutput).join(' and ')}`,
    );
  } else if (reasons.length === 0 && NOT_ALLOWED.test(end)) {
    reasons.push('keys and other processes cannot be reached');
  }
  return reasons.length === 0
    ? ''
    : `. It ran in a sandbox: ${reasons.join('; ')}${reader === 'person' ? '' : NOT_ROUND_IT}`;
};
const NOT_ROUND_IT = '. Do not try to get round it; say what is needed';
const LOOKED_AT = 8_192;

/** Installed packages bring such files along; nobody opens them as a project. */
const OF_PACKAGES = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;
const NAMED = 10;

/** What a person said yes to. */
export const keptNote = ({ sandbox }: Pick<ProcessResult, 'sandbox'>, reader: Reader = 'model'): string => {
  const kept = sandbox?.kept ?? [];
  const who = reader === 'person' ? 'you' : 'a person';
  return kept.length === 0 ? '' : `[Kept, since ${who} allowed it: ${kept.map(readableOutput).join(', ')}]\n`;
};

/** What of a command's changes does not count. `failure`: what the call ends in, unless all of it came with installed packages. */
export type WithheldNote = { text: string; failure?: { type: 'permission_denied' | 'io_error'; reason: string } };

/** By their causes, in the order in which they are told. */
const CAUSES: Readonly<Record<WithheldCause, { reason: string; begin: string } & Record<Reader, string>>> = {
  changed_outside: {
    reason: 'changed_outside',
    begin: 'Left as it is, since it was changed by somebody else while the command ran',
    model: 'Look at what is there now before you run the command again',
    person: 'Look at what is there now before you run the command again',
  },
  repository_changed_outside: {
    reason: 'changed_outside',
    begin: 'Left as it is, since it was changed by somebody else while the command ran',
    model: 'Look at git status and git log, then run the git commands again',
    person: 'Look at git status and git log, then run the git commands again',
  },
  not_written: { reason: 'not_written', begin: 'Could not be written', model: 'Say so to the person', person: '' },
  runs_later: {
    reason: 'taken_back',
    begin: 'Taken back, since it decides what runs later outside of the sandbox',
    model:
      'Do not try to get round it; a person can make such a change, and a tool that writes files asks for it where there is one',
    person: 'Make such a change yourself, in an editor or in another terminal',
  },
};

export const withheldNote = ({ sandbox }: Pick<ProcessResult, 'sandbox'>, reader: Reader = 'model'): WithheldNote => {
  const withheld = sandbox?.withheld ?? [];
  if (withheld.length === 0) return { text: '' };
  const failing = withheld.filter(({ cause, path }) => cause !== 'runs_later' || !OF_PACKAGES.test(path));
  const told = (Object.keys(CAUSES) as WithheldCause[]).flatMap((cause) => {
    const all = withheld.filter((each) => each.cause === cause);
    const { begin, [reader]: end } = CAUSES[cause];
    return all.length === 0 ? [] : [`${begin}: ${listOf(all)}`, ...(end === '' ? [] : [end])];
  });
  const text = `${told.join('. ')}. Everything else the command did was kept`;
  const worst = failing.find(({ cause }) => cause === 'runs_later') ?? failing[0];
  if (worst === undefined) return { text };
  const type = worst.cause === 'runs_later' ? 'permission_denied' : 'io_error';
  return { text, failure: { type, reason: CAUSES[worst.cause].reason } };
};

const listOf = (withheld: readonly WithheldChange[]): string => {
  const others = withheld.filter(({ path }) => !OF_PACKAGES.test(path));
  const shown = [...others, ...withheld.filter(({ path }) => OF_PACKAGES.test(path))].slice(0, NAMED);
  const rest = withheld.length - shown.length;
  return shown.map(describeWithheld).join('; ') + (rest === 0 ? '' : `; and ${rest} more`);
};

const describeWithheld = ({ path, reason, kept_at }: WithheldChange): string => {
  const kept = kept_at === undefined ? '' : `; the command's version is kept at ${readableOutput(kept_at)}`;
  return `${readableOutput(path)} (${reason}${kept})`;
};

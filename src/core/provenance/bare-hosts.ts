/**
 * Machines that a command names by one word, as a network of one's own knows them: `ssh box`, `scp a me@box:`, `curl box:8080`.
 * Nothing but the place in the command tells such a word from others.
 */

/** Programs whose operand is a machine, or an address that begins with one, with their options that take no value. */
type Reaching = {
  programs: RegExp;
  flags: RegExp;
  /** What follows the machine is for it. */
  isFirst?: true;
};
const REACHING: readonly Reaching[] = [
  { programs: /^(?:curl|wget|https?|xh|curlie)$/, flags: /^(?:-[sSfLkviIgGOJNqRc046]*(?:[oO]-)?|--[a-z-]+)$/ },
  {
    programs: /^(?:ssh|mosh|sftp|autossh|ssh-copy-id|ftp|lftp|rsh)$/,
    flags: /^(?:-[46AaCfGgKkMNnqsTtVvXxYy]+|--[a-z-]+)$/,
    isFirst: true,
  },
  { programs: /^(?:nc|ncat|netcat|telnet)$/, flags: /^-[46DdhklNnrtUuvz]+$/, isFirst: true },
  { programs: /^(?:ping|host|dig|nslookup|whois)$/, flags: /^-[46abfnqrvxs]+$/ },
];
/** What they copy to or from is told by a colon. */
const COPYING = /^(?:scp|rsync|rclone|rsh|sshfs|hg|restic|borg)$/;
const GIT_REACHES = /^(?:push|clone|fetch|pull|remote|ls-remote|submodule)$/;
/** Options whose value is a machine. */
const HOST_OPTION = /^(?:-h|--host(?:name)?|--server|--remote|-H|--proxy|--?connect)(?:=(.+))?$/;
const ASKS_HOST =
  /^(?:psql|pg_dump|mysql|mysqldump|mariadb|redis-cli|mongosh|kubectl|docker|curl|openssl|ldapsearch|snmpwalk|smbclient)$/;

const MAILING = /^(?:mail|mailx|mutt|neomutt|sendmail|msmtp|swaks)$/;
const MAILED = /^[^@\s/]+@([a-z0-9][a-z0-9-]{0,62})$/i;
/** `> /dev/tcp/box/80`, `socat - tcp:box:80`. */
const SOCKET =
  /^(?:\/dev\/(?:tcp|udp)\/|(?:tcp|udp|openssl|ssl|sctp)[46]?(?:-connect)?:)([a-z0-9][a-z0-9-]{0,62})(?=[/:])/i;

const MACHINE = /^(?:[a-z]+:\/\/)?(?:[^@\s/]+@)?([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?::|\/|$)/i;
const COPIED = /^(?:[^@\s/:]+@)?([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):(?!\/\/)/i;
/** This machine, or a number. */
const NONE = /^(?:localhost|\d+)$/i;

/** The words of one command, behind what wraps it. */
export const bareHosts = (words: readonly string[]): string[] => {
  const found: (string | undefined)[] = words.map((word) => SOCKET.exec(word)?.[1]);
  // Of programs that look at all words behind them the first is enough: what is behind a later one is behind it too.
  const seen = new Set<unknown>();
  const operands = new Map<Reaching, (string | undefined)[]>();
  const isFirstOf = (kind: unknown): boolean => !seen.has(kind) && seen.add(kind) !== undefined;
  for (const [at, word] of words.entries()) {
    const program = word.slice(word.lastIndexOf('/') + 1);
    const reaching = REACHING.find(({ programs }) => programs.test(program));
    if (reaching?.isFirst) {
      const first = operands.get(reaching) ?? firstOperands(words, reaching.flags);
      operands.set(reaching, first);
      found.push(firstMachine(words, at, reaching.flags, first));
    }
    if (reaching !== undefined && !reaching.isFirst && isFirstOf(reaching)) {
      const rest = words.slice(at + 1);
      found.push(...rest.filter((each, index) => isOperand(each, rest[index - 1], reaching.flags)).map(machineIn));
    }
    if (COPYING.test(program) && isFirstOf(COPYING)) found.push(...copiedIn(words.slice(at + 1)));
    if (program === 'git' && isFirstOf(GIT_REACHES)) {
      const rest = words.slice(at + 1);
      if (rest.some((each) => GIT_REACHES.test(each))) found.push(...copiedIn(rest));
    }
    if (MAILING.test(program) && isFirstOf(MAILING))
      found.push(...words.slice(at + 1).map((each) => MAILED.exec(each)?.[1]));
    if (ASKS_HOST.test(program) && isFirstOf(ASKS_HOST)) {
      const rest = words.slice(at + 1);
      found.push(...rest.map((each, index) => machineIn(optionValue(each, rest[index + 1]))));
    }
  }
  return [...new Set(found.flatMap((host) => (host === undefined || NONE.test(host) ? [] : [host.toLowerCase()])))];
};

const copiedIn = (words: readonly string[]): (string | undefined)[] => words.map((word) => COPIED.exec(word)?.[1]);

/** Of the words behind each place the first operand; read once, since a line may name a program in every word. */
const firstOperands = (words: readonly string[], flags: RegExp): (string | undefined)[] => {
  const first: (string | undefined)[] = [];
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const word = words[index] ?? '';
    first[index] = isOperand(word, words[index - 1], flags) ? word : first[index + 1];
  }
  return first;
};

/** The first operand behind the program at `at`; nothing but the program stands before the word next to it. */
const firstMachine = (words: readonly string[], at: number, flags: RegExp, first: readonly (string | undefined)[]) => {
  const next = words[at + 1] ?? '';
  const operand = next !== '' && isOperand(next, undefined, flags) ? next : first[at + 2];
  return operand === undefined ? undefined : machineIn(operand);
};

/** An option, a file of data, the method of a request. */
const NO_OPERAND = /^[-@+]|^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
const isOperand = (word: string, before: string | undefined, flags: RegExp): boolean =>
  !NO_OPERAND.test(word) && (before === undefined || !before.startsWith('-') || flags.test(before));
const machineIn = (word: string): string | undefined => MACHINE.exec(word)?.[1];
const optionValue = (word: string, next = ''): string => {
  const given = HOST_OPTION.exec(word);
  return given === null ? '' : (given[1] ?? next);
};

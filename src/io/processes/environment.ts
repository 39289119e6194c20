/**
 * What a child process gets to see of halter's own environment. A command that a model wrote has no business with
 * the person's keys, and a program that waits for a pager or a password prompt would wait for ever.
 */
import { namesCertificates } from '../../core/policy/certificate-variables.ts';
import { isSecretText, isSecretVariable, NEVER_SECRET } from '../../core/policy/secret-values.ts';

/** Settings of git in the environment belong together: a count without its names is an error. */
const GIT_SETTING = /^GIT_CONFIG_(?:COUNT|PARAMETERS|(?:KEY|VALUE)_\d+)$/;
const isSecretGitSetting = (name: string, value: string): boolean =>
  !name.startsWith('GIT_CONFIG_KEY_') && (isSecretText(value) || /authorization|extraheader|password/i.test(value));

/** A secret that stands in another variable too, under whatever name. Short ones are common words. */
const COPIED_CHARACTERS = 8;
const HELD_CHARACTERS = 16;
const copyOf =
  (secrets: readonly string[]) =>
  (value: string): boolean =>
    formsOf(value).some((form) =>
      secrets.some((secret) => form === secret || (secret.length >= HELD_CHARACTERS && form.includes(secret))),
    ) || encodedIn(value).some((text) => secrets.some((secret) => text.includes(secret)));

/** A value as it is, without quotes around it, and as addresses and forms write it. */
const formsOf = (value: string): string[] => {
  const bare = value.replace(/^(["'])(.*)\1$/s, '$2');
  return [value, bare, ...(/[%+]/.test(bare) ? [unescaped(bare), unescaped(bare.replaceAll('+', ' '))] : [])];
};
const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What the words of a value say in base64 and in hex. */
const encodedIn = (value: string): string[] =>
  (value.match(/[A-Za-z0-9+/_-]{10,}={0,2}/g) ?? []).flatMap((word) => [
    Buffer.from(word, 'base64').toString('utf8'),
    ...(/^(?:[0-9a-f]{2}){8,}$/i.test(word) ? [Buffer.from(word, 'hex').toString('utf8')] : []),
  ]);

/** The names that no child may see. `named`: variables that the person has keys in, whatever they are called. */
export const secretNames = (environment: Environment, named: readonly string[] = []): ReadonlySet<string> => {
  const all = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const hasGitSecret = all.some(({ name, value }) => GIT_SETTING.test(name) && isSecretGitSetting(name, value));
  const isSecret = ({ name, value }: { name: string; value: string }): boolean =>
    named.includes(name) || (GIT_SETTING.test(name) ? hasGitSecret : isSecretVariable(name, value));
  const found = all.filter(isSecret);
  const isCopy = copyOf(found.map(({ value }) => value).filter((value) => value.length >= COPIED_CHARACTERS));
  const copies = all.filter(
    ({ name, value }) => !NEVER_SECRET.has(name) && !namesCertificates(name, value) && isCopy(value),
  );
  return new Set([...found, ...copies].map(({ name }) => name));
};

/** Variables that have a program read or run another file before it does anything: a command needs none of them. */
const LOADS_CODE =
  /^(?:LD_(?:PRELOAD|AUDIT)|DYLD_INSERT_LIBRARIES|BASH_ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|PYTHON(?:STARTUP|INSPECT|BREAKPOINT)|PERL5(?:OPT|DB)|RUBYOPT|RIPGREP_CONFIG_PATH|BASH_FUNC_.*)$/;
const JAVA_OPTIONS = /^(?:JDK_JAVA_OPTIONS|_JAVA_OPTIONS|JAVA_TOOL_OPTIONS)$/;
const JAVA_AGENT = /-(?:javaagent|agentlib|agentpath)|@/;
/** Git's own variables name programs, files and repositories; who one is and when stays. */
const GIT_HARMLESS = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/;
/** Options of Node that are a switch or a number. Others may name a file that is loaded. */
const NODE_HARMLESS =
  /^--(?!require$|import$|loader$|experimental-loader$|env-file|inspect|eval$|print$)[a-z0-9-]+(?:=\d+)?$/;

/** Settings of git that name no program; with any other among them none is kept, since they belong together. */
const GIT_SETTING_HARMLESS =
  /^(?:safe\.directory|user\.(?:name|email)|init\.defaultbranch|core\.autocrlf|advice\..+)$/i;
const hasHarmlessGitSettings = (environment: Environment): boolean =>
  Object.entries(environment).every(
    ([name, value = '']) =>
      name !== 'GIT_CONFIG_PARAMETERS' && (!name.startsWith('GIT_CONFIG_KEY_') || GIT_SETTING_HARMLESS.test(value)),
  );

/** What a command gets of a variable; undefined: nothing. */
const harmless = (name: string, value: string): string | undefined => {
  const upper = name.toUpperCase();
  if (namesCertificates(name, value)) return value;
  if (LOADS_CODE.test(upper) || (upper.startsWith('GIT_') && !GIT_HARMLESS.test(upper))) return undefined;
  if (JAVA_OPTIONS.test(upper) && JAVA_AGENT.test(value)) return undefined;
  if (upper !== 'NODE_OPTIONS') return value;
  const kept = value.split(/\s+/).filter((word) => NODE_HARMLESS.test(word));
  return kept.length === 0 ? undefined : kept.join(' ');
};

const HEADLESS: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  TERM: 'dumb',
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a child: halter's own, without what looks like a secret or loads code, set for use with nobody there. */
export const childEnvironment = (
  environment: Environment,
  own: Environment = {},
  hidden: ReadonlySet<string> = secretNames(environment),
): Record<string, string> => {
  const result: Record<string, string> = {};
  const git = hasHarmlessGitSettings(environment);
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || hidden.has(name)) continue;
    const kept = GIT_SETTING.test(name) ? (git ? value : undefined) : harmless(name, value);
    if (kept !== undefined) result[name] = kept;
  }
  Object.assign(result, HEADLESS);
  for (const [name, value] of Object.entries(own)) if (value !== undefined) result[name] = value;
  return result;
};

/** Two of a desktop that only look like secrets: which window asked, and where its store of keys answers. */
const OF_DESKTOP: ReadonlySet<string> = new Set(['XDG_ACTIVATION_TOKEN', 'GNOME_KEYRING_CONTROL']);

/** The environment of a program of the person's own desktop: as it is, without keys, which other programs could read there. */
export const desktopEnvironment = (environment: Environment): Record<string, string> => {
  const hidden = secretNames(environment);
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]): [string, string][] =>
      value === undefined || (hidden.has(name) && !OF_DESKTOP.has(name)) ? [] : [[name, value]],
    ),
  );
};

/**
 * Files of settings that hold a key in some folders and none in most: what is written in them decides whether they are
 * secret. `.git/config` is one, with an address that holds a password or a header that holds a token.
 */
import { isSecretSetting, isSecretText } from './secret-values.ts';
import { foldedName } from './sensitive-files.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Of git, package managers, build tools and agents. */
const NAMES = new Set(
  words(`
    .gitconfig .gitmodules .yarnrc .yarnrc.yml .bunfig.toml bunfig.toml pip.conf pip.ini uv.toml poetry.toml .condarc nuget.config
    gradle.properties settings.xml auth.json sonar-project.properties .mcp.json mcp.json .claude.json .lfsconfig .hgrc
  `),
);
const WAYS = words(`
  .config/git .bundle/config .cargo/config .cargo/config.toml .claude/settings.json .claude/settings.local.json .gemini/settings.json
  .codex/config.toml .vscode/settings.json .hg/hgrc .cabal/config .config/pnpm/rc .config/npm/npmrc .config/yarn/config .config/pypoetry/config.toml .config/pdm/config.toml .config/composer/config.json .composer/config.json
  .mix/config .stack/config.yaml .conan/remotes.json .conan2/remotes.json
`).map((way) => `/${way}/`);

/** A cheap first test, as most files are none: a name that begins with a dot, or is none in plain letters, and the others. */
const MAY_BE = new RegExp(
  `(?:^|[/\\\\])\\.|\\.git[/\\\\]|[^\\x20-\\x7e]|[. ](?:[/\\\\]|$)|${[...NAMES]
    .filter((name) => !name.startsWith('.'))
    .join('|')
    .replaceAll('.', '\\.')}`,
  'i',
);

/** True where the file may hold a key in what is written in it. In the folder of a repository, any may. */
export const isTokenFile = (path: string): boolean => {
  if (!MAY_BE.test(path)) return false;
  const segments = path.split(/[\\/]/).flatMap((part) => (part === '' || part === '.' ? [] : [foldedName(part)]));
  const whole = `/${segments.join('/')}/`;
  // Objects are packed, and their names say nothing.
  if (/\.git\/(?:objects|lfs)\//.test(whole)) return false;
  return NAMES.has(segments.at(-1) ?? '') || WAYS.some((way) => whole.includes(way)) || /\.git\/[^/]/.test(whole);
};

/** Those of a person's home folder that stand among the programs there, and that programs do without where they hold a key. */
export const TOKEN_FILES_AT_HOME: readonly string[] = words(`
  .yarnrc .yarnrc.yml .bunfig.toml .condarc .hgrc .m2/settings.xml .gradle/gradle.properties .nuget/NuGet/NuGet.Config .config/NuGet/NuGet.Config .cargo/config .cargo/config.toml .pip/pip.conf .config/pip/pip.conf
  .config/uv/uv.toml .config/pypoetry/config.toml .config/pdm/config.toml .bundle/config .cabal/config .config/pnpm/rc .config/npm/npmrc .config/yarn/config .composer/config.json .config/composer/config.json .stack/config.yaml .conan/remotes.json .conan2/remotes.json
`);

/** The same as globs for a search tool. What they find is still asked `isTokenFile`. */
export const TOKEN_GLOBS: readonly string[] = [...NAMES, ...WAYS.map((way) => `**${way.slice(0, -1)}`)];
/** Names of such files, to ask whether the shell could make one of a glob. */
export const TOKEN_EXAMPLES: readonly string[] = [...NAMES, 'config', 'config.toml', 'settings.json', 'hgrc'];

/** The setting that holds a key, by its name; undefined where none does. */
export const tokenIn = (text: string): string | undefined => {
  for (const line of text.split('\n')) {
    if (/^\s*(?:[#;]|\/\/\s)/.test(line)) continue;
    for (const [, name = '', value = ''] of line.matchAll(SETTING)) if (isTokenSetting(name, value)) return name;
    const [, name = '', value = ''] = ELEMENT.exec(line) ?? ATTRIBUTE.exec(line) ?? [];
    if (isTokenSetting(name, value)) return name;
    if (hasToken(line)) return 'an address or a key';
  }
  return undefined;
};

/** `name = value`, `name: value`, `"name": "value"`, several of a line too. */
const SETTING = /(?:^|[\s,{;"'])([\w./:@-]{1,200})["']?\s{0,8}[=:]\s{0,8}("[^"]*"|'[^']*'|[^\s,;{}["'].*)/g;
/** `<password>value</password>`, `<add key="name" value="value" />` */
const ELEMENT = /<([\w.-]*(?:pass|token|secret|apikey)[\w.-]*)>([^<]*)<\//i;
const ATTRIBUTE = /\bkey="([^"]*)"\s+value="([^"]*)"/;

/** Whether a setting of a file of settings holds a key. */
export const isTokenSetting = (name: string, written: string): boolean => {
  const value = withoutVariables(
    written
      .trim()
      .replace(/[,;]$/, '')
      .replaceAll(/^["']|["']$/g, ''),
  );
  if (value === '' || PLACEHOLDER.test(value)) return false;
  if (/^extraheader$/i.test(name)) return true;
  return (!NO_KEY.test(name) && isSecretSetting(name, value)) || hasToken(value);
};

/** Names a variable, asks for nothing, or is there for somebody to fill in. */
const PLACEHOLDER =
  /^(?:true|false|null|none|\*+|x+|\[.*|\{.*|\$\{?[\w:.-]+\}?|\$\(.*\)|%[\w%().-]*|<.*>|\{\{.*\}\}|(?:your|my)[-_ ].*|env[.:].*)$/i;
/** Names of git, package managers and editors that sound like keys and hold none. */
const NO_KEY =
  /^(?:signing-?key|gpg\.?ssh.*|askpass|sslkey|ssl-?cert.*|[\w.-]*key-?(?:file|path|bindings?)|[\w.-]*file|helper|keybindings?|key|tokenizer|[\w.-]*always-?auth|auth-?type|credential-?(?:helper|store))$/i;

/** What only an address or a command holds. */
const hasToken = (text: string): boolean =>
  isSecretText(withoutVariables(text)) || IN_COMMAND.test(text) || HAS_USER.test(text);
const IN_COMMAND = /\bsshpass\s+-p|\b(?:password|passwd|token)=(?!["']?[$%<{])[^\s"';&]{3,}/i;
/** A user by itself may be a key: `https://0123…@host`. */
const HAS_USER = /[a-z]:\/\/[A-Za-z0-9_-]{20,}@/;
/** `https://user:${TOKEN}@host` holds the name of a key. */
const withoutVariables = (text: string): string =>
  text.replaceAll(/:\/\/[^/\s:@]*:(?:\$\{?\w+\}?|%\w+%|<[^>]*>|\*+|\{\{?\w+\}?\})@/g, '://');

/**
 * Colours for code, by shiki's JavaScript engine: the page's policy allows no evaluation. It is loaded with the first
 * block that names a language, each language with its first use. Lines are coloured in groups, so that a long block
 * never holds the page up and one that grows is not read again from its beginning.
 */
import type { GrammarState, HighlighterCore, LanguageRegistration, ThemeRegistration } from 'shiki';

type LanguageModule = { default: LanguageRegistration[] };
const LANGUAGES: Readonly<Record<string, () => Promise<LanguageModule>>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  zig: () => import('shiki/langs/zig.mjs'),
};
const OTHER_NAMES: Readonly<Record<string, string>> = {
  // The grammar of C++ alone is larger than all of the page.
  'c++': 'c',
  cc: 'c',
  cpp: 'c',
  h: 'c',
  hpp: 'c',
  cs: 'csharp',
  console: 'bash',
  dockerfile: 'docker',
  golang: 'go',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  kt: 'kotlin',
  makefile: 'make',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};
const LINE_CHARACTERS = 1_000;

export type Token = { text: string; className: string };
export type Highlighter = {
  /** Colours lines that follow those of `state`; without it, the first ones. */
  lines(lines: readonly string[], state: GrammarState | undefined): { lines: Token[][]; state: GrammarState };
};

let core: Promise<HighlighterCore> | undefined;
const loadCore = async (): Promise<HighlighterCore> => {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ]);
  const theme: ThemeRegistration = createCssVariablesTheme({ name: 'kinds', variablePrefix: '--tok-' });
  return createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
};

const loaded = new Map<string, Promise<Highlighter | undefined>>();

/** Undefined where the language is not known: the code stays plain. */
export const loadHighlighter = (language: string): Promise<Highlighter | undefined> => {
  const asked = language.toLowerCase();
  const name = OTHER_NAMES[asked] ?? asked;
  const load = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (load === undefined) return Promise.resolve(undefined);
  const known = loaded.get(name) ?? open(name, load).catch(() => undefined);
  loaded.set(name, known);
  return known;
};

const open = async (name: string, load: () => Promise<LanguageModule>): Promise<Highlighter> => {
  core ??= loadCore();
  const [shiki, module] = await Promise.all([core, load()]);
  await shiki.loadLanguage(module.default);
  return {
    lines(lines, state) {
      const code = lines.map((line) => (line.length > LINE_CHARACTERS ? '' : line)).join('\n');
      const found = shiki.codeToTokens(code, { lang: name, theme: 'kinds', ...(state ? { grammarState: state } : {}) });
      const coloured = lines.map((line, index): Token[] => {
        if (line.length > LINE_CHARACTERS) return [{ text: line, className: '' }];
        return (found.tokens[index] ?? []).map(({ content, color }) => ({ text: content, className: classOf(color) }));
      });
      return { lines: coloured, state: found.grammarState as GrammarState };
    },
  };
};

/** `var(--tok-token-keyword)` → `tok-keyword`: a class, because the page's policy allows no styles in the text. */
const classOf = (color: string | undefined): string => {
  const kind = /--tok-token-([\w-]+)/.exec(color ?? '')?.[1];
  return kind === undefined ? '' : `tok-${kind}`;
};

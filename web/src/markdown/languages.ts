/** The languages that code is coloured in, and the names that models give them. */
import type { LanguageRegistration } from 'shiki';

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

/** The name of the grammar; undefined where the language is not known: the code stays plain. */
export const languageOf = (name: string): string | undefined => {
  const asked = name.toLowerCase();
  const language = Object.hasOwn(OTHER_NAMES, asked) ? OTHER_NAMES[asked] : asked;
  return language !== undefined && Object.hasOwn(LANGUAGES, language) ? language : undefined;
};

export const languageModule = async (language: string): Promise<LanguageModule | undefined> => LANGUAGES[language]?.();

/** The words of a command that may name a file, and of what a file runs, those that may name another one. */
import path from 'node:path';
import { AGENT_LIMITS } from '../../limits.ts';

/** A word as it is, what follows an option in it, and the words of a line for a shell. */
export const wordsIn = (text: string): string[] => {
  const words = new Set<string>([text]);
  for (const part of text.split(/[\s'"`;|&<>(),]+/)) {
    for (const word of [part, part.replace(/^[^=]*=/, ''), part.replace(/^-[A-Za-z]/, ''), ...part.split(':')])
      words.add(word);
  }
  words.delete('');
  return [...words].filter((word) => !/^-[^/\\.]*$/.test(word));
};

const QUOTED = /'([^'\n]{1,300})'|"([^"\n]{1,300})"|`([^`\n$]{1,300})`/g;
const PYTHON_IMPORT = /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+([\w, \t*()]+)|import[ \t]+([\w., \t]+))/gm;
const RUST_MODULE = /^\s*(?:pub\s+)?mod\s+(\w+)\s*;/gm;
const SHELL = /^#!.*\b(?:ba|da|z|k|a)?sh\b/;

const IMPORTED = /(?:\bfrom|\bimport|\brequire|\bresolve)\s*\(?\s*['"`]([^'"`\n$]{1,300})['"`]/g;

/** What a source file names: texts in quotes, modules, and in a script of the shell every word. */
export const namesIn = (file: string, text: string): string[] => {
  const names = new Set<string>(importsIn(text));
  for (const name of quotedIn(text)) names.add(name);
  const ending = path.extname(file);
  if (ending === '.py') for (const name of pythonModules(text)) names.add(name);
  if (ending === '.rs')
    for (const [, name = ''] of text.matchAll(RUST_MODULE)) names.add(`${name}.rs`).add(`${name}/mod.rs`);
  if (
    /^\.(?:sh|bash|zsh|fish|mk)$/.test(ending) ||
    SHELL.test(text) ||
    /^(?:GNU)?[Mm]akefile$|^[Jj]ustfile$/.test(path.basename(file))
  )
    for (const word of wordsIn(text.replaceAll('$(dirname "$0")', '.').replaceAll(/\$\{?\w+\}?\//g, '')))
      names.add(word);
  names.delete('');
  return [...names].slice(0, AGENT_LIMITS.mcpStartedNames);
};

export const quotedIn = (text: string): string[] =>
  [...text.matchAll(QUOTED)]
    .slice(0, AGENT_LIMITS.mcpStartedNames)
    .map(([, single, double, back]) => single ?? double ?? back ?? '');

/** What JavaScript imports. */
export const importsIn = (text: string): string[] => [...text.matchAll(IMPORTED)].map(([, name = '']) => name);

/** `from .a import b` → `a`, `a/b`. */
const pythonModules = (text: string): string[] =>
  [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, what = '', plain]) => {
    if (plain !== undefined) return plain.split(',').map((name) => pythonPath(name.trim().split(/\s/)[0] ?? ''));
    const base = pythonPath(from ?? '');
    return [base, ...what.split(/[\s,()]+/).map((name) => `${base}/${name}`)];
  });

export const pythonPath = (module: string): string => {
  const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(module) ?? [];
  return `${dots.length > 1 ? '../'.repeat(dots.length - 1) : './'}${rest.replaceAll('.', '/')}`;
};

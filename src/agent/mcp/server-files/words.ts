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

const QUOTED = /'([^'\n]{1,300})'|"([^"\n]{1,300})"|`([^`\n]{1,300})`/g;
/** What stands for the folder of the file itself, or for one that a variable names: `${here}/x`, `$(dirname "$0")/x`. */
const FOLDER_BEFORE = /^(?:\$\{[^}]{0,80}\}|\$\([^)]{0,80}\)+|\$\w+|%\w+%|#\{[^}]{0,80}\})+[\\/]/;
const PYTHON_IMPORT =
  /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^()]{0,2000})\)|([\w, \t*]+))|import[ \t]+([\w., \t]+))/gm;
const PERL_USE = /^[ \t]*(?:use|require)[ \t]+([A-Za-z]\w*(?:::\w+)*)/gm;
const RUST_MODULE = /^\s*(?:pub\s+)?mod\s+(\w+)\s*;/gm;
const SHELL = /^#!.*\b(?:ba|da|z|k|a)?sh\b/;
/** Files of which every word may name another one. */
const TASKS =
  /^(?:(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|[Tt]askfile\.ya?ml|Rakefile|(?:Docker|Container)file|(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml|Procfile)$/;
/** Of these, the line that takes in another file, whatever that is called. */
const TAKES_IN = /^[ \t]*(?:-?include|sinclude|source|\.|import|mod\??)[ \t]+(?:\w+[ \t]+)?['"]?([^\s'";&|#]{1,300})/gm;

const IMPORTED =
  /(?:\bfrom|\bimport|\brequire|\brequire_relative|\bload|\bresolve)\s*\(?\s*['"`]([^'"`\n$]{1,300})['"`]/g;

/** What a source file names: places, as texts in quotes and words; modules, which may lie in several folders. */
export type Names = {
  places: string[];
  modules: string[];
  /** Loaded whatever their ending is. */
  takenIn: string[];
};

export const namesIn = (file: string, text: string): Names => {
  const ending = path.extname(file);
  const quoted = quotedIn(text);
  const places = new Set<string>([...importsIn(text), ...quoted]);
  const modules = new Set<string>(importsIn(text).filter((name) => /^[\w./-]+$/.test(name)));
  if (/^\.(?:py|toml|lua)$/.test(ending))
    for (const name of quoted) for (const module of dottedIn(name)) modules.add(module);
  if (ending === '.py') for (const name of pythonModules(text)) modules.add(name);
  if (/^\.(?:pl|pm|t)$/.test(ending))
    for (const [, name = ''] of text.matchAll(PERL_USE)) modules.add(`${name.replaceAll('::', '/')}.pm`);
  if (ending === '.rs')
    for (const [, name = ''] of text.matchAll(RUST_MODULE)) places.add(`${name}.rs`).add(`${name}/mod.rs`);
  const isTasks = TASKS.test(path.basename(file));
  const isScript = isTasks || /^\.(?:sh|bash|zsh|fish|mk|just|ps1|psm1)$/.test(ending) || SHELL.test(text);
  const plain = text.replaceAll('$(dirname "$0")', '.').replaceAll(/\$\{[^}\s]{0,80}\}[\\/]|\$\w+[\\/]/g, '');
  if (isScript) for (const word of wordsIn(plain)) places.add(word);
  if (/^\.(?:jsonc?|ya?ml|toml)$/.test(ending))
    for (const each of quoted) for (const word of wordsIn(each)) places.add(word);
  const takenIn = isScript ? [...plain.matchAll(TAKES_IN)].map(([, name = '']) => name) : [];
  return {
    places: bounded(places),
    modules: bounded(modules),
    takenIn: takenIn.slice(0, AGENT_LIMITS.mcpStartedNames),
  };
};
const bounded = (names: Set<string>): string[] =>
  [...names].filter((name) => name !== '').slice(0, AGENT_LIMITS.mcpStartedNames);

/** Without the folder that a variable before it names, which is most often the file's own. */
export const quotedIn = (text: string): string[] =>
  [...text.matchAll(QUOTED)]
    .slice(0, AGENT_LIMITS.mcpStartedNames)
    .map(([, single, double, back]) => (single ?? double ?? back ?? '').replace(FOLDER_BEFORE, './'));

/** `plugins.tool`, `app.main:run` → `plugins/tool`, `app/main` */
const dottedIn = (text: string): string[] => {
  const [, name] = /^([A-Za-z_]\w*(?:\.\w+)*)(?::\w+)?$/.exec(text) ?? [];
  return name === undefined || (name === text && !name.includes('.')) ? [] : [name.replaceAll('.', '/')];
};

/** What JavaScript, Ruby and Lua import. */
export const importsIn = (text: string): string[] => [...text.matchAll(IMPORTED)].map(([, name = '']) => name);

/** `from .a import b` → `a`, `a/b`. */
const pythonModules = (text: string): string[] =>
  [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, inBrackets, what, plain]) => {
    if (plain !== undefined) return plain.split(',').map((name) => pythonPath(name.trim().split(/\s/)[0] ?? ''));
    const base = pythonPath(from ?? '');
    return [base, ...(inBrackets ?? what ?? '').split(/[\s,()]+/).map((name) => `${base}/${name}`)];
  });

export const pythonPath = (module: string): string => {
  const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(module) ?? [];
  return `${dots.length > 1 ? '../'.repeat(dots.length - 1) : './'}${rest.replaceAll('.', '/')}`;
};

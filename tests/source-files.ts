/**
 * Reads the sources as text for the tests that hold the architecture: which files there are, what they import
 * (types too), and their code without comments, strings and templates.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export type SourceFile = {
  /** Relative to the repository, with `/`. */
  path: string;
  lines: number;
  /** The text with comments and the contents of strings and templates blanked. */
  code: string;
  /** Import specifiers as written: static, dynamic, re-exports and types. */
  imports: string[];
};

/** Characters after which a `/` begins a regular expression and not a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof|\bcase|\bin|\bof|=>)\s*$/;

type Scan = { code: string; strings: { value: string; before: string }[] };

/** One pass over the text; good enough for the formatted sources of this repository, and for nothing else. */
export const scan = (text: string): Scan => {
  let code = '';
  const strings: Scan['strings'] = [];
  const templates: number[] = [];
  let depth = 0;
  let index = 0;
  const skipTemplate = (): void => {
    while (index < text.length) {
      if (text[index] === '\\') index += 2;
      else if (text[index] === '`') {
        index += 1;
        return;
      } else if (text.startsWith('${', index)) {
        templates.push(depth);
        index += 2;
        return;
      } else index += 1;
    }
  };
  while (index < text.length) {
    const character = text[index] as string;
    if (text.startsWith('//', index) || (index === 0 && text.startsWith('#!'))) {
      const end = text.indexOf('\n', index);
      index = end < 0 ? text.length : end;
    } else if (text.startsWith('/*', index)) {
      const end = text.indexOf('*/', index + 2);
      index = end < 0 ? text.length : end + 2;
    } else if (character === "'" || character === '"') {
      let end = index + 1;
      while (end < text.length && text[end] !== character && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      strings.push({ value: text.slice(index + 1, end), before: code.slice(-40) });
      code += "''";
      index = end + 1;
    } else if (character === '`') {
      code += '``';
      index += 1;
      skipTemplate();
    } else if (character === '/' && BEFORE_REGEX.test(code.slice(-40))) {
      let end = index + 1;
      let inClass = false;
      while (end < text.length && (inClass || text[end] !== '/') && text[end] !== '\n') {
        if (text[end] === '\\') end += 1;
        else if (text[end] === '[') inClass = true;
        else if (text[end] === ']') inClass = false;
        end += 1;
      }
      code += '/regex/';
      index = end + 1;
    } else {
      if (character === '{') depth += 1;
      if (character === '}') {
        if (templates.at(-1) === depth) {
          templates.pop();
          index += 1;
          skipTemplate();
          continue;
        }
        depth -= 1;
      }
      code += character;
      index += 1;
    }
  }
  return { code, strings };
};

const IS_IMPORT = /(?:\bfrom|\bimport|\bimport\s*\()\s*$/;

export const readSource = (path: string): SourceFile => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { code, strings } = scan(text);
  const imports = strings.filter(({ before }) => IS_IMPORT.test(before)).map(({ value }) => value);
  return { path, lines: text.split('\n').length - 1, code, imports };
};

/** All files of these endings below a folder of the repository, sorted; none where the folder is not there. */
export const listFiles = (folder: string, endings: readonly string[] = ['.ts', '.tsx']): string[] => {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((path) => !path.includes('node_modules/'))
      .sort();
  } catch {
    return [];
  }
};

export const isTest = (path: string): boolean => /\.test(-d)?\.ts$/.test(path) || path.startsWith('tests/');

/** The repository path that a relative import names; undefined for packages. */
export const resolveImport = (from: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined;

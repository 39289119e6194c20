/** Import statements as text → what is imported from where, and the file of the workspace that a module's name means. */
import type { LanguageName } from './languages.ts';

export type ImportStatement = {
  /** As it is written: `./limits.ts`, `os.path`, `github.com/a/b`. */
  module: string;
  /** What it brings in, under which name; empty: the module itself. */
  names: { name: string; as: string }[];
  line: number;
};

const NAME = /[\w$]+/;
/** `a as b`. */
const partsOf = (text: string): string[] => text.replaceAll(/\s+/g, ' ').split(' as ');

const namesIn = (list: string): { name: string; as: string }[] =>
  list.split(',').flatMap((part) => {
    const words = partsOf(part.trim().replace(/^type\s+/, ''));
    const name = NAME.exec(words[0] ?? '')?.[0];
    return name === undefined ? [] : [{ name, as: NAME.exec(words[1] ?? '')?.[0] ?? name }];
  });

const scriptImport = (text: string): Omit<ImportStatement, 'line'>[] => {
  const module = /['"]([^'"]+)['"]/.exec(text)?.[1];
  if (module === undefined) return [];
  const head = text.slice(0, text.search(/['"]/));
  const braces = /\{([^{}]*)\}/.exec(head)?.[1] ?? '';
  const plain = head.replace(/\{[^{}]*\}/, '');
  const star = /\*\s+as\s+([\w$]+)/.exec(plain)?.[1];
  const first = /^import\s+(?:type\s+)?([\w$]+)\s*(?:,|from)/.exec(plain)?.[1];
  return [
    {
      module,
      names: [
        ...namesIn(braces),
        ...(star === undefined ? [] : [{ name: '*', as: star }]),
        ...(first === undefined || first === 'type' ? [] : [{ name: 'default', as: first }]),
      ],
    },
  ];
};

const pythonImport = (text: string): Omit<ImportStatement, 'line'>[] => {
  const from = /^from\s+(\S+)\s+import\s+([\s\S]*)$/.exec(text);
  if (from) return [{ module: from[1] as string, names: namesIn((from[2] as string).replace(/[()]/g, '')) }];
  return text
    .replace(/^import\s+/, '')
    .split(',')
    .flatMap((part) => {
      const [module, as] = partsOf(part.trim());
      return module ? [{ module, names: as ? [{ name: '*', as }] : [] }] : [];
    });
};

/** No program has a longer path (in characters) or more braces inside each other; what goes beyond is not read. */
const USE_PATH_MAX = 1_000;
const USE_DEPTH_MAX = 32;

/** `a::{b, c::d}` → `a::b` and `a::c::d`. */
const rustPaths = (text: string): string[] => {
  const paths: string[] = [];
  const prefixes = [''];
  // After `}` and before the next comma, nothing names a path.
  let isClosed = false;
  for (const [, piece = '', mark = ''] of text.matchAll(/([^{},]*)([{},]|$)/g)) {
    const prefix = prefixes.at(-1) ?? '';
    const rest = isClosed ? '' : piece.trim();
    if (prefix.length + rest.length > USE_PATH_MAX) return paths;
    if (mark === '{') {
      if (prefixes.length > USE_DEPTH_MAX) return paths;
      prefixes.push(prefix + rest);
    } else if (rest !== '') paths.push(prefix + rest);
    if (mark === '}' && prefixes.length > 1) prefixes.pop();
    isClosed = mark === '}';
  }
  return paths;
};

const rustImport = (text: string): Omit<ImportStatement, 'line'>[] =>
  rustPaths(text.replace(/^(?:pub(?:\([^)]*\))?\s+)?use\s+/, '').replace(/;$/, '')).map((path) => {
    const [full = '', as] = partsOf(path);
    const parts = full.split('::');
    const last = parts.pop() ?? '';
    const names = last === '*' || last === '' ? [] : [{ name: last, as: as || last }];
    return { module: parts.join('::') || last, names };
  });

const javaImport = (text: string): Omit<ImportStatement, 'line'>[] => {
  const path = /import\s+(?:static\s+)?([\w.]+)/.exec(text)?.[1];
  if (path === undefined) return [];
  const last = path.slice(path.lastIndexOf('.') + 1);
  return [{ module: path, names: [{ name: last, as: last }] }];
};

const quoted = (text: string): Omit<ImportStatement, 'line'>[] => {
  const module = /["<`]([^"<>`]+)[">`]/.exec(text)?.[1];
  return module === undefined ? [] : [{ module, names: [] }];
};

export const readImport = (language: LanguageName, text: string, line: number): ImportStatement[] => {
  const found =
    language === 'python'
      ? pythonImport(text)
      : language === 'rust'
        ? rustImport(text)
        : language === 'java'
          ? javaImport(text)
          : language === 'go' || language === 'c' || language === 'cpp'
            ? quoted(text)
            : scriptImport(text);
  return found.map((entry) => ({ ...entry, line }));
};

const STEM = /([^/\\.:]+)(?:\.[A-Za-z]+)?\/?$/;

/**
 * The word by which a module and the file it means are both found: the last part of its name, without the ending. A
 * file that stands for its folder (`index.ts`, `__init__.py`, `mod.rs`, any file of a Go package) has the folder's too.
 */
export const moduleKey = (language: LanguageName, module: string): string => {
  if (language === 'python') return module.replace(/^\.+/, '').split('.').at(-1) ?? '';
  if (language === 'java') return module.split('.').at(-1) ?? '';
  if (language === 'rust') return module.split('::').at(-1) ?? '';
  return STEM.exec(module.replace(/\/index(?:\.[cm]?[jt]sx?)?$/, ''))?.[1] ?? module;
};

const FOLDER_FILE = /(?:^|\/)(?:index\.[cm]?[jt]sx?|__init__\.pyi?|mod\.rs|lib\.rs)$/;

export const fileKeys = (path: string): string[] => {
  const parts = path.split('/');
  const stem = (parts.at(-1) ?? '').replace(/(?:\.d)?\.[^.]+$/, '');
  const folder = parts.at(-2);
  return folder !== undefined && (FOLDER_FILE.test(path) || path.endsWith('.go')) ? [stem, folder] : [stem];
};

const withoutEnding = (path: string): string => path.replace(/(?:\.d)?\.[^./]+$/, '');

const joined = (folder: string, relative: string): string => {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
};

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

const endsInPath = (path: string, end: string): boolean => path === end || path.endsWith(`/${end}`);

/** Whether `module`, written in the file `from`, means the file `target`. */
export const importMeans = (language: LanguageName, module: string, from: string, target: string): boolean => {
  const bare = withoutEnding(target);
  const ofFolder = FOLDER_FILE.test(target) ? folderOf(target) : undefined;
  switch (language) {
    case 'typescript':
    case 'tsx':
    case 'javascript': {
      if (!module.startsWith('.')) return false;
      const meant = joined(folderOf(from), module);
      return meant === target || withoutEnding(meant) === bare || meant === bare || meant === ofFolder;
    }
    case 'python': {
      const dots = /^\.+/.exec(module)?.[0].length ?? 0;
      const path = module.slice(dots).replaceAll('.', '/');
      if (dots === 0) return endsInPath(bare, path) || (ofFolder !== undefined && endsInPath(ofFolder, path));
      const base = joined(folderOf(from), '../'.repeat(dots - 1));
      const meant = joined(base, path);
      return meant === bare || meant === ofFolder || (path === '' && folderOf(target) === base);
    }
    case 'go': {
      const folder = folderOf(target);
      return folder !== '' && endsInPath(module, folder.split('/').slice(-2).join('/'));
    }
    case 'rust': {
      const path = module
        .split('::')
        .filter((part) => !['crate', 'self', 'super'].includes(part))
        .join('/');
      return path !== '' && (endsInPath(bare, path) || (ofFolder !== undefined && endsInPath(ofFolder, path)));
    }
    case 'java':
      return endsInPath(bare, module.replaceAll('.', '/'));
    default: {
      const near = joined(folderOf(from), module);
      return near === target || endsInPath(target, module);
    }
  }
};

/** Kinds of files by the words that people use for them, and the places that a request names. */
import { findNamedFolders, findPaths, type Span } from '../request-facts/values.ts';
import { quoted } from './plan.ts';

const KINDS: readonly (readonly [words: string, endings: string])[] = [
  ['python|py', 'py'],
  ['typescript|ts', 'ts tsx'],
  ['javascript|js', 'js mjs cjs jsx'],
  ['markdown|md', 'md markdown'],
  ['json', 'json'],
  ['ya?ml', 'yaml yml'],
  ['text|txt', 'txt'],
  ['css|stylesheets?|style sheets?', 'css scss'],
  ['html?', 'html htm'],
  ['go|golang', 'go'],
  ['rust', 'rs'],
  ['java', 'java'],
  ['ruby', 'rb'],
  ['php', 'php'],
  ['c\\+\\+|cpp', 'cpp cc hpp'],
  ['c#|csharp', 'cs'],
  ['c', 'c h'],
  ['shell|bash|sh', 'sh bash'],
  ['csv', 'csv'],
  ['sql', 'sql'],
  ['toml', 'toml'],
  ['xml', 'xml'],
  ['svg', 'svg'],
  ['pdf', 'pdf'],
  ['log', 'log'],
  ['images?|pictures?|photos?', 'png jpg jpeg gif svg webp'],
];

const NAMED_KINDS: readonly (readonly [RegExp, (ending: string[]) => string[]])[] = KINDS.map(([words, endings]) => [
  new RegExp(`(?<![\\w.])(?:${words})(?![\\w+#]|\\.\\w)`, 'i'),
  () => endings.split(' ').map((ending) => `*.${ending}`),
]);

/** Patterns of file names that the request asks for: `*.py`; none where it speaks of files of any kind. */
export const kindsIn = (request: string): string[] => {
  const ending = /(?<![\w/])\*?\.([a-z][a-z0-9]{0,5})(?=\s|$|[?!,"'`])/i.exec(request)?.[1];
  if (ending !== undefined) return [`*.${ending}`];
  if (/\btests?(?: |-)?files?\b|\bfiles? with tests\b/i.test(request)) return ['*test*', '*spec*'];
  return NAMED_KINDS.find(([pattern]) => pattern.test(request))?.[1]([]) ?? [];
};

/** A word for a kind that is no word of English grammar or code besides ("go", "c") needs "file" beside it. */
export const speaksOfFiles = (request: string): boolean =>
  /\b(files?|documents?|images?|pictures?|photos?|stylesheets?|scripts?|modules?|sources?)\b|(?<!\w)\*?\.[a-z]{1,5}\b/i.test(
    request,
  );

const THIS_FOLDER = /\b(?:this|the|my|current|whole|entire|working|project|root|here)\b/i;

/** The folder that is named, without a slash at its end; `.` where none is. */
export const folderIn = (request: string): string => {
  const path = findPaths(request).find((span) => span.text.endsWith('/') || !/\.\w+$/.test(span.text));
  const inside =
    /\b(?:in|inside|under|within|of|from)\s+(?:the\s+)?["'`]?([\w.-]+)["'`]?\s*(?:folder|directory|dir)?[?.!]?$/i.exec(
      request.trim(),
    )?.[1];
  const named = path?.text ?? findNamedFolders(request)[0]?.text ?? inside;
  if (named === undefined || named === '.' || THIS_FOLDER.test(named) || NO_FOLDER.test(named)) return '.';
  return named.replace(/\/+$/, '');
};
const NO_FOLDER =
  /^(?:total|all|it|them|files?|projects?|folders?|repo(?:sitory)?|code|codebase|workspace|director(?:y|ies)|git|lines?|each|source|.*\.\w{1,6})$/i;

/** `*.md` and "all .md files" are a kind and no file. */
const isEnding = (request: string, { text, start, end }: Span): boolean =>
  text.startsWith('.') && (request[start - 1] === '*' || /^\s+(?:files?|documents?|ones)\b/i.test(request.slice(end)));

/** The one file that is named. */
export const fileIn = (request: string): string | undefined =>
  findPaths(request).find((span) => !span.text.endsWith('/') && !isEnding(request, span))?.text ?? bareFile(request);

const bareFile = (request: string): string | undefined => {
  const name = /\b(Makefile|Dockerfile|README|LICENSE|CHANGELOG|Gemfile|Rakefile|Procfile)\b/.exec(request)?.[1];
  return name === 'README' || name === 'CHANGELOG' ? `${name}.md` : name;
};

/** A search for files, without hidden ones and what package managers put there. */
export const findCommand = (folder: string, kinds: readonly string[], type: 'f' | 'd' = 'f'): string => {
  const start = folder === '.' ? '.' : quoted(folder.startsWith('/') ? folder : `./${folder.replace(/^\.\//, '')}`);
  const names = kinds.map((kind) => `-iname ${quoted(kind)}`).join(' -o ');
  const named = kinds.length > 1 ? ` \\( ${names} \\)` : names && ` ${names}`;
  return `find ${start}${type === 'd' ? ' -mindepth 1' : ''} -type ${type}${named} -not -path '*/.*' -not -path '*/node_modules/*' -not -path '*/__pycache__*'`;
};

/** `@path` and `@"path with spaces"` in what a person writes: one grammar for its reader and for all that complete it. */

const MENTION = /(?:^|(?<=\s))@(?:"((?:\\["\\]|[^"\n])+?)"|([^\s@"]+))/g;
const ENDING = /[.,;:!?)\]}'’”»…。，、！？]+$/u;
const PLAIN = /^[^\s@"]+$/;

/** A sentence may end right behind a name that stands without quotes. */
export const withoutEnding = (path: string): string => path.replace(ENDING, '');

/** What stands between quotes. */
export const withoutEscapes = (quoted: string): string => quoted.replaceAll(/\\(["\\])/g, '$1');

/** The paths that a text names with `@`, each once, in their order. In quotes `\"` is a quote and `\\` a backslash. */
export const mentionsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(MENTION)].map(([, quoted, plain]) =>
      quoted === undefined ? (plain as string) : withoutEscapes(quoted),
    ),
  ),
];

/** What is written to name a path, so that it is read back as that path. */
export const mention = (path: string): string =>
  PLAIN.test(path) && withoutEnding(path) === path
    ? `@${path}`
    : `@"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

/**
 * The names that a path may mean, the likeliest first: a sentence may end right behind it, a letter with its mark may be
 * kept as one character or as two, and `\n` in it is a line feed where no file has that backslash.
 */
export const readingsOf = (path: string): string[] => {
  const written = [path, withoutEnding(path)];
  const forms = [...written, ...written.map((each) => each.replaceAll('\\n', '\n'))];
  const all = [...forms, ...forms.map((each) => each.normalize('NFC')), ...forms.map((each) => each.normalize('NFD'))];
  return [...new Set(all)].filter((each) => each !== '');
};

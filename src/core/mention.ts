/** `@path` and `@"path with spaces"` in what a person writes: one grammar for its reader and for all that complete it. */

const MENTION = /(?:^|(?<=\s))@(?:"((?:\\["\\]|[^"\n])+?)"|([^\s@"]+))/g;
const ENDING = /[.,;:!?)\]}'’”»…。，、！？]+$/u;
const PLAIN = /^[^\s@"]+$/;

/** A sentence may end right behind a name that stands without quotes. */
export const withoutEnding = (path: string): string => path.replace(ENDING, '');

/** The paths that a text names with `@`, each once, in their order. In quotes `\"` is a quote and `\\` a backslash. */
export const mentionsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(MENTION)].map(([, quoted, plain]) => quoted?.replaceAll(/\\(["\\])/g, '$1') ?? (plain as string)),
  ),
];

/** What is written to name a path, so that it is read back as that path. */
export const mention = (path: string): string =>
  PLAIN.test(path) && withoutEnding(path) === path ? `@${path}` : `@"${path.replaceAll(/["\\]/g, '\\$&')}"`;

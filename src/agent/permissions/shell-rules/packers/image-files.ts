/** What an image takes of the folder that it is built from: the files that its `Dockerfile` copies. */
import path from 'node:path';
import { readSmall } from '../repositories.ts';

export const COMPOSE_FILES: readonly string[] = ['compose', 'docker-compose'].flatMap((name) =>
  ['.yaml', '.yml', '.override.yaml', '.override.yml'].map((ending) => `${name}${ending}`),
);
export const isImageFile = (name: string): boolean =>
  /^(?:Docker|Container)file$/.test(name) || COMPOSE_FILES.includes(name);

/** The paths that are copied, as patterns from the folder on; undefined where it may be everything. */
export const copiedInto = (folder: string, names: readonly string[]): string[] | undefined => {
  const copied: string[] = [];
  let isThere = false;
  for (const name of names) {
    const text = readSmall(path.join(folder, name));
    if (text === undefined) continue;
    if (COMPOSE_FILES.includes(name)) {
      if (text === false || !buildsHere(text)) return undefined;
      continue;
    }
    const found = text === false ? undefined : copiedBy(text);
    if (found === undefined) return undefined;
    isThere = true;
    copied.push(...found);
  }
  return isThere ? copied : undefined;
};

/** Every image is built from this folder, by the file of the usual name. */
const buildsHere = (text: string): boolean =>
  !/dockerfile|context|include|extends|[{&*]|<</i.test(text.replace(/^[ \t]*context:[ \t]*\.\/?[ \t\r]*$/gm, '')) &&
  [...text.matchAll(/^[ \t]*build[ \t]*:[ \t]*(.*)$/gm)].every(([, value = '']) =>
    /^(?:|["']?\.\/?["']?)\s*$/.test(value),
  );

const copiedBy = (text: string): string[] | undefined => {
  const copied: string[] = [];
  // Another language of such files, or another sign for a line that goes on.
  if (/^[ \t]*#[ \t]*(?:syntax|escape)[ \t]*=(?![ \t]*docker\/dockerfile:)/im.test(text)) return undefined;
  // Empty lines and comments end no line that goes on.
  const written = text.replace(/^[ \t]*(?:#.*)?\r?\n/gm, '');
  for (const line of written.replace(/\\[ \t]*\r?\n/g, ' ').split(/\r?\n/)) {
    const [, instruction = '', rest = ''] = /^\s*(?:onbuild\s+)?([a-z]+)\s+(.*)$/i.exec(line) ?? [];
    if (/^run$/i.test(instruction) && /--mount=/.test(rest)) {
      if (bindsContext(rest)) return undefined;
      continue;
    }
    if (!/^(?:copy|add)$/i.test(instruction)) continue;
    const sources = sourcesOf(rest);
    if (sources === undefined) return undefined;
    copied.push(...sources);
  }
  return copied;
};

/** A mount is one of the folder unless it says another kind or another image. */
const bindsContext = (rest: string): boolean =>
  [...rest.matchAll(/--mount=(\S*)/g)].some(
    ([, mount = '']) => !/(?:^|,)type=(?!bind)/.test(mount) && !/(?:^|,)from=/.test(mount),
  );

const sourcesOf = (rest: string): string[] | undefined => {
  const words = rest.trim().split(/\s+/);
  const options = words.filter((word) => word.startsWith('--'));
  if (options.some((word) => word.startsWith('--from='))) return [];
  const plain = jsonWords(rest) ?? words.filter((word) => !word.startsWith('--'));
  const sources = plain.slice(0, -1).map((word) => path.posix.normalize(word.replaceAll(/^["']|["']$/g, '')));
  const isUnread = (word: string): boolean => /[$\\"'!#[]|^\.{0,2}\/?$|^\.\.|<</.test(word);
  if (sources.length === 0 || sources.some(isUnread)) return undefined;
  return sources.map((word) => `/${word.replace(/^\/+|\/+$/g, '')}`);
};

const jsonWords = (rest: string): string[] | undefined => {
  const list = rest.slice(Math.max(0, rest.indexOf('['))).trim();
  if (!list.startsWith('[') || !list.endsWith(']')) return undefined;
  try {
    const given: unknown = JSON.parse(list);
    return Array.isArray(given) ? given.filter((each) => typeof each === 'string') : undefined;
  } catch {
    return undefined;
  }
};

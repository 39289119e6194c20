/** A command of one's own: a Markdown file whose text is the prompt, with places for what follows the name. */
export type CustomCommand = {
  name: string;
  description: string;
  /** The prompt, with `$ARGUMENTS`, `$1` … `$9`. */
  template: string;
  /** Whose it is: the person's own, the folder's, a plugin's, or one that comes with halter. */
  from: 'yours' | 'folder' | 'plugin' | 'halter';
};

const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n?/;
const DESCRIPTION_CHARACTERS = 80;

/** The file's text → the command. Its description is named in its head, or is its first line. */
export const readCustomCommand = (name: string, text: string, from: CustomCommand['from']): CustomCommand => {
  const plain = text.replaceAll('\r\n', '\n').replace(/^\uFEFF/, '');
  const head = FRONT_MATTER.exec(plain);
  const template = plain.slice(head?.[0].length ?? 0).trim();
  const named = /^description:[ \t]*(.+)$/m
    .exec(head?.[1] ?? '')?.[1]
    ?.trim()
    .replace(/^(["'])(.*)\1$/, '$2');
  const first = template.split('\n', 1)[0] ?? '';
  return { name, template, from, description: (named || first.replace(/^#+\s*/, '')).slice(0, DESCRIPTION_CHARACTERS) };
};

/** `/name words …` → the prompt. What the template has no place for is added at its end. */
export const fillCustomCommand = ({ template }: CustomCommand, argumentText: string): string => {
  const words = splitWords(argumentText);
  let placed = false;
  const filled = template.replaceAll(/\$(ARGUMENTS\b|[1-9])/g, (_all, place: string) => {
    placed = true;
    return place === 'ARGUMENTS' ? argumentText : (words[Number(place) - 1] ?? '');
  });
  return placed || argumentText === '' ? filled : `${filled}\n\n${argumentText}`;
};

/** Words as people write them for a shell: quotes keep blanks together. */
const splitWords = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');

/** A name is what can be typed after a slash. */
export const isCommandName = (name: string): boolean => /^[a-z][a-z0-9-]{0,40}$/.test(name);

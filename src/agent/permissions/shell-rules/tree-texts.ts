/** Texts in a part of the grammar's tree of a line. */
import type { Node } from 'web-tree-sitter';
import type { Fed } from './printed-text.ts';
import { type ShellCommand, type ShellWord, staticWord } from './words.ts';

export const partsOf = (node: Node): Node[] => node.namedChildren.filter((child): child is Node => child !== null);

/** Nothing but one substitution stands in the word. */
export const isWhole = (part: Node): boolean => {
  if (/_substitution$/.test(part.type)) return true;
  const [only, ...others] = partsOf(part);
  return part.type === 'string' && only !== undefined && others.length === 0 && /^"\$\(.*\)"$/s.test(part.text);
};

export const isBareVariable = ({ text, dynamic }: ShellWord): boolean =>
  dynamic && /^\s*(?:\$(?:\w+|\{[^}]*\}|[@*])\s*)+$/.test(text);

export const hereDocument = (redirect: Node): Fed => {
  const body = partsOf(redirect).find(({ type }) => type === 'heredoc_body');
  const start = partsOf(redirect).find(({ type }) => type === 'heredoc_start');
  if (body === undefined) return { text: '' };
  const text = redirect.text.startsWith('<<-') ? body.text.replaceAll(/^\t+/gm, '') : body.text;
  if (/['"\\]/.test(start?.text ?? '')) return { text };
  // What the shell puts in is known to it alone.
  if (/\$\(|(?<!\\)`/.test(text)) return 'unknown';
  return { text: text.replaceAll(/\\([$`\\])/g, '$1') };
};

/** `LESSOPEN=$X`; not `CC=$CC -O2`, and not a value that begins with a program. */
export const isOfOthers = (name: string, source: string): boolean => {
  const begins = source.replace(/^["']/, '');
  const own = new RegExp(`^\\$\\{?${name}\\b`);
  return /^[$`]/.test(begins) && !own.test(begins) && !/^(?:\$\(|`)\s*(?:which|command\s+-v)\s/.test(begins);
};
export const joined = (parts: readonly Fed[]): Fed => {
  const fed = parts.filter((part) => part !== undefined);
  if (fed.length === 0) return undefined;
  const texts = fed.map((part) => (part === 'unknown' ? undefined : part.text));
  return texts.includes(undefined) ? 'unknown' : { text: texts.join('') };
};

export const asWord = (program: string, option: string, fed: Exclude<Fed, undefined>, start: number): ShellCommand => {
  const code: ShellWord = fed === 'unknown' ? { ...staticWord(''), dynamic: true } : staticWord(fed.text);
  return { words: [staticWord(program), staticWord(option), code], assignments: [], redirections: [], start };
};

/** What a command of a line prints, where its words say so: `echo`, `printf`, and what passes on what comes in. */
import type { ShellWord } from './words.ts';
import { baseName, isWrapper } from './wrappers.ts';

/** What comes in: its text, or nothing that is known of it. Undefined where nothing does. */
export type Fed = { text: string } | 'unknown' | undefined;
export type Printed = {
  fed: Fed;
  /** Files that it writes the same to. */
  files: string[];
};

const SILENT =
  /^(?:cd|pushd|popd|set|export|unset|true|false|:|test|\[|mkdir|touch|rm|sleep|wait|exit|return|trap|shopt|ulimit|umask|cp|mv|ln|chmod)$/;

export const printedText = (words: readonly ShellWord[], input: Fed, within: ReadonlyMap<ShellWord, Fed>): Printed => {
  const program = baseName(words[0]?.text ?? '');
  const others = words.slice(1);
  const plain = others.filter(({ text }) => !/^-./.test(text));
  if (SILENT.test(program)) return { fed: undefined, files: [] };
  const tee = isWrapper(program) ? others.findIndex(({ text }) => text === 'tee') : -1;
  if (tee >= 0) return printedText(others.slice(tee), input, within);
  if (program === 'tee') return { fed: input, files: plain.map(({ text }) => text) };
  if (program === 'cat') return { fed: plain.every(({ text }) => text === '-') ? input : 'unknown', files: [] };
  if (program !== 'echo' && program !== 'printf') return { fed: 'unknown', files: [] };
  if (others.some((word) => within.has(word))) return { fed: 'unknown', files: [] };
  const texts = others.map(({ text }) => text);
  return { fed: program === 'echo' ? echoed(texts) : formatted(texts), files: [] };
};

const echoed = (words: readonly string[]): Fed => {
  const first = words.findIndex((word) => !/^-[neE]+$/.test(word));
  const text = first < 0 ? '' : words.slice(first).join(' ');
  const isRead = words.slice(0, Math.max(first, 0)).some((word) => word.includes('e'));
  // Some shells read these without `-e` too.
  return (isRead ? /\\/ : /\\[0-9xc]/).test(text) ? 'unknown' : { text: `${text}\n` };
};

/** Only `%s` and the end of a line are put in; what else a format may say is not worked out. */
const formatted = (words: readonly string[]): Fed => {
  const [format = '', ...values] = words[0] === '--' ? words.slice(1) : words;
  if (/^-v/.test(format)) return undefined;
  if (/%(?![s%])|\\(?![nt\\])/.test(format)) return 'unknown';
  const places = format.match(/%s/g)?.length ?? 0;
  const rounds = places === 0 ? 1 : Math.max(1, Math.ceil(values.length / places));
  let at = 0;
  const put = (part: string): string => {
    if (part === '%s') return values[at++] ?? '';
    return { '%%': '%', '\\n': '\n', '\\t': '\t', '\\\\': '\\' }[part] ?? part;
  };
  let text = '';
  for (let round = 0; round < rounds; round += 1) text += format.replaceAll(/%[s%]|\\[nt\\]/g, put);
  return { text };
};

/** What `printf` makes of its words, letters by their numbers too; empty for other programs, and where it stands elsewhere. */
export const formattedText = ([program, ...others]: readonly ShellWord[]): string => {
  if (baseName(program?.text ?? '') !== 'printf') return '';
  const fed = formatted(others.map(({ text }) => lettersOf(text.replaceAll(/\\0(?![0-7])/g, '\\n'))));
  return typeof fed === 'object' ? fed.text : '';
};
const lettersOf = (text: string): string =>
  text
    .replaceAll(/\\x([0-9a-fA-F]{1,2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\0?([0-7]{1,3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8) & 0xff));

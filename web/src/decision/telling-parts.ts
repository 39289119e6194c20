/** Of a command that is not shown whole: what in the part between would be missed most. Pure. */

/** Programs that remove, overwrite, end, reach other machines, or run what they are given. */
const PROGRAMS =
  'rm|rmdir|unlink|shred|truncate|mv|dd|mkfs\\S*|chmod|chown|ln|tee|kill|pkill|killall|sudo|doas|su|eval|exec|source|curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|crontab|systemctl|git\\s+(?:push|reset|clean)';
const TELLING = new RegExp(
  [
    `(?<![\\w./-])(?:[\\w./-]{0,64}/)?(?:${PROGRAMS})(?![\\w-])`,
    // What is written into a file, and other machines: by address, by account, by number.
    '(?:\\d|&)?>{1,2}\\|?(?!&)',
    '(?<![a-z\\d+.-])[a-z][a-z\\d+.-]{0,20}://',
    '(?<![\\w.-])[\\w.-]{1,64}@[\\w-]{1,64}\\.[\\w.-]{1,64}',
    '(?<![\\d.])\\d{1,3}(?:\\.\\d{1,3}){3}(?![\\d.])',
  ].join('|'),
  'gi',
);
/** Where the next command begins. */
const NEXT = /\n|&&|\|\||[;|]/;

export type TellingParts = { shown: readonly string[]; more: number };

/** What begins or ends between `from` and `to`, each from its first sign to the next command. */
export const tellingParts = (
  text: string,
  from: number,
  to: number,
  most: number,
  characters: number,
): TellingParts => {
  const parts = new Set<string>();
  let end = 0;
  for (const match of text.matchAll(TELLING)) {
    const { index } = match;
    // Within one that is told already, as the address behind `curl`.
    if (index < end || index + match[0].length <= from || index >= to) continue;
    const rest = text.slice(index);
    const stop = match[0].length + rest.slice(match[0].length).search(NEXT);
    const whole = stop < match[0].length ? rest : rest.slice(0, stop);
    end = index + Math.min(whole.length, characters);
    parts.add(shortened(whole.trim(), characters));
  }
  const all = [...parts];
  return { shown: all.slice(0, most), more: Math.max(0, all.length - most) };
};

const shortened = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;

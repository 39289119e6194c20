/**
 * Splits a command line into words, but only one that is plain: a single command with no operator, expansion,
 * redirection, glob, assignment or escape. Rules may allow plain lines only; what is not plain is asked about.
 */
const SPECIAL = new Set('|&;<>()$`\\{}[]*?!~#\n\r\0');

export const plainShellWords = (line: string): string[] | undefined => {
  const words: string[] = [];
  let word: string | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] as string;
    if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'" || character === '"') {
      const end = line.indexOf(character, index + 1);
      if (end < 0) return undefined;
      const quoted = line.slice(index + 1, end);
      // Inside double quotes the shell still expands these.
      if (/\n|\r|\0/.test(quoted) || (character === '"' && /[$`\\!]/.test(quoted))) return undefined;
      word = (word ?? '') + quoted;
      index = end;
    } else if (SPECIAL.has(character) || character < ' ' || character > '~') return undefined;
    else word = (word ?? '') + character;
  }
  if (word !== undefined) words.push(word);
  const [first] = words;
  return first === undefined || first === '' || first.includes('=') ? undefined : words;
};

/**
 * Every place of a line where a command might begin, as rough words. Used for rules that deny: it would rather see a
 * command too many than miss one.
 */
export const possibleCommands = (line: string): string[][] =>
  line
    .split(/[|&;()<>`${}\n\r]+/)
    .map((part) =>
      part
        .replaceAll(/["'\\]/g, '')
        .trim()
        .split(/\s+/),
    )
    .filter((words) => words[0] !== '');

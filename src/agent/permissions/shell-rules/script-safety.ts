/** Little languages that stand inside a word: sed and awk. Only what is known to read and print passes. */

const NUMBERS = /[0-9]+(?:~[0-9]+)?|\$|[+~][0-9]+/y;
const COMMAND = /[pPdDqQ=nNhHgGxlz{}]/;
const DELIMITER = /[/|,#:@!%~+_=]/;
const BLANKS = /[ \t\n;]*/y;
const END = /[ \t]*(?:[;\n{}]|$)/y;

/** True where the script only prints, deletes and replaces: no `e`, `w`, `r`, no flag that runs or writes. */
export const isPlainSed = (script: string): boolean => {
  let at = skip(BLANKS, script, 0);
  while (at < script.length) {
    const first = afterAddress(script, at);
    if (first < 0) return false;
    if (first > at && script[first] === ',') {
      at = afterAddress(script, first + 1);
      if (at <= first + 1) return false;
    } else at = first;
    at = skip(/[ \t]*!?[ \t]*/y, script, at);
    const command = script[at] ?? '';
    const after = command === 's' || command === 'y' ? afterReplacing(script, at) : COMMAND.test(command) ? at + 1 : -1;
    if (after < 0 || (command !== '{' && skip(END, script, after) === after && after < script.length)) return false;
    at = skip(BLANKS, script, after);
  }
  return true;
};

const skip = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
};

/** The place after an address; the same place where there is none, -1 where it is not understood. */
const afterAddress = (script: string, at: number): number => {
  if (script[at] !== '/') return skip(NUMBERS, script, at);
  const end = endOfPattern(script, at + 1, '/', true);
  return end < 0 ? -1 : skip(/[IM]*/y, script, end);
};

/** `s/a/b/g` and `y/ab/cd/`. */
const afterReplacing = (script: string, at: number): number => {
  const delimiter = script[at + 1] ?? '';
  if (!DELIMITER.test(delimiter)) return -1;
  const isPattern = script[at] === 's';
  const middle = endOfPattern(script, at + 2, delimiter, isPattern);
  const end = middle < 0 ? -1 : endOfPattern(script, middle, delimiter, false);
  return end < 0 || !isPattern ? end : skip(/[gpiI0-9]*/y, script, end);
};

/**
 * The place after the delimiter that ends a part. Whether one between brackets ends it is a matter of opinion between
 * versions of sed, so there must be none.
 */
const endOfPattern = (script: string, start: number, delimiter: string, brackets: boolean): number => {
  for (let at = start; at < script.length; at += 1) {
    const character = script[at];
    if (character === '\n') return -1;
    if (character === delimiter) return at + 1;
    if (character === '\\') {
      at += 1;
      if (script[at] === '\n') return -1;
    } else if (character === '[' && brackets) {
      at = endOfBrackets(script, at + 1, delimiter);
      if (at < 0) return -1;
    }
  }
  return -1;
};

/** The place of the `]`, of `[^]a[:alpha:]]` the last. */
const endOfBrackets = (script: string, start: number, delimiter: string): number => {
  let at = start;
  if (script[at] === '^') at += 1;
  if (script[at] === ']') at += 1;
  for (; at < script.length; at += 1) {
    const character = script[at] as string;
    if (character === '\n' || character === delimiter) return -1;
    if (character === ']') return at;
    if (character === '\\') {
      at += 1;
      // Some read a bracket behind a backslash as the end, some do not.
      if (script[at] === ']' || script[at] === '\n') return -1;
    } else if (character === '[' && /[:.=]/.test(script[at + 1] ?? '')) {
      const name = skip(/[:.=][a-z]+[:.=]\]/y, script, at + 1);
      if (name === at + 1) return -1;
      at = name - 1;
    }
  }
  return -1;
};

/** True where the program only computes and prints: nothing is run, opened, written or loaded. */
export const isPlainAwk = (program: string): boolean =>
  !/system|getline|[@|]|ARGV|ENVIRON|PROCINFO|close|fflush|\\\n/.test(program.replaceAll('||', ' ')) &&
  (!program.includes('>') || comparesOnly(program));

/**
 * A `>` writes a file only after a `print`, in an action and in no brackets. Where strings, patterns or comments could
 * hide where an action begins, it is not looked for.
 */
const comparesOnly = (program: string): boolean => {
  if (/>>|[/#\\]/.test(program)) return false;
  let braces = 0;
  let brackets = 0;
  for (const part of program.match(/"[^"\n]*"|[(){}>\n]|[^"(){}>\n]+|"/g) ?? []) {
    if (part === '"') return false;
    if (part === '{') braces += 1;
    else if (part === '}') braces -= 1;
    else if (part === '(') brackets += 1;
    else if (part === ')') brackets -= 1;
    else if (part === '>' && braces > 0 && brackets === 0) return false;
    if (braces < 0 || brackets < 0) return false;
  }
  return braces === 0 && brackets === 0;
};

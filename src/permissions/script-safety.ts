/** Little languages that stand inside a word: sed and awk. Only what is known to read and print passes. */

const ADDRESS = /^(?:[0-9]+(?:~[0-9]+)?|\$|\/(?:[^/\\\n]|\\.)*\/[IM]*|[+~][0-9]+)/;
const SUBSTITUTE = /^s([^\s\\a-zA-Z0-9])((?:(?!\1)[^\\\n]|\\.)*)\1((?:(?!\1)[^\\\n]|\\.)*)\1([gpiI0-9]*)/s;
const TRANSLITERATE = /^y([^\s\\a-zA-Z0-9])((?:(?!\1)[^\\\n]|\\.)*)\1((?:(?!\1)[^\\\n]|\\.)*)\1/s;
const BLANKS = /^[ \t\n;]*/;

/** True where the script only prints, deletes and replaces: no `e`, `w`, `r`, no flag that runs or writes. */
export const isPlainSed = (script: string): boolean => {
  let rest = script.replace(BLANKS, '');
  while (rest !== '') {
    const first = ADDRESS.exec(rest)?.[0] ?? '';
    rest = rest.slice(first.length);
    if (first !== '' && rest.startsWith(',')) {
      const second = ADDRESS.exec(rest.slice(1))?.[0];
      if (second === undefined) return false;
      rest = rest.slice(1 + second.length);
    }
    rest = rest.replace(/^[ \t]*!?[ \t]*/, '');
    const command =
      SUBSTITUTE.exec(rest)?.[0] ?? TRANSLITERATE.exec(rest)?.[0] ?? /^[pPdDqQ=nNhHgGxlz{}]/.exec(rest)?.[0];
    if (command === undefined) return false;
    rest = rest.slice(command.length);
    if (!/^[ \t]*(?:[;\n{}]|$)/.test(rest) && command !== '{') return false;
    rest = rest.replace(BLANKS, '');
  }
  return true;
};

/** True where the program only computes and prints: nothing is run, opened, written or loaded. */
export const isPlainAwk = (program: string): boolean =>
  !/system|getline|[@>]|\||ARGV|ENVIRON|PROCINFO|close|fflush|\\\n/.test(program.replaceAll('||', ' '));

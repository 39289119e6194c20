/**
 * A command line as it would be read: which programs it starts with which words. `dynamic` words are those whose text
 * only the shell can know (variables, substitutions); of a `glob` the shell makes names of files.
 */
export type ShellWord = {
  text: string;
  dynamic: boolean;
  glob: boolean;
  /** Something of it stood in quotes or behind a backslash: it is no reserved word and no tilde. */
  quoted: boolean;
  start: number;
  end: number;
};
export type ShellAssignment = {
  name: string;
  value: ShellWord;
  /** `x+=y`, as far as it was read. */
  isAppended?: true;
};
export type ShellRedirection = { operator: string; target: ShellWord };
export type ShellCommand = {
  words: ShellWord[];
  assignments: ShellAssignment[];
  redirections: ShellRedirection[];
  /** Where its first word or assignment starts. */
  start: number;
};

export type ShellAnalysis =
  | {
      ok: true;
      commands: ShellCommand[];
      /** Variables of for loops with the words they take. */
      loops: ShellAssignment[];
      /** Program text that comes in otherwise than in a word, as the command that has it in one. */
      fed?: ShellCommand[];
      /** What the line itself may make run besides, as the same; secrets are looked for in it. */
      loaded?: ShellCommand[];
      /** Why no pattern can allow the line, whatever it says; empty for lines that were read without doubt. */
      notSimple: string[];
    }
  | { ok: false; reason: string /** Roughly, for rules that deny. */; commands: ShellCommand[] };

export const staticWord = (text: string): ShellWord => ({
  text,
  dynamic: false,
  glob: false,
  quoted: true,
  start: 0,
  end: text.length,
});
export const commandOfWords = (words: ShellWord[]): ShellCommand => ({
  words,
  assignments: [],
  redirections: [],
  start: words[0]?.start ?? 0,
});

/**
 * What a person would not see, or see as something else: control characters, invisible and directing ones, every
 * blank but the plain one. Newline and tab may stand; they are shown as such.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u180e\u2800\u3164\uffa0]|\p{Default_Ignorable_Code_Point}/u;
const PLAIN = /^[\x20-\x7e\n\t]*$/;
export const hasUnseenCharacters = (line: string): boolean =>
  !PLAIN.test(line) && UNSEEN.test(line.replaceAll(/[\n\t]/g, ''));

/** Words that mean the same with and without quotes. */
export const PLAIN_WORDS = /^[\w./:@%+,-]+(?: [\w./:@%+=,-]+)*$/;

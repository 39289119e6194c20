/** What a row says of a program that packs a folder. */
export type Packer = {
  program: RegExp;
  /** The words of the command, with options between them; without any, the program packs unless told one of `others`. */
  order?: readonly RegExp[];
  others?: RegExp;
  /** Options without which nothing is packed. */
  needs?: RegExp;
  /** Options whose value is the folder. */
  folder?: RegExp;
  /** No plain word is: the folder of the line is packed, or what stands in `folder`. */
  isHere?: true;
  /** So many plain words name what is packed and where it goes; one of fewer names no folder. */
  least?: number;
  /** An option that takes one more folder under a name: `--build-context name=folder`. */
  named?: RegExp;
  /** A word that says that nothing is taken of this machine. */
  elsewhere?: RegExp;
  /** A plain word is a file, and what lies beside it is packed. */
  isBeside?: true;
  /** Options that take no value: a word behind any other may be its value. */
  flags?: string;
  /** An option takes all words that follow. */
  takesMany?: true;
  /** Options with which it says what it would do, or what its options are. */
  tells?: RegExp;
  /** Files beside what is packed that say what is left out. */
  leaves?: readonly string[];
  /** Options that name another file which says what is taken. */
  otherFile?: RegExp;
  /** What it never takes. */
  skips?: RegExp;
};

/** The size of a window that the answers of a server showed, where the server does not tell it or tells another one. */

/** What was told of a window: by the server, or by the person (`given`). */
export type ToldWindow = { told?: number | undefined; given?: true };

/** How a window was learned that nobody told: of a prompt that was cut, of another answer, of a refusal without a size. */
export type WindowEvidence = 'cut' | 'shown' | 'guessed';

export type LearnedWindow = ToldWindow & {
  tokens: number;
  /** The server cut a prompt without a word: this much it has read, and it may hold more. */
  is_cut?: true;
  /** The prompt that was cut was about so large; an earlier version did not keep it, and claimed cuts too easily. */
  cut_from?: number;
  /** A larger prompt was refused without a word of the size; this much was read, or is half of that. */
  is_guess?: true;
  /** A prompt of so many tokens was refused; where one is answered, nothing of this holds. */
  refused?: number;
  /** For so many messages less had to be sent than the window is told to hold; `refused` is the last of them. */
  doubted?: number;
  /** A larger prompt is tried once room was made so often. */
  tries_after?: number;
  /** How often that was when it was counted last; it doubles with each try that fails. */
  tries_wait?: number;
};

/** What was learned holds as long as the same is told as then. */
export const holds = (learned: LearnedWindow | undefined, { told, given }: ToldWindow): learned is LearnedWindow =>
  learned !== undefined && learned.told === told && learned.given === given;

/** The window to go by. */
export const windowHeld = (known: ToldWindow, learned: LearnedWindow | undefined): number | undefined =>
  holds(learned, known) ? Math.min(known.told ?? learned.tokens, learned.tokens) : known.told;

/** Out of a file; undefined where it is none. */
export const readLearnedWindow = (value: unknown): LearnedWindow | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { tokens, told, given, is_cut, cut_from, is_guess, refused, doubted, tries_after, tries_wait } =
    value as Record<string, unknown>;
  if (!isCount(tokens) || tokens === 0) return undefined;
  return {
    tokens,
    ...(isCount(told) ? { told } : {}),
    ...(given === true ? { given } : {}),
    ...(is_cut === true ? { is_cut } : {}),
    ...(isCount(cut_from) ? { cut_from } : {}),
    ...(is_guess === true ? { is_guess } : {}),
    ...(isCount(refused) ? { refused } : {}),
    ...(isCount(doubted) ? { doubted } : {}),
    ...(isCount(tries_after) ? { tries_after } : {}),
    ...(isCount(tries_wait) ? { tries_wait } : {}),
  };
};

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

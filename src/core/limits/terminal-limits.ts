/** The numbers of what a person sees and types: the command line and the terminal app. */
export const TERMINAL_LIMITS = {
  /** Lines of a person's own command that the terminal shows. */
  terminalCommandLines: 400,
  /** Sessions that the terminal app offers to go on with. */
  sessionsShown: 50,
  /** What the terminal's clipboard takes. */
  clipboardCharacters: 100_000,
  /** After so long it says that it waits for the end of standard input. */
  stdinNoticeMs: 1_000,
  searchExcerptCharacters: 120,
  /** Of a recorded session's file name, and of the two sides of a difference. */
  replayNameCharacters: 60,
  replayShownCharacters: 2_000,
  /** What `sessions show` shows of a call and of its result, unless all of it is asked for. */
  showArgumentCharacters: 200,
  showResultLines: 12,
  /** A program that starts halter and leaves standard input open, with nothing in it, has this long to write. */
  stdinSocketMs: 300,
  /** Files named by flags: prompts, schemas, templates. */
  commandFileBytes: 4 * 1024 * 1024,
  /** One Ctrl-C may arrive twice, from the terminal and passed on by a parent; later ones mean "now". */
  secondInterruptMs: 500,
  /** How long an interrupted run may take to put things in order. */
  interruptGraceMs: 5_000,
  terminalFrameMs: 33,
  terminalSpinnerMs: 120,
  /** Keys answer a permission question only after this long without a key, counted from its first drawing. */
  terminalPromptArmMs: 250,
  terminalQuitMs: 2_000,
  terminalLiveOutputCharacters: 8_000,
  terminalLiveOutputLines: 5,
  terminalFailureLines: 8,
  terminalMessageLines: 20,
  terminalReplayLines: 400,
  /** A picture in the conversation: its height, and what a terminal is sent of one. */
  terminalPictureRows: 20,
  terminalPictureBytes: 8 * 1024 * 1024,
  terminalTaskLines: 6,
  terminalQueueLines: 3,
  terminalDetailEntries: 200,
  terminalCompletions: 8,
  terminalCompletionFiles: 20_000,
  terminalFilesAgeMs: 5_000,
} as const;

/** The numbers of the command line. */
export const CLI_LIMITS = {
  /** A start that waits for its model server says so after so long. */
  silentStartMs: 1_000,
  /** Of a path that is dropped on the terminal. */
  droppedPathCharacters: 4_096,
  /** Reading a picture from the clipboard. */
  clipboardMs: 2_000,
  /** After so long it says that it waits for the end of standard input. */
  stdinNoticeMs: 1_000,
  /** A program that starts halter and leaves standard input open, with nothing in it, has this long to write. */
  stdinSocketMs: 300,
  /** Files named by flags: prompts, schemas, templates. */
  commandFileBytes: 4 * 1024 * 1024,
  /** How often it is looked whether somebody reads a named pipe. */
  pipeReaderMs: 50,
  /** One Ctrl-C may arrive twice, from the terminal and passed on by a parent; later ones mean "now". */
  secondInterruptMs: 500,
  /** How long an interrupted run may take to put things in order. */
  interruptGraceMs: 5_000,
  /** Of a recorded session's file name, and of the two sides of a difference. */
  replayNameCharacters: 60,
  replayShownCharacters: 2_000,
  /** A stream says at least this often that it goes on. */
  signOfLifeMs: 9_000,
  /** What the up arrow and Ctrl+R find of earlier sessions. */
  inputHistoryEntries: 500,
  inputHistoryCharacters: 20_000,
  /** Of `.git/HEAD`, and how long the branch is taken to stay. */
  gitHeadCharacters: 1_000,
  gitBranchMs: 2_000,
  /** What `sessions show` shows of a call and of its result, unless all of it is asked for. */
  showArgumentCharacters: 200,
  showResultLines: 12,
  /** How long a login in the browser is waited for. */
  mcpLoginMs: 600_000,
} as const;

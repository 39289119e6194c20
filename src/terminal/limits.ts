/** The numbers of the terminal app. Rows, lines and columns are those of the screen; times are milliseconds. */
export const TERMINAL_LIMITS = {
  /** Of a person's own command (`!command`): lines that are shown of its beginning and of its end. */
  commandFirstLines: 20,
  commandLastLines: 20,
  /** Rows that a line of it takes at most. */
  commandLineRows: 4,
  /** Lines of it that are kept to be opened, and what is kept of a line. */
  commandKeptLines: 5_000,
  commandLineCharacters: 2_000,
  /** Sessions that `/sessions` offers. */
  sessionsShown: 50,
  /** What the terminal's clipboard takes (OSC 52). */
  clipboardCharacters: 100_000,
  frameMs: 34,
  /** Between two frames where a key was pressed. */
  keyFrameMs: 8,
  spinnerMs: 120,
  /** tmux wraps its rows at once and says so up to 250 ms later, where one resize follows another. */
  resizeQuietMs: 280,
  /** So many units of text in one reading are pasted, and so is what comes before a pause. */
  burstUnits: 64,
  burstMs: 30,
  /** How long the rest of the mark before a paste is waited for; behind the key Esc, where it may be text; and its end. */
  splitMarkMs: 2_000,
  escapedMarkMs: 50,
  pasteSilenceMs: 5_000,
  /** Keys answer a question only after this long without a key, counted from its first drawing. */
  questionArmMs: 250,
  /** A key that answers counts when no letter follows it within this time: then it was part of a message. */
  questionSettleMs: 120,
  /** Where a message stands in the prompt, a question waits this much longer for a key: between two words one pauses. */
  questionDraftMs: 750,
  /** And a key answers only when no letter follows it in this time. */
  questionDraftSettleMs: 500,
  /** A letter this soon after a key that may have been meant for a question makes both a message. */
  questionStrayMs: 500,
  /** A command that needs the session at rest waits so long for the end of an answer that seems complete. */
  runEndMs: 2_000,
  /** A second Ctrl+C within this time leaves. */
  quitMs: 2_000,
  liveOutputCharacters: 8_000,
  liveOutputLines: 5,
  failureLines: 8,
  /** What stays at least of the argument that a call is known by, before its figures go. */
  subjectColumns: 24,
  /** What stays of a change, and of what a command printed. */
  transcriptDiffLines: 12,
  transcriptOutputLines: 4,
  /** Lines of code that are longer stay without colours. */
  colouredLineCharacters: 2_000,
  messageLines: 20,
  replayLines: 400,
  /** A picture in the conversation: its height, and what a terminal is sent of one. */
  pictureRows: 20,
  pictureBytes: 8 * 1024 * 1024,
  /** What is being typed is kept so long after a key, for when the program is killed. */
  unsentKeepMs: 400,
  /** Of a list or an opened call, for a screen reader. */
  spokenListRows: 24,
  taskLines: 6,
  queueLines: 3,
  detailEntries: 200,
  completions: 8,
  filterCharacters: 200,
  completionFiles: 20_000,
  filesAgeMs: 5_000,
  /** Of a rule that a person writes at a permission question. */
  permissionPatternCharacters: 1_000,
} as const;

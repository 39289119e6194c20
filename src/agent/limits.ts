/** The numbers of one running agent: the loop, its window, permissions, traces, probing. */
export const AGENT_LIMITS = {
  /** Files that the conversation saw last, looked at before each message for changes by somebody else; and how large. */
  watchedFiles: 24,
  watchedFileBytes: 1_000_000,
  /** What one message may bring along by naming it with @. */
  mentions: 20,
  mentionImageBytes: 8 * 1024 * 1024,
  /** Pictures of one message that are left out one by one where the server cannot read one of them; more go at once. */
  picturesLeftOutAlone: 4,
  /** Contradictions in the schema of a server's tool that are named. */
  mcpSchemaProblems: 3,
  /** Plugin files that are read from the person's folder. */
  plugins: 100,
  /** How long one of them may take to load. */
  pluginLoadMs: 15_000,
  /** Files that one command changed: those of up to so many are put aside, so that they can be taken back. */
  commandChanges: 200,
  /** Of these, those that are named where halter was killed while they were put in place. */
  verdictFiles: 20,
  /** Of what a command changed and cannot be taken back, that which is named. */
  changesNamed: 10,
  /** What is kept of a long result where it can be put aside and read in ranges. */
  keptResultBytes: 1024 * 1024,
  /** What a tool has to end by itself when halter is ended. */
  endedToolGraceMs: 2_000,
  /** What one part has to close when halter is ended: more than its commands, servers and models may take. */
  closePartMs: 10_000,
  /** The same for a provider that a program or a plugin brings. */
  ownProviderCloseMs: 2_000,
  /** Spans that are sent together, one text in a span, and the answer of a collector. */
  traceBatchSpans: 256,
  traceContentCharacters: 4_000,
  traceResponseBytes: 64 * 1024,
  traceExportMs: 5_000,
  /** A part that does not answer for so long is not ready; what was found holds a moment. */
  readinessMs: 3_000,
  readinessKeptMs: 1_000,
  /** A server that is not there, or that loads its model, is looked for so often; and a model may be loaded for so long. */
  modelRetryMs: 2_000,
  modelLoadMs: 1_800_000,
  /** The list of models is waited for so long where it is only to tell what a session would go on with. */
  openingModelMs: 3_000,
  /** Of one metric: combinations of labels, and characters of one label. */
  metricSeries: 200,
  metricLabelCharacters: 200,
  /** Results of pure tools that are kept, and how long one may be. */
  cachedResults: 64,
  cachedResultCharacters: 100_000,
  /** However small the window is. */
  toolResultCharactersMin: 2_000,
  /** Of a result that the model reads in other words; a line of a session has room for it. */
  unreadResultCharacters: 5_000_000,
  emptyReplyRetries: 1,
  /** Reminders for a message whose answers announce calls and make none. */
  nudges: 1,
  denialReasonCharacters: 1_000,
  /** What matters, in the words of a person who asks for room. */
  compactionFocusCharacters: 1_000,
  /** Messages typed ahead while a run goes on. */
  queuedMessages: 20,
  /** Messages that were taken out of the queue, as they are told to windows that come back. */
  removedMessages: 100,
  userMessageCharacters: 2_000_000,
  /** The text of an answer is written this often while it comes, and so much of one answer in all. */
  streamedTextMs: 1_000,
  streamedTextCharacters: 1_000_000,
  /** Of a model that a person names. */
  modelNameCharacters: 200,
  /** Of a rule that a person writes. */
  ruleCharacters: 1_000,
  previewTimeoutMs: 5_000,
  /** Names that the name of a copy is told from. */
  forkNamesCompared: 500,
  /** So many words of a search, the longest, are looked up before sessions are read. */
  searchNarrowingWords: 8,
  /** What `sessions search` shows round a hit. */
  searchExcerptCharacters: 120,
  /** Sessions that a search reads at the same time. */
  searchReadAtOnce: 20,
  /** Changes of files that are looked through together: how many files, what is shown of one, and the time to compare it. */
  reviewFiles: 100,
  reviewFileCharacters: 400_000,
  reviewDiffMs: 500,
  /** What the review shows of the message that a change of another branch belongs to. */
  reviewMessageCharacters: 80,
  /** What retrieval may put before a message (E10). */
  contextNoteCharacters: 2_000,
  templateTimeoutMs: 5_000,
  templateMemoryMb: 256,
  /** So long a session that begins waits for servers; a slower one is there for the next session. */
  mcpOpenMs: 10_000,
  /** Between two readings of tools that a server announces as changed. */
  mcpChangesPauseMs: 200,
  /** Where the rest is put aside; in no script more than that many bytes. */
  mcpResultCharacters: 10_000,
  /** A program that writes a file does so in several steps; settings are read again after them. */
  settingsSettleMs: 100,
  /** Files of the workspace that a server is started from: how many are followed, how much of one is read, and of its names. */
  mcpStartedFiles: 400,
  mcpStartedFileBytes: 64 * 1024 * 1024,
  mcpStartedTextCharacters: 512 * 1024,
  mcpStartedWordCharacters: 500,
  mcpStartedNames: 1_000,
  mcpStartedFolders: 50,
  mcpStartedBases: 8,
  /** Names of a folder that are looked at for one with letters, to see whether its disk folds case. */
  namesForCase: 1_000,
  mcpSampleCharacters: 64 * 1024,
  apiKeyCommandMs: 30_000,
  /** Each program that is asked about graphics cards. */
  graphicsQuestionMs: 5_000,
  graphicsAnswerBytes: 256 * 1024,
  /** What a registry says of a model before it is pulled. */
  pullPlanMs: 4_000,
  pullManifestBytes: 1024 * 1024,
  /** How long a provider may take to end after the person stopped the run. */
  modelAbortGraceMs: 2_000,
  /** A window of 2,048 holds this beside an answer, and none in use is smaller: no server is asked for its own before. */
  windowUnaskedTokens: 1_536,
  /** A prompt of this size may be the cause of an error that names none. */
  longPromptTokens: 3_000,
  /** What a server read of a prompt that it cut is taken as its window from this size on. */
  windowObservedTokensMin: 2_000,
  /** The same where the count did not grow with the prompt. */
  windowStalledTokensMin: 1_000,
  /** A window that was learned: so often room is made before a larger prompt is tried, at most, and how much larger. */
  windowTriesAfter: 4,
  windowTriesAfterMax: 32,
  windowTriesShare: 1.5,
  /** A count so far above a learned window is of another one. */
  windowClearlyAbove: 1.1,
  /** A refusal without a size is doubted below this share of the known window, for so many messages. */
  refusalDoubtedShare: 0.75,
  refusalsDoubted: 2,
  /** From this share of the known window on a refusal without a size was to be expected; below its end, so much is left of it. */
  refusalExpectedShare: 0.9,
  windowALittleLess: 0.97,
  /** A message that is so many times as large as a learned window is not sent to see whether it fits. */
  windowFarAbove: 4,
  /** Room for the next turn: so much more than the last ones took, since a file is shown whole where room is left beside it. */
  turnRoomShare: 1.15,
  /** The least room an answer needs. */
  answerTokensMin: 256,
  /** The same in a window of which that is much. */
  answerShareLeast: 1 / 16,
  /** An answer that a limit ended below this had no room; prompt and answer fill a window from this share on. */
  answerNoneTokens: 64,
  windowFullShare: 0.97,
  /** Making room begins with this share of the window as its aim, and counts only when it frees the share below. */
  compactionTargetShare: 0.18,
  /** Of the window, after room was made. */
  compactionFreeShareMin: 0.34,
  compactionMeasureShare: 0.96,
  /** Of the window, free beside the answer in the middle of a turn whose own results would go otherwise. */
  callRoomShare: 1 / 16,
  /** A message of the person that takes more of the window may use what stays free otherwise. */
  messageUsualShare: 0.1,
  /** A tokenizer that counts more than this for an estimated token knows little of what is said. */
  tokenizerRatioUsual: 1.15,
  /** Characters that may stand for what was left out, for each token of it; what exceeds the first comes on top of the target. */
  compactionRetainedShare: 1.1,
  compactionRetainedShareInTarget: 0.7,
  /** Up to this window the person's words fill all that has not to stay free; in a larger one so many turns have room. */
  wordsWindowTokens: 8_192,
  wordsTurns: 8,
  /** Notes of the model: worth a request where so much is left out; the room and the time that they may take. */
  notesWorthTokens: 1_500,
  notesRoomTokens: 800,
  notesTimeoutMs: 90_000,
  /** Of results that were put aside, so much is looked through by one search. */
  searchedResultsBytes: 8 * 1024 * 1024,
  /** Of what the person said to something that was found. */
  searchedReplyCharacters: 200,
  /** How often a prompt that the server refused as too long is made smaller and sent again. */
  overflowAttempts: 4,
  /** `halter models probe`: one check, all of them, the answer to one, and the longest prompt that is tried. */
  probeCheckMs: 120_000,
  probeTotalMs: 1_200_000,
  probeAnswerTokens: 256,
  probeWindowTokens: 6_000,
  /** A prompt that would take longer to read is not tried. */
  probeWindowSeconds: 20,
  /** Messages of which it is remembered what their end describes. */
  shortlistsRemembered: 20_000,
  /** Between two estimates of how far a prompt is read, where that will take longer than this. */
  prefillTickMs: 500,
  prefillShownSeconds: 2,
  /** How long nothing happens before a local engine reads what the next prompt begins with. */
  warmUpDelayMs: 300,
  /** Texts of one call that are looked at as names of files. */
  pathsJudged: 500,
  /** Commands of one line beyond which no rule allows it. */
  shellCommands: 50,
  /** Parts of a parsed line that are looked through for commands that a rule denies. */
  shellNodes: 200_000,
  /** Lines within lines (bash -c, eval) that are read. */
  shellLinesWithin: 3,
  /** Texts that a line prints, tried as words and lines of what it runs. */
  shellPrintedTexts: 8,
  shellCommandsConsidered: 5_000,
  repositoryConfigBytes: 256 * 1024,
  /** Files of git's settings that are read for keys, with those that they include. */
  gitSettingsFiles: 20,
  repositoryIndexBytes: 64 * 1024 * 1024,
  /** Tools that a program lists are described in full as long as they take no more of the window. */
  toolsShareMost: 1 / 4,
  /** Tools that depend on settings, when the prompt prefix of an earlier session is looked for: each doubles the tries. */
  prefixToolsTried: 6,
  tasksPerSession: 1_000,
  egressHostCharacters: 255,
  egressReasonCharacters: 300,
  /** Of a picture that is shown: its bytes, its points when it is drawn, and how long another side may take. */
  pictureBytes: 16 * 1024 * 1024,
  picturePixels: 50_000_000,
  pictureTimeoutMs: 20_000,
} as const;

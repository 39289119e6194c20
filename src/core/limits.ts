/** Every number of the program that bounds something, in one place, named with its unit. */

import { FILE_LIMITS } from './limits/file-limits.ts';
import { RETRIEVAL_LIMITS } from './limits/retrieval-limits.ts';
import { SERVER_LIMITS } from './limits/server-limits.ts';

const OWN_LIMITS = {
  // The loop (Z14, K4). The documents' own values are presets, see core/presets.ts.
  toolCallsPerIteration: 15,
  iterations: 10,
  repairs: 2,
  toolTimeoutMs: 12_000,
  summaryCharacters: 900,
  summaryItems: 3,
  summaryItemCharacters: 200,
  // Tools.
  readFileBytes: 10 * 1024 * 1024,
  /** Files shorter than this come whole (H2); of longer ones the curator chooses, or a range is asked for. */
  readFileWholeLines: 100,
  readFileLineCharacters: 2_000,
  readFileCharacters: 50_000,
  /** UTF-8 bytes of one shown line, whatever its script. */
  readFileLineBytes: 3_900,
  readChunkBytes: 1024 * 1024,
  writeFileBytes: 10 * 1024 * 1024,
  fileTreePaths: 5_000,
  /** A tree or table is ended before the runner would cut it in the middle. */
  fileTreeCharacters: 59_000,
  listCharacters: 59_000,
  listEntriesDefault: 500,
  listEntriesMax: 1_000,
  grepResultsDefault: 200,
  grepResultsMax: 1_000,
  grepLineCharacters: 500,
  grepPatternCharacters: 1_000,
  /** All of one result together. */
  grepCharacters: 50_000,
  /** Matches that are counted before a search that finds everything is ended. */
  grepMatchesSeen: 20_000,
  /** A match in a longer line than this is counted as one that cannot be shown. */
  grepMessageCharacters: 8 * 1024 * 1024,
  grepErrorBytes: 8 * 1024,
  /** Of a folder's AGENTS.md, in a small window and in a larger one. */
  instructionsCharactersSmall: 2_000,
  instructionsCharacters: 16_000,
  /** Lines of a person's own command that the terminal shows. */
  terminalCommandLines: 400,
  /** What one message may bring along by naming it with @. */
  mentions: 20,
  mentionImageBytes: 8 * 1024 * 1024,
  /** A key of a model server, and the command that prints one. */
  apiKeyBytes: 16 * 1024,
  apiKeyCommandMs: 30_000,
  /** Sessions that the terminal app offers to go on with. */
  sessionsShown: 50,
  /** What the terminal's clipboard takes. */
  clipboardCharacters: 100_000,
  /** Plugin files that are read from the person's folder. */
  plugins: 100,
  /** Commands of one's own (`commands/*.md`): how many are read, how long one is. */
  customCommands: 200,
  customCommandBytes: 64 * 1024,
  /** Jobs of a session, running and ended; what is kept of one's unread output; how long a look at it may wait. */
  jobs: 32,
  jobOutputCharacters: 256 * 1024,
  jobWaitMsMax: 60_000,
  jobInputCharacters: 64 * 1024,
  jobColumns: 120,
  jobRows: 40,
  /** Shorter than a tool's own limit, so that what was found until then is not lost. */
  grepTimeoutMs: 10_000,
  grepFilterAlternatives: 256,
  pathCharacters: 4_096,
  /** Links followed while finding the file that a write is meant for. */
  linkHops: 40,
  walkDirectories: 50_000,
  walkDepth: 128,
  /** A walk or a long listing lets the rest of the program run after this long. */
  walkSliceMs: 10,
  ignoreFileBytes: 1024 * 1024,
  ignoreLines: 10_000,
  /** A temporary file of a process that is gone is removed once it is this old. */
  staleTemporaryMs: 60_000,
  seenPaths: 10_000,
  previewsRemembered: 100,
  bashTimeoutMs: 120_000,
  bashTimeoutMsMax: 600_000,
  bashCommandBytes: 32 * 1024,
  /** Commands of one line beyond which no rule allows it. */
  shellCommands: 50,
  /** Parts of a parsed line that are looked through for commands that a rule denies. */
  shellNodes: 200_000,
  /** Lines within lines (bash -c, eval) that are read. */
  shellLinesWithin: 3,
  shellCommandsConsidered: 5_000,
  repositoryConfigBytes: 256 * 1024,
  repositoryIndexBytes: 64 * 1024 * 1024,
  sandboxProbeTimeoutMs: 5_000,
  sandboxProtectedPaths: 200,
  /** What the model reads of a command's output. */
  bashOutputBytes: 30 * 1024,
  /** What a person's screen gets of it while it runs; nobody reads more than this as it passes. */
  bashLiveBytes: 16 * 1024 * 1024,
  /** What is kept of a long result where it can be put aside and read in ranges. */
  keptResultBytes: 1024 * 1024,
  /** Spans that are sent together, one text in a span, the answer of a collector, and one session's file of traces. */
  traceBatchSpans: 256,
  traceContentCharacters: 4_000,
  traceResponseBytes: 64 * 1024,
  traceFileBytes: 64 * 1024 * 1024,
  traceExportMs: 5_000,
  /** Sessions that an editor has open at once. */
  acpSessions: 64,
  /** Results of pure tools that are kept, and how long one may be. */
  cachedResults: 64,
  cachedResultCharacters: 100_000,
  /** How long the pipes may stay open after the shell itself has ended (a daemon may hold them). */
  bashPipeGraceMs: 200,
  /** Between asking a process group to end (TERM) and ending it (KILL). */
  processKillGraceMs: 500,
  /** What setTimeout can count. */
  timerMsMax: 2 ** 31 - 1,
  /** How often to look whether a group that was asked to end has ended. */
  processGroupPollMs: 10,
  /** A process may start another between a scan and its end: KILL again until a scan finds nobody new. */
  processKillRounds: 5,
  /** Of a flood, before the memory it was read into is given back. */
  readBetweenCollections: 16 * 1024 * 1024,
  /** Turns of the event loop in which what is left in the pipe of a finished command may still be read. */
  processDrainTurns: 64,
  previewContextLines: 3,
  previewLines: 200,
  /** Changed lines, old and new together, beyond which a preview says how many instead of showing which. */
  diffLines: 40_000,
  /** Places of a text that is there too often, counted for the message. */
  editPlacesCounted: 1_000,
  /** Lines looked through, and shown, when a text to replace is not there and the nearest one is searched. */
  nearestRegionLines: 20_000,
  nearestRegionShownLines: 12,
  diffTimeoutMs: 200,
  taskCharacters: 2_000,
  tasksPerSession: 1_000,
  toolResultCharacters: 60_000,
  /** However small the window is. */
  toolResultCharactersMin: 2_000,
  argumentErrors: 10,
  nearestNames: 3,
  /** Of two names that are compared, so many characters count. */
  comparedCharacters: 64,
  // Models (interfaces §7.14, §7.15).
  modelConnectTimeoutMs: 5_000,
  modelSilenceTimeoutMs: 120_000,
  modelAttempts: 3,
  modelRetryDelayMs: 500,
  modelRetryDelayMsMax: 20_000,
  modelLineBytes: 8 * 1024 * 1024,
  modelResponseBytes: 64 * 1024 * 1024,
  /** Text and thoughts of one answer: half a million tokens, which no model means to write. */
  modelAnswerCharacters: 2_000_000,
  /** Of all its calls together: a file of some megabytes may be written in one. */
  modelArgumentsCharacters: 6_000_000,
  /** Of the body that comes with a refusal. */
  modelRefusalCharacters: 64 * 1024,
  emptyReplyRetries: 1,
  /** Reminders for a message whose answers announce calls and make none. */
  nudges: 1,
  // The window (B7).
  /** Instructions and tools together, in a window below 16,384 tokens and in a larger one. */
  headTokensSmall: 1_200,
  headTokensStandard: 2_500,
  /** No model's window is smaller; a server that counts less counts only what was new. */
  windowSmallestTokens: 512,
  /** A window of 2,048 holds this beside an answer, and none in use is smaller: no server is asked for its own before. */
  windowUnaskedTokens: 1_536,
  /** Kept free for the answer: a quarter of the window, at most this. */
  answerReserveTokens: 4_096,
  /** The least room an answer needs. */
  answerTokensMin: 256,
  /** Making room begins with this share of the window as its aim, and counts only when it frees the share below. */
  compactionTargetShare: 0.5,
  compactionFreedShareMin: 0.2,
  /** One item of the summary, and how many of a kind. */
  compactionItemCharacters: 120,
  compactionItems: 20,
  /** Results shorter than this are not worth dropping. */
  compactionResultCharacters: 400,
  probeTimeoutMs: 700,
  /** `halter models probe`: one check, all of them, the answer to one, and the longest prompt that is tried. */
  probeCheckMs: 120_000,
  probeTotalMs: 1_200_000,
  probeAnswerTokens: 256,
  probeWindowTokens: 6_000,
  /** A prompt that would take longer to read is not tried. */
  probeWindowSeconds: 20,
  profileFileBytes: 1024 * 1024,
  profileNameCharacters: 60,
  /** Fewer tokens than this say nothing of a model's speed. */
  speedSampleTokens: 96,
  modelSpeeds: 200,
  /** Further tools that are described at the end of a message, and how near the best one the others have to be. */
  shortlistTools: 4,
  shortlistTokens: 400,
  shortlistNearShare: 0.5,
  /** Messages of which it is remembered what their end describes. */
  shortlistsRemembered: 20_000,
  shortlistRequestCharacters: 4_000,
  /** Between two estimates of how far a prompt is read, where that will take longer than this. */
  prefillTickMs: 500,
  prefillShownSeconds: 2,
  /** How long nothing happens before a local engine reads what the next prompt begins with. */
  warmUpDelayMs: 300,
  /** And again, so that Ollama keeps the model in memory while the session is open. */
  warmUpAgainMs: 10 * 60 * 1_000,
  /** A refused connection on this machine is answered at once, so waiting long between tries serves nobody. */
  modelRefusedRetryDelayMs: 200,
  modelInformationTimeoutMs: 5_000,
  modelInformationBytes: 8 * 1024 * 1024,
  modelErrorCharacters: 500,
  /** Events of a stream that cannot be read are skipped, this many at most. */
  modelMalformedEvents: 20,
  modelCallsPerAnswer: 1_000,
  modelNamesShown: 10,
  /** Window asked of Ollama where neither the person, the model file nor a running model names one. */
  ollamaContextTokens: 8_192,
  tcpKeepAliveMs: 30_000,
  /** How long a server may keep a body open after it said that it was the end. */
  modelDrainTimeoutMs: 1_000,
  /** Between two looks at a server that is still loading its model. */
  modelLoadingPollMs: 1_000,
  modelLoadingPolls: 1_800,
  /** A batch of texts that are turned into vectors. */
  embeddingTimeoutMs: 120_000,
  embeddingTexts: 2_048,
  embeddingResponseBytes: 32 * 1024 * 1024,
  // The embedded engine.
  /** Window of the conversation where none is asked for; the model may be trained for more. */
  embeddedContextTokens: 8_192,
  embeddedDecisionTokens: 4_096,
  /** Tokens evaluated in one go: between two of these progress is told and cancelling takes hold. */
  embeddedPrefillTokens: 256,
  embeddedAnswerTokens: 512,
  embeddedCallTokens: 512,
  embeddedGrammars: 64,
  embeddedRepeatWindow: 64,
  embeddedSplitCharacterTokens: 4,
  embeddedLogLines: 20,
  // The network door for tools, and the web tools (goal G8).
  webRedirects: 5,
  webResponseBytes: 10 * 1024 * 1024,
  webConnectTimeoutMs: 8_000,
  /** Connecting, redirects and the body together; what is left of the tool's time is for reading the page. */
  webFetchNetworkMs: 10_000,
  webFetchTimeoutMs: 14_500,
  /** A page whose conversion takes longer is given as plain text. */
  webConvertMs: 4_000,
  /** Of a page that is read as an article; a longer one comes as plain text. */
  webPageCharacters: 2_000_000,
  webConvertMemoryMb: 64,
  /** Of new objects. */
  webConvertYoungMemoryMb: 8,
  webFetchCharactersDefault: 20_000,
  /** Beyond it the runner would cut the text anyway. */
  webFetchCharactersMax: 50_000,
  webUrlCharacters: 4_096,
  /** Elements within elements; deeper pages are read as plain text. */
  webPageDepth: 150,
  /** Elements opened and not closed, by a guess before parsing. */
  webPageOpenElements: 1_000,
  webPdfPages: 200,
  webTitleCharacters: 300,
  webSearchResultsDefault: 5,
  webSearchResultsMax: 20,
  webSearchQueryCharacters: 1_000,
  webSearchSnippetCharacters: 500,
  /** Less than a tool's time by this much, so that a silent service is said before the tool is ended. */
  webSearchReserveMs: 1_000,
  webSearchResponseBytes: 4 * 1024 * 1024,
  imageTimeoutMs: 600_000,
  imageProbeTimeoutMs: 3_000,
  imagePollMs: 500,
  imageResponseBytes: 64 * 1024 * 1024,
  imagePromptCharacters: 4_000,
  imagePixelsMax: 4_096,
  imageStepsMax: 200,
  imageNames: 1_000,
  statsIntervalMs: 250,
  // The egress ledger.
  egressFileBytes: 2 * 1024 * 1024,
  egressFilesAside: 3,
  egressHostCharacters: 255,
  egressReasonCharacters: 300,
  pullRedirects: 5,
  pullSilenceTimeoutMs: 60_000,
  pullTimeoutMs: 1_800_000,
  pullExtraBytes: 1_000_000,
  pullOutputBytes: 64 * 1024,
  pullProgressMs: 250,
  partFiles: 16,
  /** Of the request and of the tool's description, in the prompt of a call: both must fit the window of decisions. */
  embeddedCallCharacters: 6_000,
  embeddedToolCharacters: 4_000,
  embeddedShortlist: 4,
  embeddedScoredTokens: 48,
  embeddedCopyWords: 200,
  /** Tokens that must be left for an answer beside the prompt. */
  embeddedRoomTokens: 64,
  embeddedTemplateTokens: 4_096,
  embeddedLeadInTokens: 24,
  embeddedRequestCharacters: 2_000,
  embeddedResultCharacters: 4_000,
  embeddedQuoteLines: 100,
  embeddedQuoteCharacters: 6_000,
  /** Below this a model is too small to repeat a result, so the answer quotes it. */
  embeddedSmallModelBytes: 1_000_000_000,
  chatTemplateCharacters: 200_000,
  embeddedArrayItems: 8,
  ggufHeaderBytes: 24,
  zipTailBytes: 66_000,
  zipDirectoryBytes: 16 * 1024 * 1024,
  templateTimeoutMs: 5_000,
  templateMemoryMb: 256,
  // The person.
  denialReasonCharacters: 1_000,
  /** Of a rule that a person writes at a permission question. */
  permissionPatternCharacters: 1_000,
  /** Messages typed ahead while a run goes on. */
  queuedMessages: 20,
  previewTimeoutMs: 5_000,
  userMessageCharacters: 2_000_000,
  /** What retrieval may put before a message (E10). */
  contextNoteCharacters: 2_000,
  // The command line.
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
  // The terminal app.
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
  graphReferences: 5_000,
  // Servers of the Model Context Protocol, and halter as one.
  mcpFileBytes: 1024 * 1024,
  /** Connecting and the handshake; many servers are fetched by npx first. */
  mcpConnectTimeoutMs: 30_000,
  /** So long a session that begins waits for servers; a slower one is there for the next session. */
  mcpOpenMs: 10_000,
  mcpRequestTimeoutMs: 30_000,
  /** One call, counted anew whenever the server reports progress. */
  mcpCallTimeoutMs: 60_000,
  mcpLongestCallMs: 24 * 60 * 60 * 1_000,
  /** Between a server's closed input and its end by force. */
  mcpCloseMs: 1_000,
  mcpRetryDelayMs: 1_000,
  mcpRetryDelayMsMax: 60_000,
  /** Lines on standard output that are no messages, told before they are passed over. */
  mcpStrayLines: 5,
  mcpShownCharacters: 300,
  mcpLastWordsCharacters: 2_000,
  /** One message, a picture in it included. */
  mcpMessageCharacters: 8 * 1024 * 1024,
  mcpResponseBytes: 256 * 1024 * 1024,
  mcpPages: 64,
  mcpEntries: 1_000,
  mcpDescriptionCharacters: 1_000,
  mcpArgumentDescriptionCharacters: 300,
  mcpSchemaDepth: 24,
  mcpSchemaCharacters: 20_000,
  mcpErrorCharacters: 2_000,
  /** What a model reads of one result; the rest is put aside, or left out where that cannot be. */
  mcpResultBytes: 32 * 1024,
  /** Where the rest is put aside; in no script more than that many bytes. */
  mcpResultCharacters: 10_000,
  mcpQuestionCharacters: 2_000,
  /** Open questions of servers in one session; what is more is declined. */
  mcpQuestions: 8,
  mcpAddressCharacters: 8_000,
  /** The protocol's own. */
  mcpCompletions: 100,
  /** How long a login in the browser is waited for. */
  mcpLoginMs: 600_000,
  /** Of a call that a client's person is asked about. */
  mcpPermissionCharacters: 20_000,
  /** Connections of clients that shake hands, at `/mcp`; the one that was silent the longest makes room. */
  mcpHttpSessions: 32,
  mcpSampleTokens: 4_096,
  mcpSampleCharacters: 64 * 1024,
  // Conformance runs.
  conformanceTextCharacters: 64 * 1024 * 1024,
  /** For something to appear on the screen of a case. */
  conformanceWaitMs: 5_000,
  /** And on a page, whose browser may have to start first. */
  conformancePageMs: 20_000,
  /** For one case as a whole. */
  conformanceCaseMs: 180_000,
} as const;

/** Not spread: hundreds of properties that follow a spread took 4 ms and 5 MB of every start. */
export const LIMITS = Object.assign(OWN_LIMITS, FILE_LIMITS, RETRIEVAL_LIMITS, SERVER_LIMITS);

/** The numbers a person or a preset may change for a run. */
export type Limits = {
  toolCallsPerIteration: number;
  iterations: number;
  repairs: number;
  toolTimeoutMs: number;
  summaryCharacters: number;
};

export const DEFAULT_LIMITS: Limits = {
  toolCallsPerIteration: LIMITS.toolCallsPerIteration,
  iterations: LIMITS.iterations,
  repairs: LIMITS.repairs,
  toolTimeoutMs: LIMITS.toolTimeoutMs,
  summaryCharacters: LIMITS.summaryCharacters,
};

/** In a file of their own, so that a browser that only reads calls loads these alone. */
export { DIALECT_LIMITS } from './limits/dialect-limits.ts';

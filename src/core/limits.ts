/**
 * The numbers that the core itself goes by, and those that several folders share. A number that one folder uses is in the
 * `limits.ts` of that folder.
 */
import { DOCUMENT_LIMITS } from './limits/document-limits.ts';

/** Numbers that bound something, by their name with its unit: those of the core, and those that several folders share. */
export const LIMITS = {
  ...DOCUMENT_LIMITS,

  // What one message, one run and one call may take (Z14, K4). The documents' own values are presets, see core/presets.ts.
  toolCallsPerIteration: 15,
  iterations: 10,
  repairs: 2,
  toolTimeoutMs: 12_000,
  /** A timer of a longer time goes off at once. */
  timerMsMax: 2_147_483_647,
  summaryCharacters: 900,
  summaryItems: 3,
  summaryItemCharacters: 200,
  /** Of a folder's AGENTS.md, in a small window and in a larger one. */
  instructionsCharactersSmall: 2_000,
  instructionsCharacters: 16_000,
  argumentErrors: 10,
  nearestNames: 3,
  /** Of a name that is said again in an error. */
  quotedNameCharacters: 120,
  /** Tools that a session is without, and the name of one. */
  toolsOff: 500,
  toolNameCharacters: 200,
  /** Ways to read the path of an address, and times that it is decoded. */
  addressReadings: 256,
  addressDecodings: 4,
  /** Of two names that are compared, so many characters count. */
  comparedCharacters: 64,
  /** Results that an answer without a model names. */
  closingResults: 20,
  /** Of a diff, as a person is shown it. */
  previewLines: 200,
  previewLineCharacters: 2_000,
  toolResultCharacters: 60_000,
  /** Levels of a value that a tool returns. */
  returnedDepth: 64,
  /** Pictures of one result, and the base64 of each. */
  resultPictures: 8,
  resultPictureCharacters: 6_000_000,

  // Sessions that are imported.
  importBranches: 1_000,

  // MCP servers.
  mcpEntries: 1_000,

  // The window of a model, and what is kept when room is made in it.
  /** Instructions and tools together, in a window below 16,384 tokens and in a larger one. */
  prefixTokensSmall: 1_200,
  prefixTokensStandard: 2_500,
  /** No model's window is smaller; a server that counts less counts only what was new. */
  windowSmallestTokens: 512,
  /** Kept free for the answer: a quarter of the window, at most this. */
  answerReserveTokens: 4_096,
  compactionFreedShareMin: 0.2,
  /** What stands for everything that was left out: this much, or in a smaller window a share of its room in tokens (the agent's). */
  compactionRetainedCharacters: 10_000,
  /** The same where nothing else makes the prompt fit. */
  compactionRetainedCharactersMin: 300,
  /** So much of what the person said stands beside the newest results, however long these are. */
  compactionSaidCharactersMin: 1_200,
  /** A result that is too large for the window by itself is cut at so much first, and by halves down to so much. */
  compactionCutCharacters: 32_000,
  compactionCutCharactersMin: 250,
  /** Of the arguments in the line that stands for a dropped result. */
  compactionItemCharacters: 120,
  /** Of a message of the person that was too long for the window, so much stays in the prompts after it. */
  unansweredCharacters: 1_000,
  /** Of so many messages of the person it is remembered what they rule out, to hold notes against. */
  clausesRememberedMessages: 3_000,
  /** Results shorter than this are not worth dropping. */
  compactionResultCharacters: 400,
  /** Fewer tokens than this say nothing of a model's speed. */
  speedSampleTokens: 96,
  /** Further tools that are described at the end of a message, and how near the best one the others have to be. */
  shortlistTools: 4,
  shortlistTokens: 400,
  shortlistNearShare: 0.5,
  shortlistRequestCharacters: 4_000,
  modelErrorCharacters: 500,
  /** Requests of all processes together that wait for one model server. */
  waitingForModelServer: 1_000,

  // The graph of code.
  graphRowsDefault: 50,

  // Files that tools read.
  readFileBytes: 10 * 1024 * 1024,
  /** Files shorter than this come whole (H2); of longer ones the curator chooses, or a range is asked for. */
  readFileWholeLines: 100,
  pathCharacters: 4_096,
} as const;

/** The numbers a person or a preset may change for a run: whole, and from 1 on where nothing else is said. */
export type Limits = {
  /** Calls of one answer that run; those behind them go back to the model as refused. Default: 15. */
  toolCallsPerIteration: number;
  /**
   * Rounds of tool calls for one message. After the last one the model is asked once more, without tools. For none, offer no
   * tools. Default: 10.
   */
  iterations: number;
  /** How often in a row the model may correct calls that cannot be used. 0: not once. Default: 2. */
  repairs: number;
  /** Milliseconds for one call of a tool that names no `timeout_ms`, more than 0. Default: 12,000. */
  toolTimeoutMs: number;
  /** Characters of a result where the model reads summaries (`results: 'summary'`). Default: 900. */
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

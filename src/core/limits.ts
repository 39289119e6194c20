/** Every number of the program that bounds something, named with its unit: those of the loop here, the others by what they are about. */

import { EMBEDDED_LIMITS } from './limits/embedded-limits.ts';
import { FILE_LIMITS } from './limits/file-limits.ts';
import { MCP_LIMITS } from './limits/mcp-limits.ts';
import { MODEL_LIMITS } from './limits/model-limits.ts';
import { PROCESS_LIMITS } from './limits/process-limits.ts';
import { RETRIEVAL_LIMITS } from './limits/retrieval-limits.ts';
import { TOOL_LIMITS } from './limits/tool-limits.ts';
import { WEB_LIMITS } from './limits/web-limits.ts';

/** What one message, one run and one call may take (Z14, K4). The documents' own values are presets, see core/presets.ts. */
const LOOP_LIMITS = {
  toolCallsPerIteration: 15,
  iterations: 10,
  repairs: 2,
  toolTimeoutMs: 12_000,
  summaryCharacters: 900,
  summaryItems: 3,
  summaryItemCharacters: 200,
  /** Of a folder's AGENTS.md, in a small window and in a larger one. */
  instructionsCharactersSmall: 2_000,
  instructionsCharacters: 16_000,
  /** What one message may bring along by naming it with @. */
  mentions: 20,
  mentionImageBytes: 8 * 1024 * 1024,
  /** Plugin files that are read from the person's folder. */
  plugins: 100,
  /** Commands of one's own (`commands/*.md`): how many are read, how long one is. */
  customCommands: 200,
  customCommandBytes: 64 * 1024,
  previewsRemembered: 100,
  /** What is kept of a long result where it can be put aside and read in ranges. */
  keptResultBytes: 1024 * 1024,
  /** Spans that are sent together, one text in a span, the answer of a collector, and one session's file of traces. */
  traceBatchSpans: 256,
  traceContentCharacters: 4_000,
  traceResponseBytes: 64 * 1024,
  traceFileBytes: 64 * 1024 * 1024,
  traceExportMs: 5_000,
  /** Results of pure tools that are kept, and how long one may be. */
  cachedResults: 64,
  cachedResultCharacters: 100_000,
  /** What setTimeout can count. */
  timerMsMax: 2 ** 31 - 1,
  previewContextLines: 3,
  previewLines: 200,
  /** Changed lines, old and new together, beyond which a preview says how many instead of showing which. */
  diffLines: 40_000,
  diffTimeoutMs: 200,
  toolResultCharacters: 60_000,
  /** Levels of a value that a tool returns. */
  returnedDepth: 64,
  /** Pictures of one result, and the base64 of each. */
  resultPictures: 8,
  resultPictureCharacters: 6_000_000,
  /** However small the window is. */
  toolResultCharactersMin: 2_000,
  argumentErrors: 10,
  nearestNames: 3,
  /** Of two names that are compared, so many characters count. */
  comparedCharacters: 64,
  emptyReplyRetries: 1,
  /** Reminders for a message whose answers announce calls and make none. */
  nudges: 1,
  denialReasonCharacters: 1_000,
  /** What matters, in the words of a person who asks for room. */
  compactionFocusCharacters: 1_000,
  /** Of a rule that a person writes at a permission question. */
  permissionPatternCharacters: 1_000,
  /** Messages typed ahead while a run goes on. */
  queuedMessages: 20,
  previewTimeoutMs: 5_000,
  userMessageCharacters: 2_000_000,
  /** What `sessions search` shows round a hit. */
  searchExcerptCharacters: 120,
  /** What retrieval may put before a message (E10). */
  contextNoteCharacters: 2_000,
} as const;

/**
 * Not spread: hundreds of properties that follow a spread took 4 ms and 5 MB of every start. Three at a time, which is
 * what the types of `Object.assign` can tell.
 */
const OUTSIDE = Object.assign({}, PROCESS_LIMITS, TOOL_LIMITS, WEB_LIMITS);
const MODELS = Object.assign({}, MODEL_LIMITS, EMBEDDED_LIMITS, RETRIEVAL_LIMITS);
/** Every number that bounds something, by its name with its unit. */
export const LIMITS = Object.assign({}, Object.assign({}, LOOP_LIMITS, FILE_LIMITS, OUTSIDE), MODELS, MCP_LIMITS);

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

/** The numbers of the embedded engine, and of fetching the models that it runs. */
export const EMBEDDED_LIMITS = {
  /** Window of the conversation where none is asked for; the model may be trained for more. */
  embeddedContextTokens: 8_192,
  embeddedDecisionTokens: 4_096,
  /** Tokens evaluated in one go: between two of these progress is told and cancelling takes hold. */
  embeddedPrefillTokens: 256,
  embeddedGrammars: 64,
  /** Of a guess: so many tokens have to stand in the prompt, and so many that follow there are guessed. */
  speculationPattern: 2,
  speculationTokens: 1,
  embeddedRepeatWindow: 64,
  embeddedSplitCharacterTokens: 4,
  embeddedLogLines: 20,
  pullRedirects: 5,
  pullSilenceTimeoutMs: 60_000,
  pullTimeoutMs: 1_800_000,
  pullExtraBytes: 1_000_000,
  pullOutputBytes: 64 * 1024,
  pullProgressMs: 250,
  partFiles: 16,
  /** Tokens that must be left for an answer beside the prompt. */
  embeddedRoomTokens: 64,
  embeddedTemplateTokens: 4_096,
  chatTemplateCharacters: 200_000,
  /** States of prompts on disk: of all models together, and one of them. */
  states: 64,
  stateBytes: 4 * 1024 ** 3,
  stateFileBytes: 2 * 1024 ** 3,
  stateRecordBytes: 8 * 1024 * 1024,
  stateHashBytes: 1024 * 1024,
  /** The disk must have this many times the room that a state takes. */
  stateFreeTimes: 4,
  /** What a writer left behind that was killed. */
  stateLeftMs: 60 * 60 * 1_000,
  /** Fewer are read again sooner than a file is loaded. */
  stateTokensMin: 64,
  /** So many that are not on disk yet are worth a write after an answer, where a state is not larger than this. */
  stateSaveTokens: 512,
  stateOftenBytes: 256 * 1024 * 1024,
  /** Of a model file, what tells it from another one: its beginning, and pieces from all over it. */
  digestPieces: 64,
  digestPieceBytes: 16 * 1024,
  /** What a machine is measured with. */
  measuredContextTokens: 1_024,
  measuredReadTokens: 256,
  measuredWriteTokens: 24,
  ggufHeaderBytes: 24,
  zipTailBytes: 66_000,
  zipDirectoryBytes: 16 * 1024 * 1024,
} as const;

/** The numbers of the embedded engine, and of fetching the models that it runs. */
export const EMBEDDED_LIMITS = {
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
  /** What a machine is measured with. */
  measuredContextTokens: 1_024,
  measuredReadTokens: 256,
  measuredWriteTokens: 24,
  ggufHeaderBytes: 24,
  zipTailBytes: 66_000,
  zipDirectoryBytes: 16 * 1024 * 1024,
} as const;

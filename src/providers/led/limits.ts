/** The numbers of a turn in steps. */
export const LED_LIMITS = {
  /** Names of one folder that an answer lists. */
  listedNames: 40,
  ledAnswerTokens: 512,
  ledCallTokens: 512,
  ledLeadInTokens: 24,
  /** Of the request and of the tool's description, in the prompt of a call: both must fit the window of decisions. */
  ledCallCharacters: 6_000,
  ledToolCharacters: 4_000,
  ledShortlist: 4,
  ledScoredTokens: 48,
  ledRequestCharacters: 2_000,
  ledResultCharacters: 4_000,
  ledQuoteLines: 100,
  ledQuoteCharacters: 6_000,
  ledCopyWords: 200,
  /** Spans of the request that a schema lists, for engines that take no grammar. */
  ledCopySpans: 300,
  ledArrayItems: 8,
  /** Below this a model is too small to repeat a result, so the answer quotes it. */
  ledSmallModelBytes: 1_000_000_000,
  /** The same, where only the number of its parameters is known, from its name. */
  ledSmallModelParameters: 1_000_000_000,
} as const;

/** The numbers of a turn in steps. */
export const LED_LIMITS = {
  /** Names of one folder that an answer lists. */
  listedNames: 40,
  /** Of a question, so many words are looked up, in so many searches with so many lines each. */
  askedWords: 8,
  folderSearches: 5,
  folderSearchLines: 60,
  /** Lines that came along with a question, in which it is looked up first. */
  broughtLines: 500,
  /** What asks about a text that stands below it is no longer than this. */
  questionLines: 3,
  /** Paragraphs before the question that ask nothing. */
  openings: 3,
  questionCharacters: 400,
  /** Shorter words are not taken for mistyped ones. */
  slipWordLetters: 6,
  /** Lines that name all that was asked, and lines read behind one that only begins a section. */
  quotedPlaces: 5,
  linesBehind: 6,
  ledAnswerTokens: 512,
  ledCallTokens: 512,
  ledLeadInTokens: 24,
  /** Of the request and of the tool's description, in the prompt of a call: both must fit the window of decisions. */
  ledCallCharacters: 6_000,
  ledToolCharacters: 4_000,
  /** Of a tool's description, where it is only decided whether the request is about it: some bring pages. */
  ledGateCharacters: 600,
  ledShortlist: 4,
  /** Calls that one request makes at once; a person is told of those that are left. */
  ledCalls: 8,
  /** Of the calls that are left, so many are named to the person, each with so many characters. */
  namedCallsLeft: 5,
  callLeftCharacters: 80,
  /** Combinations of listed values that are taken for calls. */
  ledPairs: 64,
  /** Clauses of a request that are looked at for tools of their own; the last of them holds what follows. */
  ledClauses: 8,
  ledScoredTokens: 48,
  ledRequestCharacters: 2_000,
  ledResultCharacters: 4_000,
  ledQuoteLines: 100,
  ledQuoteCharacters: 6_000,
  /** Words at each end of a request in which a text value is looked for. */
  ledCopyWords: 150,
  /** Spans of the request that a schema lists, for engines that take no grammar. */
  ledCopySpans: 300,
  ledArrayItems: 8,
  /** Below this a model is too small to repeat a result, so the answer quotes it. */
  ledSmallModelBytes: 1_000_000_000,
  /** The same, where only the number of its parameters is known, from its name. */
  ledSmallModelParameters: 1_000_000_000,
} as const;

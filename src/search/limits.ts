/** How much a word in a name or in the path counts against one in the text. */
export const NAME_WEIGHTS = { body: 0.3, names: 3, path: 0.5 } as const;

/** The limits of the index, of search and of the curator. */
export const SEARCH_LIMITS = {
  // The index of a workspace (Z20).
  indexFileBytes: 1024 * 1024,
  indexDocumentCharacters: 2 * 1024 * 1024,
  indexDocumentPages: 500,
  indexFiles: 200_000,
  indexFilesAhead: 32,
  indexBytesAhead: 4 * 1024 * 1024,
  /** A second thread is started to parse so many files or more. */
  indexParserFiles: 400,
  /** A parsing thread without work ends after this time; one that is told to end and does not is terminated after that. */
  indexParserIdleMs: 30_000,
  indexParserEndMs: 6_000,
  /** Of each indexing thread, for what lives shortly. */
  indexYoungMegabytes: 8,
  /** Lines longer than this on average are a machine's, not a person's. */
  indexLineCharacters: 400,
  indexParseMs: 5_000,
  /** Shorter texts are parsed without looking at the clock. */
  indexParseWatched: 100_000,
  /** What is written together, and how long it may take until it is. */
  indexTransactionMs: 250,
  indexTransactionCharacters: 4 * 1024 * 1024,
  /** An indexing thread looks up this often for a word from outside. */
  indexBreathMs: 20,
  indexBusyTimeoutMs: 10_000,
  indexSkippedNamed: 50,
  /** Changes in the workspace are gathered this long, and beyond so many the whole is looked at again. */
  indexDebounceMs: 300,
  /** The longest rest after a long look. */
  indexRestMs: 10_000,
  indexPathsAtOnce: 500,
  /** How long the end of a session may wait for what it read last. */
  indexCloseMs: 1_000,
  indexNames: 200_000,
  /** Words in more chunks than this are counted beforehand. */
  indexCommonChunks: 200,
  indexCommonWords: 50_000,
  /** So many places of all words together are looked at; commoner words only tell the found apart. */
  searchPlaces: 5_000,
  /** For a second word where there is only one; each place costs about two microseconds. */
  searchPlacesMore: 3_000,
  embedBatch: 32,
  /** The newest so many are scanned. */
  vectorsInMemory: 50_000,
  /** A question does not wait longer for its vector than this. */
  embedQueryTimeoutMs: 3_000,
  embedFirstQueryTimeoutMs: 10_000,
  embedCharacters: 6_000,
  embedTimeoutMs: 60_000,
  chunkLines: 80,
  chunkContainerLines: 25,
  chunkSmallLines: 6,
  chunkProseLines: 40,
  /** Paragraphs in a line each are cut sooner than their lines say, and a longer line into such pieces. */
  chunkProseCharacters: 4_000,
  chunkPieceCharacters: 1_500,
  // Search (E2).
  searchLimitDefault: 10,
  searchLimitMax: 50,
  searchCandidates: 200,
  /** So many of them are weighed whatever they are, the others where they are functions. */
  searchCandidatesSure: 100,
  /** So few parts are all weighed where a question's own words find little. */
  searchSmallIndex: 300,
  searchQueryCharacters: 2_000,
  searchWords: 64,
  /** Documents of one conversation that a search is held to. */
  sessionDocuments: 1_000,
  chatDocumentsBytes: 500 * 1024 * 1024,
  /** Chats whose documents are kept open, besides those of open sessions. */
  chatDocumentsOpen: 64,
  curatorShare: 0.3,
  curatorLinesMin: 60,
  /** A model's window may have room for fewer. */
  curatorLinesMax: 1_000,
  curatorWords: 60,
  curatorMessages: 20,
  curatorCached: 200,
  curatorSectionsShown: 60,
  curatorJudgeTimeoutMs: 10_000,
  curatorJudgeTokens: 400,
  graphReferences: 5_000,
} as const;

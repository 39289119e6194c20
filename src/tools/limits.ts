/** The numbers of the tools, with their units. */
export const TOOL_LIMITS = {
  previewsRemembered: 100,
  previewContextLines: 3,
  previewDiffCharacters: 2_000_000,
  /** Changed lines, old and new together, beyond which a preview says how many instead of showing which. */
  diffLines: 40_000,
  diffTimeoutMs: 200,
  jobWaitMsMax: 60_000,
  jobInputCharacters: 64 * 1024,
  bashTimeoutMs: 120_000,
  bashTimeoutMsMax: 600_000,
  bashCommandBytes: 32 * 1024,
  /** What the model reads of a command's output. */
  bashOutputBytes: 30 * 1024,
  /** What a person's screen gets of it while it runs; nobody reads more than this as it passes. */
  bashLiveBytes: 16 * 1024 * 1024,
  searchSnippetCharacters: 2_000,
  ragSearchLimitDefault: 3,
  ragSearchLimitMax: 20,
  graphRows: 200,
  // The curator of long files (H3).
  /** Longer files come from their beginning: choosing would take longer than asking for a range. */
  curatorBytes: 1024 * 1024,
  curatorOmittedNamed: 8,
  readFileLineCharacters: 2_000,
  readFileCharacters: 50_000,
  /** What says which lines are shown, and where the others are. */
  readFileNoteCharacters: 800,
  /** UTF-8 bytes of one shown line, whatever its script. */
  readFileLineBytes: 3_900,
  /** Of a page in one line, where it is not known what a model has room for: half of a window of 8,192 tokens. */
  readFilePageBytes: 16_000,
  fileTreePaths: 5_000,
  /** A tree or table is ended before the runner would cut it in the middle. */
  /** Longer trees have a line for each path: shorter ones are never cut for a window. */
  fileTreeLineCharacters: 2_000,
  fileTreeCharacters: 1_000_000,
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
  /** Of a match in a longer line than this only what stands from the match on is kept. */
  grepMessageCharacters: 8 * 1024 * 1024,
  grepErrorBytes: 8 * 1024,
  /** A file of settings that is looked into for keys. */
  tokenFileBytes: 256 * 1024,
  /** Shorter than a tool's own limit, so that what was found until then is not lost. */
  grepTimeoutMs: 10_000,
  grepFilterAlternatives: 256,
  /** Braces in braces. */
  grepFilterDepth: 8,
  /** Places of a text that is there too often, counted for the message. */
  editPlacesCounted: 1_000,
  /** Lines looked through, and shown, when a text to replace is not there and the nearest one is searched. */
  nearestRegionLines: 20_000,
  nearestRegionShownLines: 12,
  taskCharacters: 2_000,
  statsIntervalMs: 250,
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
  /** Less than a tool's time by this much, so that a silent service is reported before the tool is ended. */
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
} as const;

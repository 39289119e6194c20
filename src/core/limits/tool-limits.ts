/** The numbers of the tools for files, and of what stands behind them: walks, ignore files, searches. */
export const TOOL_LIMITS = {
  readFileBytes: 10 * 1024 * 1024,
  /** Files shorter than this come whole (H2); of longer ones the curator chooses, or a range is asked for. */
  readFileWholeLines: 100,
  readFileLineCharacters: 2_000,
  readFileCharacters: 50_000,
  /** UTF-8 bytes of one shown line, whatever its script. */
  readFileLineBytes: 3_900,
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
  /** Of a match in a longer line than this only what stands from the match on is kept. */
  grepMessageCharacters: 8 * 1024 * 1024,
  grepErrorBytes: 8 * 1024,
  /** Shorter than a tool's own limit, so that what was found until then is not lost. */
  grepTimeoutMs: 10_000,
  grepFilterAlternatives: 256,
  pathCharacters: 4_096,
  /** Places of a text that is there too often, counted for the message. */
  editPlacesCounted: 1_000,
  /** Lines looked through, and shown, when a text to replace is not there and the nearest one is searched. */
  nearestRegionLines: 20_000,
  nearestRegionShownLines: 12,
  taskCharacters: 2_000,
  tasksPerSession: 1_000,
  statsIntervalMs: 250,
} as const;

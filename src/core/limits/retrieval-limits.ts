/** The numbers of the index, of search and of the curator; a part of `LIMITS`. */
export const RETRIEVAL_LIMITS = {
  /** PDF and Office files hold more than their text. */
  indexDocumentBytes: 20 * 1024 * 1024,
  searchSnippetCharacters: 2_000,
  ragSearchLimitDefault: 3,
  ragSearchLimitMax: 20,
  graphRowsDefault: 50,
  graphRows: 200,
  /** Files that a person put into one chat. */
  chatDocuments: 200,
  // The curator of long files (H3).
  /** Longer files come from their beginning: choosing would take longer than asking for a range. */
  curatorBytes: 1024 * 1024,
  curatorOmittedNamed: 8,
  /** Tools that depend on settings, when the head of an earlier session is looked for: each doubles the tries. */
  headToolsTried: 6,
} as const;

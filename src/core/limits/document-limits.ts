/** The numbers of documents that a person puts into a chat. A file of its own, so that the web app loads these alone. */
export const DOCUMENT_LIMITS = {
  /** Of a file that a person put into a chat: no system's own limit is reached by it. */
  documentNameCharacters: 120,
  /** PDF and Office files hold more than their text. */
  indexDocumentBytes: 20 * 1024 * 1024,
} as const;

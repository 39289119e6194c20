/** The numbers of servers of the Model Context Protocol, of halter as one, and of halter as an agent of editors. */
export const MCP_LIMITS = {
  /** Sessions that an editor has open at once. */
  acpSessions: 64,
  mcpFileBytes: 1024 * 1024,
  /** Connecting and the handshake; many servers are fetched by npx first. */
  mcpConnectTimeoutMs: 30_000,
  /** So long a session that begins waits for servers; a slower one is there for the next session. */
  mcpOpenMs: 10_000,
  mcpRequestTimeoutMs: 30_000,
  /** One call, counted anew whenever the server reports progress. */
  mcpCallTimeoutMs: 60_000,
  mcpLongestCallMs: 24 * 60 * 60 * 1_000,
  /** Between a server's closed input and its end by force. */
  mcpCloseMs: 1_000,
  mcpRetryDelayMs: 1_000,
  mcpRetryDelayMsMax: 60_000,
  /** Lines on standard output that are no messages, told before they are passed over. */
  mcpStrayLines: 5,
  mcpShownCharacters: 300,
  mcpLastWordsCharacters: 2_000,
  /** One message, a picture in it included. */
  mcpMessageCharacters: 8 * 1024 * 1024,
  mcpResponseBytes: 256 * 1024 * 1024,
  mcpPages: 64,
  mcpEntries: 1_000,
  mcpDescriptionCharacters: 1_000,
  mcpArgumentDescriptionCharacters: 300,
  mcpSchemaDepth: 24,
  mcpSchemaCharacters: 20_000,
  mcpErrorCharacters: 2_000,
  /** What a model reads of one result; the rest is put aside, or left out where that cannot be. */
  mcpResultBytes: 32 * 1024,
  /** Where the rest is put aside; in no script more than that many bytes. */
  mcpResultCharacters: 10_000,
  mcpQuestionCharacters: 2_000,
  /** Open questions of servers in one session; what is more is declined. */
  mcpQuestions: 8,
  mcpAddressCharacters: 8_000,
  /** The protocol's own. */
  mcpCompletions: 100,
  /** How long a login in the browser is waited for. */
  mcpLoginMs: 600_000,
  /** Of a call that a client's person is asked about. */
  mcpPermissionCharacters: 20_000,
  /** A program that writes a file does so in several steps; settings are read again after them. */
  settingsSettleMs: 100,
  /** Files of the workspace that a server is started from: how many are followed, how much of one is read, and of its names. */
  mcpStartedFiles: 400,
  mcpStartedFileBytes: 64 * 1024 * 1024,
  mcpStartedTextCharacters: 512 * 1024,
  mcpStartedWordCharacters: 500,
  mcpStartedNames: 1_000,
  mcpStartedFolders: 50,
  mcpSampleTokens: 4_096,
  mcpSampleCharacters: 64 * 1024,
} as const;

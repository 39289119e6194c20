/** The numbers of the Model Context Protocol, of other servers and of halter as one. */
export const MCP_LIMITS = {
  /** Connecting and the handshake; many servers are fetched by npx first. */
  mcpConnectTimeoutMs: 30_000,
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
  mcpLastWordsCharacters: 8_000,
  /** One message, a picture in it included. */
  mcpMessageCharacters: 8 * 1024 * 1024,
  mcpResponseBytes: 256 * 1024 * 1024,
  mcpPages: 64,
  mcpDescriptionCharacters: 1_000,
  mcpArgumentDescriptionCharacters: 300,
  mcpSchemaDepth: 24,
  /** What contradicts itself in a schema is looked for again after some of it was left out. */
  mcpSchemaPasses: 4,
  mcpSchemaCharacters: 20_000,
  mcpErrorCharacters: 2_000,
  /** What a model reads of one result; the rest is put aside, or left out where that cannot be. */
  mcpResultBytes: 32 * 1024,
  mcpQuestionCharacters: 2_000,
  /** Open questions of servers in one session; what is more is declined. */
  mcpQuestions: 8,
  mcpAddressCharacters: 8_000,
  /** The protocol's own. */
  mcpCompletions: 100,
  /** Of a call that a client's person is asked about. */
  mcpPermissionCharacters: 20_000,
  mcpSampleTokens: 4_096,
} as const;

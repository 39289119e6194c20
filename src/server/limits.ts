/** The limits of `halter serve`, each named with its unit. */
export const SERVER_LIMITS = {
  port: 7411,
  bodyBytes: 1024 * 1024,
  /** Sessions that are shared for reading at once. */
  shares: 100,
  /** Sessions that statistics are made of, and how many are read at the same time. */
  statisticsSessions: 2_000,
  statisticsAtOnce: 16,
  /** Messages may hold pictures. */
  messageBytes: 32 * 1024 * 1024,
  jsonDepth: 128,
  /** When whoever found the database away, a queue full or a server ending may ask again. */
  askAgainS: 5,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 15_000,
  /** Of pages that want to go on after a restart, under way at once. */
  openChallenges: 64,
  requestTimeoutMs: 60_000,
  timeoutCheckMs: 5_000,
  keepAliveMs: 5_000,
  connections: 2_000,
  /** After so long, streams and runs that do not end are ended with the process. */
  shutdownMs: 5_000,
  /** What a stream of events remembers to send again, per session. */
  recentFrames: 4_096,
  recentBytes: 1024 * 1024,
  /**
   * How far a server may lag behind the one that a reader comes from: it looks at a shared database every 5 seconds, and
   * later while the database starts again.
   */
  readerAheadMs: 30_000,
  /** So often at most while a run is open, which may be taken over and write what was lost again. */
  readerAheadLooks: 4,
  liveOutputCharacters: 64 * 1024,
  /** Not read yet by the other side of a stream, and of all streams; beyond it the stream is ended, or the one furthest behind. */
  queuedBytes: 4 * 1024 * 1024,
  queuedBytesAll: 16 * 1024 * 1024,
  /** What goes to a socket in one piece. */
  chunkBytes: 64 * 1024,
  /** A socket of which nothing was taken for so long, though something waits there, is closed. */
  stalledMs: 30_000,
  /** Pieces of what is under way are put together when there are so many. */
  inFlightPieces: 256,
  pingMs: 15_000,
  /** Changes of the list of sessions within this time are told as one. */
  listChangeMs: 150,
  /** How often the list is looked at where several servers share a store. */
  sharedListMs: 3_000,
  /** Pieces of an answer that come within this time of each other are sent together. */
  mergeMs: 5,
  /** A client of the gateway hears something after so long, though the model has said nothing yet. */
  firstByteMs: 10_000,
  /** Of a kept log, in one piece. */
  replayCharacters: 512 * 1024,
  /** Sessions held in memory; those that nobody reads are closed beyond it. */
  openSessions: 64,
  /** What is told of a session that is not open waits so long for the name of the model that it would go on with. */
  openingModelMs: 1_000,
  /** A session in which nothing was said waits so long for the page that left it, which may only have been loaded again. */
  leftSessionMs: 30_000,
  sessionIdleMs: 60_000,
  /** Requests of the chat route that are under way or wait for their turn. */
  chatRequests: 200,
  /** What is looked up before a message may take so long. */
  lookUpMs: 3_000,
  /** Pulls and probes of models at once, and how many that are over are remembered. */
  modelJobs: 4,
  modelJobsRemembered: 20,
  pageEvents: 500,
  pageEventsMax: 5_000,
  /** Errors in a request body that are reported together. */
  bodyErrors: 10,
  /** Connections of MCP clients that shake hands, at `/mcp`; the one that was silent the longest makes room. */
  mcpSessions: 32,
  /** Markup that waits for the frame that draws it. */
  previews: 16,
  previewMs: 60_000,
  embeddingTexts: 2_048,
} as const;

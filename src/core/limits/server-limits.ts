/** The numbers of `halter serve`; they are part of LIMITS. */
export const SERVER_LIMITS = {
  serverPort: 7411,
  serverBodyBytes: 1024 * 1024,
  /** Messages may hold pictures. */
  serverMessageBytes: 32 * 1024 * 1024,
  serverJsonDepth: 128,
  serverHeaderBytes: 16 * 1024,
  serverHeadersTimeoutMs: 15_000,
  /** Of pages that want to go on after a restart, under way at once. */
  serverOpenChallenges: 64,
  /** How old the key may be by which pages are known again. */
  pageKeyMs: 30 * 24 * 60 * 60 * 1000,
  serverRequestTimeoutMs: 60_000,
  serverTimeoutCheckMs: 5_000,
  serverKeepAliveMs: 5_000,
  serverConnections: 2_000,
  /** After so long, streams and runs that do not end are ended with the process. */
  serverShutdownMs: 5_000,
  /** What a stream of events remembers to send again, per session. */
  serverRecentFrames: 4_096,
  serverRecentBytes: 1024 * 1024,
  serverLiveOutputCharacters: 64 * 1024,
  /** Not read yet by the other side of a stream, and of all streams; beyond it the stream is ended, or the one furthest behind. */
  serverQueuedBytes: 4 * 1024 * 1024,
  serverQueuedBytesAll: 16 * 1024 * 1024,
  /** What goes to a socket in one piece. */
  serverChunkBytes: 64 * 1024,
  /** A socket of which nothing was taken for so long, though something waits there, is closed. */
  serverStalledMs: 30_000,
  /** Pieces of what is under way are put together when there are so many. */
  serverInFlightPieces: 256,
  serverPingMs: 15_000,
  /** Pieces of an answer that come within this time of each other are sent together. */
  serverMergeMs: 5,
  /** Of a kept log, in one piece. */
  serverReplayCharacters: 512 * 1024,
  /** Sessions held in memory; those that nobody reads are closed beyond it. */
  serverOpenSessions: 64,
  /** A session in which nothing was said waits so long for the page that left it, which may only have been loaded again. */
  serverLeftSessionMs: 30_000,
  serverSessionIdleMs: 60_000,
  /** Requests of the chat route that are under way or wait for their turn. */
  serverChatRequests: 200,
  /** What is looked up before a message may take so long. */
  serverLookUpMs: 3_000,
  /** Of a picture that is shown: its bytes, its points when it is drawn, and how long another side may take. */
  pictureBytes: 16 * 1024 * 1024,
  picturePixels: 50_000_000,
  pictureTimeoutMs: 20_000,
  serverPageEvents: 500,
  serverPageEventsMax: 5_000,
} as const;

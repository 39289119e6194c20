/** The numbers of the gateway. */
export const GATEWAY_LIMITS = {
  /** Stop sequences of one request. */
  stops: 16,
  /** Tools of one request. */
  tools: 512,
  /** So many characters tell whether a call begins; and so much of one is held back at most. */
  unsureCharacters: 200,
  heldCharacters: 200_000,
  /** A call that was cut by the token limit is asked for again so often. */
  halfCallRetries: 1,
  /** And an answer whose stream broke before anything of it was handed on. */
  brokenAnswerRetries: 1,
  /** Conversations that `previous_response_id` can name, and how long. */
  keptResponses: 256,
  keptResponseMs: 60 * 60 * 1_000,
  /** References to kept items in one request, and what all of them together stand for. */
  references: 4_096,
  referredCharacters: 32_000_000,
  /** Models that clients name are known for so long; a server may have been started anew since. */
  keptModels: 64,
  keptModelMs: 30_000,
  /** A server that still loads its model is waited for so long before the client is told; it asks again by itself. */
  modelLoadMs: 120_000,
  modelLoadRetryMs: 1_000,
  modelLoadAgainSeconds: 10,
  /** Conversations whose first instructions are remembered, so that a change does not make the server read all again. */
  keptInstructions: 64,
  /** Instructions that differ from those before by more characters are taken as new ones. */
  changedInstructionCharacters: 4_000,
  /** Characters of a request beside the conversation, and of its instructions that tell what it is. */
  sideCharacters: 40_000,
  sideInstructionCharacters: 4_000,
  /** It waits so long for a conversation that begins, for the results of its calls, and altogether. */
  sideGraceMs: 1_000,
  sideGapMs: 20_000,
  sideWaitMs: 120_000,
  /** Clients that the statistics tell apart. */
  clients: 100,
} as const;

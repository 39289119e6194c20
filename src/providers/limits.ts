/** The numbers of model servers: connections, answers, pools. */
export const PROVIDER_LIMITS = {
  /** A budget of thinking for a model that hears three words: up to here `low`, up to there `medium`. */
  lowEffortTokens: 1_024,
  mediumEffortTokens: 8_192,
  modelConnectTimeoutMs: 5_000,
  modelSilenceTimeoutMs: 120_000,
  modelAttempts: 3,
  /** Further requests where the connection broke before anything of an answer came: an empty reply. */
  modelBrokenRetries: 1,
  modelRetryDelayMs: 500,
  modelRetryDelayMsMax: 20_000,
  /** Of a server's own word for the end of an answer, as it is shown. */
  finishWordCharacters: 60,
  modelLineBytes: 8 * 1024 * 1024,
  modelResponseBytes: 64 * 1024 * 1024,
  /** Text and thoughts of one answer: half a million tokens, which no model means to write. */
  modelAnswerCharacters: 2_000_000,
  /** Of all its calls together: a file of some megabytes may be written in one. */
  modelArgumentsCharacters: 6_000_000,
  /** Of the body that comes with a refusal. */
  modelRefusalCharacters: 64 * 1024,
  /** Of a usual port: one that is closed says so at once, and a server on a busy machine needs its time. */
  probeTimeoutMs: 2_000,
  /** And again, so that Ollama keeps the model in memory while the session is open. */
  warmUpAgainMs: 10 * 60 * 1_000,
  /** A refused connection on this machine is answered at once, so waiting long between tries serves nobody. */
  modelRefusedRetryDelayMs: 200,
  modelInformationTimeoutMs: 5_000,
  modelInformationBytes: 8 * 1024 * 1024,
  /** Events of a stream that cannot be read are skipped, this many at most. */
  modelMalformedEvents: 20,
  modelCallsPerAnswer: 1_000,
  modelNamesShown: 10,
  /** Fields that servers refused, over all models of one provider. */
  refusedFields: 1_000,
  /** Window asked of Ollama where neither the person, the model file nor a running model names one. */
  ollamaContextTokens: 8_192,
  /** How long a server may keep a body open after it said that it was the end. */
  modelDrainTimeoutMs: 1_000,
  /** Saving or restoring what a slot of llama.cpp holds: some gigabytes at most. */
  slotActionMs: 60_000,
  slotFiles: 200,
  /** Fewer cached tokens after a slot was restored: the server read all of it again. */
  slotRestoredTokens: 32,
  /** Between two looks at a server that is still loading its model. */
  modelLoadingPollMs: 1_000,
  modelLoadingPolls: 1_800,
  /** The most between two requests to a server that lists its models while it loads one. */
  modelLoadingPollMsMax: 10_000,
  /** A batch of texts that are turned into vectors. */
  embeddingTimeoutMs: 120_000,
  embeddingResponseBytes: 32 * 1024 * 1024,
  /** Servers of a pool: requests at a time in each. */
  poolRequestsPerServer: 16,
  /** When whoever found the queue of a server full may ask again. */
  fullQueueRetryS: 5,
  /** A server that is down or has work is asked this often whether it is there, and is gone after so many silences. */
  poolProbeMs: 2_000,
  poolProbeTimeoutMs: 3_000,
  poolMisses: 2,
} as const;

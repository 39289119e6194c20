/** The numbers of model servers, of the window, and of what is known of a model. */
export const MODEL_LIMITS = {
  /** A key of a model server, and the command that prints one. */
  apiKeyBytes: 16 * 1024,
  apiKeyCommandMs: 30_000,
  modelConnectTimeoutMs: 5_000,
  modelSilenceTimeoutMs: 120_000,
  /** How long a provider may take to end after the person stopped the run. */
  modelAbortGraceMs: 2_000,
  modelAttempts: 3,
  modelRetryDelayMs: 500,
  modelRetryDelayMsMax: 20_000,
  modelLineBytes: 8 * 1024 * 1024,
  modelResponseBytes: 64 * 1024 * 1024,
  /** Text and thoughts of one answer: half a million tokens, which no model means to write. */
  modelAnswerCharacters: 2_000_000,
  /** Of all its calls together: a file of some megabytes may be written in one. */
  modelArgumentsCharacters: 6_000_000,
  /** Of the body that comes with a refusal. */
  modelRefusalCharacters: 64 * 1024,
  /** Instructions and tools together, in a window below 16,384 tokens and in a larger one. */
  headTokensSmall: 1_200,
  headTokensStandard: 2_500,
  /** No model's window is smaller; a server that counts less counts only what was new. */
  windowSmallestTokens: 512,
  /** A window of 2,048 holds this beside an answer, and none in use is smaller: no server is asked for its own before. */
  windowUnaskedTokens: 1_536,
  /** Kept free for the answer: a quarter of the window, at most this. */
  answerReserveTokens: 4_096,
  /** The least room an answer needs. */
  answerTokensMin: 256,
  /** Making room begins with this share of the window as its aim, and counts only when it frees the share below. */
  compactionTargetShare: 0.18,
  /** Of the window, after room was made. */
  compactionFreeShareMin: 0.34,
  compactionFreedShareMin: 0.2,
  /** What stands for everything that was left out: this much, or in a smaller window this share of its room in tokens. */
  compactionRetainedCharacters: 10_000,
  compactionRetainedShare: 0.7,
  /** Notes of the model: worth a request where so much is left out; the room and the time that they may take. */
  notesWorthTokens: 1_500,
  notesRoomTokens: 800,
  notesTimeoutMs: 90_000,
  /** How often a prompt that the server refused as too long is made smaller and sent again. */
  overflowAttempts: 4,
  /** A result that is too large for the window by itself is cut at so much first, and by halves down to so much. */
  compactionCutCharacters: 32_000,
  compactionCutCharactersMin: 500,
  /** Of the arguments in the line that stands for a dropped result. */
  compactionItemCharacters: 120,
  /** Results shorter than this are not worth dropping. */
  compactionResultCharacters: 400,
  probeTimeoutMs: 700,
  /** `halter models probe`: one check, all of them, the answer to one, and the longest prompt that is tried. */
  probeCheckMs: 120_000,
  probeTotalMs: 1_200_000,
  probeAnswerTokens: 256,
  probeWindowTokens: 6_000,
  /** A prompt that would take longer to read is not tried. */
  probeWindowSeconds: 20,
  profileFileBytes: 1024 * 1024,
  profileNameCharacters: 60,
  /** Fewer tokens than this say nothing of a model's speed. */
  speedSampleTokens: 96,
  modelSpeeds: 200,
  /** Further tools that are described at the end of a message, and how near the best one the others have to be. */
  shortlistTools: 4,
  shortlistTokens: 400,
  shortlistNearShare: 0.5,
  /** Messages of which it is remembered what their end describes. */
  shortlistsRemembered: 20_000,
  shortlistRequestCharacters: 4_000,
  /** Between two estimates of how far a prompt is read, where that will take longer than this. */
  prefillTickMs: 500,
  prefillShownSeconds: 2,
  /** How long nothing happens before a local engine reads what the next prompt begins with. */
  warmUpDelayMs: 300,
  /** And again, so that Ollama keeps the model in memory while the session is open. */
  warmUpAgainMs: 10 * 60 * 1_000,
  /** A refused connection on this machine is answered at once, so waiting long between tries serves nobody. */
  modelRefusedRetryDelayMs: 200,
  modelInformationTimeoutMs: 5_000,
  modelInformationBytes: 8 * 1024 * 1024,
  modelErrorCharacters: 500,
  /** Events of a stream that cannot be read are skipped, this many at most. */
  modelMalformedEvents: 20,
  modelCallsPerAnswer: 1_000,
  modelNamesShown: 10,
  /** Window asked of Ollama where neither the person, the model file nor a running model names one. */
  ollamaContextTokens: 8_192,
  /** How long a server may keep a body open after it said that it was the end. */
  modelDrainTimeoutMs: 1_000,
  /** Between two looks at a server that is still loading its model. */
  modelLoadingPollMs: 1_000,
  modelLoadingPolls: 1_800,
  /** A batch of texts that are turned into vectors. */
  embeddingTimeoutMs: 120_000,
  embeddingTexts: 2_048,
  embeddingResponseBytes: 32 * 1024 * 1024,
  /** Servers of a pool: requests at a time in each, those that wait for a place, and how long at most without a look. */
  poolRequestsPerServer: 16,
  poolWaiting: 1_000,
  poolWaitMs: 1_000,
  /** A server that is down or has work is asked this often whether it is there, and is gone after so many silences. */
  poolProbeMs: 2_000,
  poolProbeTimeoutMs: 3_000,
  poolMisses: 2,
} as const;

/** An engine that remembers over its own end: what it read is saved, and loaded in place of being read again. */
import type { Engine, GenerateOptions, LaneState, Token } from './engine.ts';
import { EMBEDDED_LIMITS } from './limits.ts';
import { type PromptStates, type StateKind, sameTokens } from './prompt-states.ts';

export type KeepingEngine = Engine & {
  /** Keeps what the conversation's lane holds now. */
  keep(kind: StateKind): Promise<void>;
};

export const keepStates = (engine: Engine, lane: LaneState, states: PromptStates): KeepingEngine => {
  /** What is on disk already. */
  let saved: readonly Token[] = [];

  const heedDeletion = async (): Promise<void> => {
    if (await states.wasDeleted()) saved = lane.tokens();
  };

  const keep = async (kind: StateKind): Promise<void> => {
    const tokens = lane.tokens();
    await heedDeletion();
    if (tokens.length < EMBEDDED_LIMITS.stateTokensMin) return;
    if (sameTokens(saved, tokens) === tokens.length && saved.length === tokens.length) return;
    if (await states.save(tokens, kind, (file) => lane.save(file))) saved = tokens;
  };

  /** What is not on disk and would be lost. */
  const unsaved = (tokens: readonly Token[]): number => tokens.length - sameTokens(saved, tokens);

  /** Loads a state that has clearly more of the prompt in it than the engine holds. */
  const restore = async (prompt: readonly Token[]): Promise<void> => {
    const live = lane.tokens();
    const same = sameTokens(live, prompt);
    // Hardly anything is left to read, and nothing is lost.
    if (prompt.length - same < EMBEDDED_LIMITS.stateTokensMin && live.length - same < EMBEDDED_LIMITS.stateTokensMin)
      return;
    await heedDeletion();
    const found = await states.longest(prompt);
    const isWorth = found !== undefined && found.same - same >= EMBEDDED_LIMITS.stateTokensMin;
    // Another conversation begins, and what was read for the last one would be gone.
    if (live.length - same >= EMBEDDED_LIMITS.stateTokensMin && unsaved(live) > 0) await keep('session');
    if (!isWorth || !(await states.verify(found.state))) return;
    try {
      await lane.load(found.state.file);
      const loaded = lane.tokens();
      const isIt =
        loaded.length === found.state.tokens.length && sameTokens(loaded, found.state.tokens) === loaded.length;
      if (!isIt) throw new Error('the state holds other tokens than it says');
      saved = loaded;
    } catch {
      await states.remove(found.state);
      await lane.clear();
    }
  };

  return {
    contextLength: engine.contextLength,
    trainedContextLength: engine.trainedContextLength,
    sizeBytes: engine.sizeBytes,
    parameters: engine.parameters,
    chatTemplate: engine.chatTemplate,
    bosText: engine.bosText,
    eosText: engine.eosText,
    state: lane,
    tokenize: (text, special) => engine.tokenize(text, special),
    specialTexts: () => engine.specialTexts(),
    score: (request) => engine.score(request),
    keep,
    async generate(request: GenerateOptions) {
      if (request.lane !== 'conversation' || request.signal.aborted) return engine.generate(request);
      if (request.prompt.length >= EMBEDDED_LIMITS.stateTokensMin) await restore(request.prompt);
      const generated = await engine.generate(request);
      const tokens = lane.tokens();
      // A large state takes a while to write: it waits until the conversation gives way to another, or ends.
      const isSmall = lane.bytes() <= EMBEDDED_LIMITS.stateOftenBytes;
      if (isSmall && unsaved(tokens) >= EMBEDDED_LIMITS.stateSaveTokens) await keep('session');
      return generated;
    },
    async close() {
      if (unsaved(lane.tokens()) >= EMBEDDED_LIMITS.stateTokensMin) await keep('session');
      await engine.close();
    },
  };
};

/**
 * The model of a conversation, with all that depends on which one it is: how calls are written, the window, how fast it
 * is, what is read ahead. Another model brings all of it along, and what the session has begun with stays as it is.
 */
import type { JsonSchema } from '../../../core/json.ts';
import type { ModelError, ModelProvider, Sampling } from '../../../core/model-port.ts';
import type { ModelProfile } from '../../../core/model-profile.ts';
import type { ProjectionOptions } from '../../../core/model-projection.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { Clock } from '../../../core/ports.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import type { CompactionMode } from '../../../core/window/compaction-mode.ts';
import type { Dialect } from '../../../dialects/index.ts';
import { asRequester } from '../../../io/requester.ts';
import type { ModelSpeeds } from '../../../storage/model-speeds.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { CallModel } from '../call-model.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import type { StepOverrides } from '../step-overrides.ts';
import { type CompactReply, type ContextTokens, Window } from '../window.ts';
import { afterMs, createWarmUp, type WarmUp } from './warm.ts';

export type ConversationModel = {
  provider: ModelProvider;
  model: string;
  /** Its window, where the server says it. */
  contextTokens?: ContextTokens;
  /** How calls are written, and read where `reads` says nothing else. */
  dialect: Dialect;
  reads?: Dialect;
  toolMode: 'native' | 'injected';
  /** Whether it sees pictures; undefined: the server does not say. */
  vision?: boolean | undefined;
  /** Why tools are told in the prompt although nobody asked for that; the person is told. */
  injectedBecause?: string | undefined;
  /** What is known of the model because it was probed, and how fast it is here. */
  profile?: ModelProfile;
  speeds?: ModelSpeeds;
};

export type ModelHolderOptions = ConversationModel & {
  id: string;
  registry: ToolRegistry;
  projection: ProjectionOptions;
  sampling: Sampling;
  clock: Clock;
  /** What is described to the model while a session that began in plan mode stays in it. */
  reading?: (() => readonly ToolSchema[]) | undefined;
  /** A tool that is offered from the first compaction on. */
  afterCompaction?: ToolSchema | undefined;
  /** How room is made in the window: `notes` by default. */
  compaction?: CompactionMode | undefined;
  responseSchema?: () => JsonSchema | undefined;
  /** A local engine reads what the next prompt begins with while nothing happens. */
  warmUp?: boolean;
  openModel?(name: string): Promise<Outcome<ConversationModel, ModelError>>;
};

export type ModelHolder = {
  /** The window of the present model, as far as it is known, and asked for. */
  contextTokens: Window['contextTokens'];
  askContextTokens: Window['askContextTokens'];
  /** Characters that the present prompt has room for; undefined where nobody knows the window. */
  freeCharacters(session: SessionHandle): number | undefined;
  call(session: SessionHandle, iteration: number, overrides?: StepOverrides): Promise<void>;
  compact(session: SessionHandle, focus?: string): Promise<CompactReply>;
  /** Takes another model from the next request on; resolves with its name as its server knows it. */
  change(name: string): Promise<Outcome<string, ModelError>>;
  /** The session is open: reading ahead may begin. */
  begin(session: SessionHandle): void;
  hear: WarmUp['hear'];
  close(): Promise<void>;
};

type Present = { model: ConversationModel; window: Window; calls: CallModel };

export const createModelHolder = (options: ModelHolderOptions): ModelHolder => {
  let present = presentOf(options, options);
  let inside: SessionHandle | undefined;
  let warmUp: WarmUp | undefined;

  const readAhead = (): void => {
    const session = inside;
    if (!options.warmUp || session === undefined) return;
    const { model, calls } = present;
    warmUp = createWarmUp({
      provider: model.provider,
      upcoming: () => calls.upcoming(session),
      progress: session.progress,
      within: (work) => asRequester({ session: options.id, who: 'model' }, work),
      after: afterMs,
    });
    warmUp.idle();
  };

  return {
    contextTokens: () => present.window.contextTokens(),
    askContextTokens: (signal) => present.window.askContextTokens(signal),
    freeCharacters: (session) => present.calls.freeCharacters(session),
    async call(session, iteration, overrides) {
      await warmUp?.stop();
      await present.calls.call(session, iteration, overrides);
    },
    async compact(session, focus) {
      await warmUp?.stop();
      return present.calls.compact(session, focus);
    },
    async change(name) {
      // A name on the same server, of which nothing more is known: the window asks for its size.
      if (options.openModel === undefined) return { ok: true, value: name };
      const opened = await options.openModel(name);
      if (!opened.ok) return opened;
      await warmUp?.stop();
      await present.model.speeds?.keep();
      present = presentOf(options, opened.value);
      readAhead();
      return { ok: true, value: opened.value.model };
    },
    begin(session) {
      inside = session;
      readAhead();
    },
    hear: (update) => warmUp?.hear(update),
    async close() {
      await warmUp?.stop();
      await present.model.speeds?.keep();
    },
  };
};

const presentOf = (options: ModelHolderOptions, model: ConversationModel): Present => {
  const { registry, projection, sampling, clock, responseSchema } = options;
  const { provider, dialect, reads, toolMode, injectedBecause, contextTokens, profile, speeds, vision } = model;
  const window = new Window({
    provider,
    registry,
    projection,
    model: model.model,
    contextTokens,
    isLearned: contextTokens !== undefined && contextTokens === speeds?.of(model.model).context_tokens,
    compaction: options.compaction,
    isSearchable: options.afterCompaction !== undefined,
    onLearned: (name, tokens) => speeds?.learnWindow(name, tokens),
  });
  const calls = new CallModel({
    afterCompaction: options.afterCompaction,
    reading: options.reading,
    provider,
    registry,
    sampling,
    dialect,
    reads,
    toolMode,
    vision,
    injectedBecause,
    projection,
    window,
    clock,
    responseSchema,
    profile,
    speeds,
  });
  return { model, window, calls };
};

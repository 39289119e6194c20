/**
 * The model of a conversation, with all that depends on which one it is: how calls are written, the window, how fast it
 * is, what is read ahead. Another model brings all of it along, and what the session has begun with stays as it is.
 */

import type { Event } from '../../../core/events.ts';
import type { JsonSchema } from '../../../core/json.ts';
import type { ToldWindow } from '../../../core/learned-window.ts';
import type { ModelError, ModelProvider, Sampling } from '../../../core/model-port.ts';
import type { ModelProfile } from '../../../core/model-profile.ts';
import type { ProjectionOptions } from '../../../core/model-projection.ts';
import { type Outcome, succeed } from '../../../core/outcome.ts';
import type { Clock } from '../../../core/ports.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import type { CompactionMode } from '../../../core/window/compaction-mode.ts';
import { headOf } from '../../../core/window/prefix.ts';
import type { Dialect } from '../../../dialects/index.ts';
import { asRequester } from '../../../io/requester.ts';
import type { ModelSpeeds } from '../../../storage/model-speeds.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { CallModel } from '../call-model.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import type { StepOverrides } from '../step-overrides.ts';
import { type SessionHead, shortenedText } from '../window/prompt-prefix.ts';
import { type CompactReply, type ContextTokens, Window } from '../window.ts';
import type { ToolNotice, UnsureTools } from './tool-notation.ts';
import type { NoteTaker } from './turn.ts';
import { afterMs, createWarmUp, type WarmUp } from './warm.ts';

export type ConversationModel = {
  provider: ModelProvider;
  model: string;
  /** Its window, where the server says it. */
  contextTokens?: ContextTokens;
  /** What was told of it, before what was learned. */
  told?: ToldWindow | undefined;
  /** How calls are written, and read where `reads` says nothing else. */
  dialect: Dialect;
  reads?: Dialect;
  toolMode: 'native' | 'injected';
  /** Whether it sees pictures; undefined: the server does not say. */
  vision?: boolean | undefined;
  /** What the person is told of the way tools are had here, once. */
  notice?: ToolNotice | undefined;
  /** Nobody says whether the model gets the tools that its server is sent: what is done where it does not. */
  unsure?: UnsureTools | undefined;
  /** Text that ends an answer: the end markers of the model's own template. */
  stop?: readonly string[];
  /** What is known of the model because it was probed, and how fast it is here. */
  profile?: ModelProfile;
  speeds?: ModelSpeeds;
};

export type ModelHolderOptions = ConversationModel & {
  id: string;
  registry: ToolRegistry;
  projection: ProjectionOptions;
  /** What a request without tools begins with. */
  systemWithoutTools: string;
  sampling: Sampling;
  clock: Clock;
  /** What is described to the model while a session that began in plan mode stays in it. */
  reading?: (() => readonly ToolSchema[]) | undefined;
  /** A tool that is offered from the first compaction on. */
  afterCompaction?: ToolSchema | undefined;
  /** How room is made in the window: `notes` by default. */
  compaction?: CompactionMode | undefined;
  responseSchema?: () => JsonSchema | undefined;
  /** Instructions and tools of a session with this log, in another window than it began in. */
  headFor?(events: readonly Event[], contextTokens: number): SessionHead;
  /** They are looked at again also where they were chosen for a small window. */
  isHeadFitted?: boolean;
  /** A local engine reads what the next prompt begins with while nothing happens. */
  warmUp?: boolean;
  /** By its name, or by a role that `hasRole` knows. */
  openModel?(name: string): Promise<Outcome<ConversationModel, ModelError>>;
  /** Whether the person named a model for a role, such as `compaction`. */
  hasRole?(role: string): boolean;
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
  /** The same for one that this conversation had before, by its name as its server knows it. */
  goBack(model: string): Promise<Outcome<string, ModelError>>;
  /** The session is open: reading ahead may begin. */
  begin(session: SessionHandle): void;
  hear: WarmUp['hear'];
  close(): Promise<void>;
};

/** Role of the model that writes the notes of a full window. */
const NOTES_ROLE = 'compaction';

type Present = { model: ConversationModel; window: Window; calls: CallModel; isShortened: boolean };

export const createModelHolder = (options: ModelHolderOptions): ModelHolder => {
  const noteTaker = noteTakerOf(options);
  const had = new Map<string, ConversationModel>([[options.model, options]]);
  let present = presentOf({ ...options, noteTaker }, options);
  let inside: SessionHandle | undefined;
  let warmUp: WarmUp | undefined;

  const readAhead = (): void => {
    const session = inside;
    if (!options.warmUp || session === undefined) return;
    warmUp = createWarmUp({
      provider: present.model.provider,
      upcoming: async (signal) => {
        await suitHead(session, signal);
        return signal.aborted ? undefined : present.calls.upcoming(session, signal);
      },
      isBusy: () => session.state().phase !== 'idle',
      progress: session.progress,
      within: (work) => asRequester({ session: options.id, who: 'model' }, work),
      after: afterMs,
    });
    warmUp.idle();
  };

  /** Instructions and tools that suit the window, as soon as it is known. */
  const suitHead = async (session: SessionHandle, signal = session.signal()): Promise<void> => {
    const { window, model, calls } = present;
    const first = headOf(session.log());
    if (options.headFor === undefined || first === undefined) return;
    if (first.tier !== 'standard' && options.isHeadFitted !== true) return;
    const known = window.known(session.state().model);
    const contextTokens = known ?? (calls.isSmall(session) ? undefined : await window.askContextTokens(signal));
    if (contextTokens === undefined || signal.aborted) return;
    const head = options.headFor(session.log().filter(tellsHead), contextTokens);
    if (head.isShortened === present.isShortened) return;
    const isLearned = window.isLearned(session.state().model);
    const told = window.told(session.state().model);
    present = presentOf(
      { ...options, noteTaker },
      { ...model, contextTokens, told },
      head.isShortened ? head : undefined,
      isLearned,
    );
    if (!head.isShortened || wasShortened(session.path())) return;
    session.progress({ type: 'warning', code: 'prompt_shortened', message: shortenedText(contextTokens) });
  };

  const take = async (model: ConversationModel): Promise<Outcome<string, ModelError>> => {
    await warmUp?.stop();
    await present.model.speeds?.keep();
    had.set(model.model, model);
    present = presentOf({ ...options, noteTaker }, model);
    readAhead();
    return succeed(model.model);
  };
  const change: ModelHolder['change'] = async (name) => {
    // A name on the same server, of which nothing more is known: the window asks for its size.
    if (options.openModel === undefined) return succeed(name);
    const opened = await options.openModel(name);
    return opened.ok ? take(opened.value) : opened;
  };

  return {
    contextTokens: () => present.window.contextTokens(),
    askContextTokens: (signal) => present.window.askContextTokens(signal),
    freeCharacters: (session) => present.calls.freeCharacters(session),
    async call(session, iteration, overrides) {
      await warmUp?.stop();
      await suitHead(session);
      if ((await present.calls.call(session, iteration, overrides)) === 'done') return;
      await suitHead(session);
      await present.calls.call(session, iteration, overrides);
    },
    async compact(session, focus) {
      await warmUp?.stop();
      await suitHead(session);
      const done = await present.calls.compact(session, focus);
      warmUp?.idle();
      return done;
    },
    change,
    goBack(model) {
      const known = had.get(model);
      return known && options.openModel ? take(known) : change(model);
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

/** The last answer was to shortened instructions, so it was said already. */
const wasShortened = (path: readonly Event[]): boolean => {
  const last = path.findLast(({ type }) => type === 'assistant_message_added');
  return last?.type === 'assistant_message_added' && last.prompt?.tier === 'small';
};

const tellsHead = ({ type }: Event): boolean => type === 'session_started' || type === 'prompt_begun';

/** The model that the person named for notes, opened when they are first written; undefined: they named none. */
const noteTakerOf = (options: ModelHolderOptions): NoteTaker | undefined => {
  if (options.openModel === undefined || !options.hasRole?.(NOTES_ROLE)) return undefined;
  let opened: Present | undefined;
  return async (session, focus) => {
    if (opened === undefined) {
      const found = await options.openModel?.(NOTES_ROLE);
      if (!found?.ok) return { problem: found?.error.message ?? '' };
      opened = presentOf(options, found.value);
    }
    return { notes: await opened.calls.notes(session, focus, opened.model.model) };
  };
};

const presentOf = (
  options: ModelHolderOptions & { noteTaker?: NoteTaker | undefined },
  model: ConversationModel,
  head?: SessionHead,
  isLearned?: boolean,
): Present => {
  const { sampling, clock, responseSchema } = options;
  const registry = head ? { ...options.registry, schemas: head.registry.schemas } : options.registry;
  const projection = head ? { ...options.projection, system: head.system, ending: head.ending } : options.projection;
  const { systemWithoutTools } = head ?? options;
  const { provider, dialect, reads, toolMode, notice, unsure, stop, contextTokens, profile, speeds, vision } = model;
  const window = new Window({
    isOutgrown: (session, tokens) =>
      head === undefined && options.headFor?.(session.log().filter(tellsHead), tokens).isShortened === true,
    provider,
    registry,
    projection,
    requestOf: (session, messages) => calls.requestOf(session, messages),
    model: model.model,
    contextTokens,
    told: model.told,
    isLearned,
    learned: speeds && ((name) => speeds.of(name).window),
    compaction: options.compaction,
    isSearchable: options.afterCompaction !== undefined,
    hasNoteTaker: options.noteTaker !== undefined,
    onLearned: speeds && ((name, learned) => speeds.learnWindow(name, learned)),
  });
  const calls: CallModel = new CallModel({
    afterCompaction: options.afterCompaction,
    noteTaker: options.noteTaker,
    reading: head ? head.reading : options.reading,
    provider,
    registry,
    sampling,
    dialect,
    reads,
    toolMode,
    vision,
    notice,
    unsure,
    stop,
    projection,
    systemWithoutTools,
    window,
    clock,
    responseSchema,
    profile,
    speeds,
    tier: head?.tier,
  });
  return { model, window, calls, isShortened: head !== undefined };
};

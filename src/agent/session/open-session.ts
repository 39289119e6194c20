/** Opens a session of an assembled agent: its log, its prompt, its model, its rules. */

import type { Event, Rule } from '../../core/events.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { ModelError, Sampling } from '../../core/model-port.ts';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { OwnSettings } from '../../core/own-settings.ts';
import type { Preset } from '../../core/presets.ts';
import type { Instructions } from '../../core/project-instructions.ts';
import { type FolderNames, ofFolder, refusedHere } from '../../core/session-folder.ts';
import { settingsOf } from '../../core/settings-of.ts';
import type { OpenedLog, SessionLog, SessionStore, SessionSummary } from '../../core/storage-port.ts';
import type { ResultForm } from '../../core/tool/model-content.ts';
import type { ToolStrategy } from '../../core/tool-strategy.ts';
import type { CompactionMode } from '../../core/window/compaction-mode.ts';
import { headOf } from '../../core/window/prefix.ts';
import type { Dialect } from '../../dialects/index.ts';
import type { Storage } from '../../storage/storage.ts';
import { type ChatDocumentStore, withChatDocuments } from '../knowledge/chat-document-store.ts';
import type { ConversationModel } from '../loop/call-model/conversation-model.ts';
import type { OnAsk } from '../loop/run-effects.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import type { PrepareStep } from '../loop/step-overrides.ts';
import { type PromptPrefixOptions, type SessionHead, sessionPromptPrefix } from '../loop/window/prompt-prefix.ts';
import type { SessionQuestions } from '../mcp/server-questions.ts';
import { type ChosenModel, presentWindow } from '../models/choose-model.ts';
import { toolWay } from '../models/tool-way.ts';
import type { OpenSession, SessionOptions } from '../session.ts';
import { forkSession } from './copy-session.ts';
import { fromFirstMessage } from './from-first-message.ts';
import { openConversation } from './open-conversation.ts';
import { type FoundModel, type OwnModelPlace, type OwnModelPorts, ownModel } from './own-model.ts';

export type OpenSessionOptions = {
  /** Goes on with that session, or begins it. Default: a new one. */
  id?: string;
  /** The newest session of this folder. */
  continueLast?: boolean;
  /** A new session is written from its first message on, so that one in which nothing is said is not kept. */
  fromFirstMessage?: boolean;
  /** False: nothing is written. */
  keep?: boolean;
  /** Goes on with a copy of that session. */
  fork?: boolean;
  /** A run that broke off goes on; else it is brought to its end. */
  goesOn?: boolean;
  /** Hears everything from the beginning, also what a run that goes on does while it is opened. */
  hears?: SessionOptions['hears'];
  /** Another model than the one halter was started with, as `provider/model`. */
  model?: string;
  /** What the person sets for a session that begins; of one that is there, its log says it. */
  settings?: OwnSettings;
};

/** What is the same for every session of an agent. */
export type SessionSettings = {
  preset: Preset | undefined;
  prompt: PromptPrefixOptions;
  results: ResultForm;
  sampling: Sampling;
  compaction: CompactionMode | undefined;
  responseSchema: () => JsonSchema | undefined;
  warmUp: boolean;
  onAsk: OnAsk;
  stopsAfterStep: (() => boolean | Promise<boolean>) | undefined;
  prepareStep: PrepareStep | undefined;
  /** How calls are written, whatever is known of the model. */
  dialect: Dialect | undefined;
  toolStrategy: ToolStrategy | undefined;
  /** A session that is opened again goes on with its own model, where it is there. */
  resumesOwn: OwnModelPlace | undefined;
  /** The window of a model that was not described is asked for when it has to be known. */
  asksWindow: boolean;
  /** The workspace. */
  folder: FolderNames;
  /** Files can be put into any session. */
  documents: boolean;
  onWarning(code: string, message: string): void;
};

export type SessionParts = {
  settings: SessionSettings;
  ports: ToolPorts;
  storage: Storage;
  documents: SessionDocuments | undefined;
  remember(rule: Rule): Promise<{ ok: true } | { ok: false; message: string }>;
  /** What AGENTS.md says now; a session keeps what it began with. */
  instructions(): Promise<Instructions[]>;
  openModel(name?: string): Promise<Outcome<ChosenModel, ModelError>>;
  /** Whether the person named a model for a role, such as `plan`. */
  hasRole(role: string): boolean;
  listModels: OwnModelPorts['listModels'];
  /** What MCP servers ask of the person in this session. */
  questions?: SessionQuestions;
};

/** Files that were put into sessions. */
export type SessionDocuments = {
  store: ChatDocumentStore;
  /** The tools of a session where they can be searched. */
  searchRegistry(): ToolRegistry;
};

/** With the model that it goes on with. */
export const openSession = async (
  parts: SessionParts,
  open: OpenSessionOptions,
): Promise<Outcome<{ session: OpenSession; chosen: ChosenModel }, ModelError>> => {
  const { settings, storage } = parts;
  const named = await parts.openModel(open.model);
  if (!named.ok) return named;
  const found = await openNamed(parts, open);
  if (!found.ok) return { ok: false, error: refusedBy(found.error) };
  const { id, kept } = found.value;
  for (const warning of kept?.warnings ?? []) settings.onWarning('session', warning);
  const events = kept?.events ?? [];
  const elsewhere = refusedHere(events, id, settings.folder);
  if (elsewhere !== undefined) {
    await kept?.log.close();
    return { ok: false, error: refusedBy(elsewhere) };
  }
  const { chosen, missing }: FoundModel =
    settings.resumesOwn && open.model === undefined
      ? await ownModel({ ...parts, at: settings.resumesOwn, onWarning: settings.onWarning }, events, named.value)
      : { chosen: named.value };
  const model = modelOf(settings, chosen);
  const { ports, release } = kept ? await portsWithDocuments(parts, id, events) : { ports: parts.ports };
  const instructions = await parts.instructions();
  const isNew = events.length === 0;
  const set = isNew ? (open.settings ?? {}) : settingsOf(events);
  const prompt = withOwnInstructions(settings.prompt, set, events);
  const prefixFor = (known: readonly Event[], contextTokens: number | undefined): SessionHead =>
    sessionPromptPrefix(prompt, {
      registry: ports.registry,
      contextTokens,
      events: known,
      provider: model.provider,
      instructions,
      tier: chosen.profile?.prompt_tier,
      plans: ports.rules().mode === 'plan',
    });
  const prefix = prefixFor(events, hasHead(events) ? undefined : presentWindow(chosen));
  // Where the person changed the instructions, another beginning is what they asked for.
  if (prefix.broken && prompt === settings.prompt) settings.onWarning('prefix_broken', prefix.broken);
  const session = await openConversation({
    ...ports,
    registry: prefix.registry,
    reading: prefix.reading,
    id,
    ...model,
    missingModel: missing,
    hasRole: parts.hasRole,
    async openModel(name) {
      const other = await parts.openModel(name);
      return other.ok ? succeed(modelOf(settings, other.value)) : other;
    },
    tier: prefix.tier,
    system: prefix.system,
    systemWithoutTools: prefix.systemWithoutTools,
    ending: prefix.ending,
    headFor: prefixFor,
    isHeadFitted: settings.prompt.toolsAsNamed === 'where_they_fit',
    results: settings.results,
    sampling: settings.sampling,
    compaction: settings.compaction,
    isSearchable: true,
    warmUp: settings.warmUp,
    onAsk: settings.onAsk,
    stopsAfterStep: settings.stopsAfterStep,
    prepareStep: settings.prepareStep,
    remember: parts.remember,
    preset: settings.preset?.name,
    responseSchema: settings.responseSchema,
    goesOn: open.goesOn,
    hears: open.hears,
    events,
    copiedTo: kept?.copiedTo,
    log: kept && logOf(parts, open, id, kept),
    keptResults: kept && storage.results(id),
    keptContents: kept && storage.undo,
    questions: parts.questions,
    onClose: async () => release?.(),
    onInterrupted: (message) => settings.onWarning('interrupted', message),
  });
  if (isNew && open.settings !== undefined) {
    const taken = await session.send({ type: 'change_settings', settings: open.settings });
    if (!taken.ok) {
      await session.close();
      return { ok: false, error: { code: 'bad_request', message: taken.message } };
    }
  }
  return succeed({ session, chosen });
};

/** Once a session had instructions of its own, what it began with says nothing of the ones that hold now. */
const withOwnInstructions = (
  prompt: PromptPrefixOptions,
  { instructions = '' }: OwnSettings,
  events: readonly Event[],
): PromptPrefixOptions => {
  const hadOwn = events.some((event) => event.type === 'settings_changed' && event.settings.instructions !== undefined);
  if (instructions === '' && !hadOwn) return prompt;
  return { ...prompt, append: [prompt.append ?? '', instructions].filter((part) => part !== '').join('\n\n') };
};

type NamedSession = { id: string; kept?: OpenedLog | undefined };

/** The session that is meant, open for writing where it is kept. */
const openNamed = async (parts: SessionParts, open: OpenSessionOptions): Promise<Outcome<NamedSession>> => {
  const { sessions } = parts.storage;
  const latest =
    open.continueLast && open.id === undefined
      ? await latestSessions(sessions, parts.settings.folder)
      : succeed<SessionSummary[]>([]);
  if (!latest.ok) return latest;
  const found = await sessionId(parts, open, latest.value[0]?.id);
  if (!found.ok) return found;
  if (open.keep === false) return succeed({ id: found.value });
  const first = await sessions.open(found.value);
  if (first.ok) return succeed({ id: found.value, kept: first.value });
  const [newest] = latest.value;
  // An older conversation in its place would be taken for the one that was meant.
  return first.error.reason === 'in_use' && newest !== undefined
    ? failure('io_error', openElsewhere(newest), 'in_use')
    : first;
};

const openElsewhere = ({ id, title }: SessionSummary): string =>
  `The latest session${title ? ` ("${title}")` : ''} is open in another halter. Close it there, go on with a copy of it (\`-c --fork\`), or name another one (\`--session\`; \`halter sessions list\`). It is ${id}.`;

const sessionId = async (
  parts: SessionParts,
  open: OpenSessionOptions,
  last: string | undefined,
): Promise<Outcome<string>> => {
  const { sessions } = parts.storage;
  const named = open.id ?? last;
  if (!open.fork) return succeed(named ?? crypto.randomUUID());
  if (named === undefined) return failure('not_found', 'There is no session here that could be copied.');
  const { storage, ports } = parts;
  const source = await sessions.read(named);
  if (!source.ok) return source;
  const elsewhere = refusedHere(source.value.events, named, parts.settings.folder);
  if (elsewhere !== undefined) return { ok: false, error: elsewhere };
  const { limits, clock } = ports;
  const forked = await forkSession({ storage, limits, clock }, { id: named });
  return forked.ok ? succeed(forked.value.id) : forked;
};

const logOf = (
  { storage }: SessionParts,
  { fromFirstMessage: isLate }: OpenSessionOptions,
  id: string,
  { events, log }: { events: readonly Event[]; log: SessionLog },
): SessionLog => (isLate && events.length === 0 ? fromFirstMessage(log, () => storage.sessions.remove(id)) : log);

/** A chat that has documents, can get some or could once is searched; the list of its tools stays what it was. */
const portsWithDocuments = async (
  { settings, ports, documents }: SessionParts,
  id: string,
  events: readonly Event[],
): Promise<{ ports: ToolPorts; release?(): void }> => {
  const held = await documents?.store.hold(id);
  if (documents === undefined || !held?.ok) return { ports };
  const { documents: found, release } = held.value;
  const head = headOf(events);
  const isSearched =
    settings.documents || found.list().length > 0 || (head?.tools.some(({ name }) => name === 'rag_search') ?? false);
  return isSearched
    ? { ports: { ...withChatDocuments(ports, found), registry: documents.searchRegistry() }, release }
    : { ports, release };
};

const modelOf = (settings: SessionSettings, chosen: ChosenModel): ConversationModel => {
  const { provider, model, info, told, profile, speeds } = chosen;
  const contextTokens = presentWindow(chosen) ?? (settings.asksWindow ? 'ask' : undefined);
  const vision = provider.name === 'embedded' ? false : info.vision;
  return { model, contextTokens, told, ...toolWay(settings, chosen), vision, profile, speeds };
};

/** How far back an empty session is passed over. */
const LATEST_SESSIONS = 50;

/** Newest first. */
const latestSessions = async (sessions: SessionStore, folder: FolderNames): Promise<Outcome<SessionSummary[]>> => {
  const listed = await sessions.list({ ...ofFolder(folder), limit: LATEST_SESSIONS });
  if (!listed.ok) return listed;
  // One in which nothing was said is no conversation to go on with.
  const spoken = listed.value.filter(({ message_count }) => message_count > 0);
  return succeed(spoken.length > 0 ? spoken : listed.value);
};

export const lastSession = async (
  sessions: SessionStore,
  folder: FolderNames,
): Promise<Outcome<string | undefined>> => {
  const latest = await latestSessions(sessions, folder);
  return latest.ok ? succeed(latest.value[0]?.id) : latest;
};

/** Its head holds until a window shows to be much smaller. */
const hasHead = (events: readonly Event[]): boolean => headOf(events) !== undefined;

const refusedBy = ({ message, reason }: Failure): ModelError => ({
  code: 'bad_request',
  message,
  reason,
  of_storage: true,
});

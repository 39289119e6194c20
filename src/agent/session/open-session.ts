/** Opens a session of an assembled program: its file, its prompt, its model, its rules. */
import type { Event, Rule } from '../../core/events.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { ModelProfile } from '../../core/model-profile.ts';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Preset } from '../../core/presets.ts';
import type { Instructions } from '../../core/project-instructions.ts';
import type { SessionStore } from '../../core/storage-port.ts';
import type { Dialect } from '../../dialects/index.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AgentOptions } from '../create-agent/options.ts';
import { type ChatDocumentStore, withChatDocuments } from '../knowledge/chat-document-store.ts';
import type { ConversationModel } from '../loop/call-model/conversation-model.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { sessionPromptPrefix } from '../loop/window/prompt-prefix.ts';
import type { SessionQuestions } from '../mcp/server-questions.ts';
import type { ChosenModel } from '../models/choose-model.ts';
import type { OpenSession } from '../session.ts';
import { forkSession } from './copy-session.ts';
import { openConversation } from './open-conversation.ts';

export type OpenSessionOptions = {
  id?: string;
  /** The newest session of this folder. */
  continueLast?: boolean;
  /** False: nothing is written. */
  keep?: boolean;
  /** Goes on with a copy of that session. */
  fork?: boolean;
  /** A run that broke off goes on; else it is brought to its end. */
  goesOn?: boolean;
  /** Another model than the one halter was started with, as `provider/model`. */
  model?: string;
};

export type SessionParts = {
  options: AgentOptions;
  preset: Preset | undefined;
  ports: ToolPorts;
  /** Files that were put into chats, and the tools where they can be searched. */
  documents: ChatDocumentStore;
  searchRegistry(): ToolRegistry;
  storage: Storage;
  /** Where the documents of sessions are. */
  sessionsFolder: string;
  remember(rule: Rule): Promise<{ ok: true } | { ok: false; message: string }>;
  /** What AGENTS.md says now; a session keeps what it began with. */
  instructions(): Promise<Instructions[]>;
  openModel(name?: string): Promise<Outcome<ChosenModel, ModelError>>;
  /** What MCP servers ask of the person in this session. */
  questions?: SessionQuestions;
};

export const openSession = async (
  parts: SessionParts,
  open: OpenSessionOptions,
): Promise<Outcome<OpenSession, ModelError>> => {
  const { options, preset } = parts;
  const { sessions } = parts.storage;
  const chosen = await parts.openModel(open.model);
  if (!chosen.ok) return chosen;
  const last = open.continueLast ? await lastSession(sessions, parts.ports.workspace.root) : succeed(undefined);
  if (!last.ok) return { ok: false, error: refusedBy(last.error) };
  const named = open.id ?? last.value;
  const forked = open.fork ? await forkOf(parts, named) : undefined;
  if (forked && !forked.ok) return { ok: false, error: refusedBy(forked.error) };
  const id = forked?.value.id ?? named ?? newSessionId();
  const kept = open.keep === false ? undefined : await sessions.open(id);
  if (kept && !kept.ok) return { ok: false, error: refusedBy(kept.error) };
  for (const warning of kept?.value.warnings ?? []) options.onWarning('session', warning);
  const { provider, info, profile } = chosen.value;
  const events = kept?.value.events ?? [];
  const { ports, release } = kept ? await portsWithDocuments(parts, id, events) : { ports: parts.ports };
  const { registry, tier, system, broken, ending } = sessionPromptPrefix(options, {
    registry: ports.registry,
    contextTokens: info.context_length,
    events,
    provider,
    instructions: events.length > 0 ? [] : await parts.instructions(),
    ...(profile ? { tier: profile.prompt_tier } : {}),
  });
  if (broken) options.onWarning('prefix_broken', broken);
  const session = await openConversation({
    ...ports,
    registry,
    id,
    ...modelOf(options, preset, chosen.value),
    async openModel(name) {
      const other = await parts.openModel(name);
      return other.ok ? succeed(modelOf(options, preset, other.value)) : other;
    },
    tier,
    system,
    ending,
    results: options.results ?? preset?.results ?? 'full',
    sampling: options.sampling ?? {},
    ...(options.warmUp ? { warmUp: true } : {}),
    onAsk: options.onAsk ?? 'wait',
    remember: parts.remember,
    ...(options.preset === undefined ? {} : { preset: options.preset }),
    ...(options.responseSchema ? { responseSchema: options.responseSchema } : {}),
    ...(open.goesOn ? { goesOn: true } : {}),
    ...(kept
      ? {
          events,
          log: kept.value.log,
          keptResults: parts.storage.results(id),
          keptContents: parts.storage.undo,
        }
      : {}),
    ...(parts.questions ? { questions: parts.questions } : {}),
    ...(release ? { onClose: async () => release() } : {}),
    onInterrupted: (message) => options.onWarning('interrupted', message),
  });
  return succeed(session);
};

/** A chat that has documents, can get some or could once is searched; the list of its tools stays what it was. */
const portsWithDocuments = async (
  { options, ports, documents, searchRegistry }: SessionParts,
  id: string,
  events: readonly Event[],
): Promise<{ ports: ToolPorts; release?(): void }> => {
  const held = await documents.hold(id);
  if (!held.ok) return { ports };
  const { documents: found, release } = held.value;
  const [first] = events;
  const head = first?.type === 'session_started' ? first.head : undefined;
  const isSearched =
    options.documents === true ||
    found.list().length > 0 ||
    (head?.tools.some(({ name }) => name === 'rag_search') ?? false);
  return isSearched
    ? { ports: { ...withChatDocuments(ports, found), registry: searchRegistry() }, release }
    : { ports, release };
};

const modelOf = (
  options: AgentOptions,
  preset: Preset | undefined,
  { provider, model, info, profile, speeds }: ChosenModel,
): ConversationModel => ({
  provider,
  model,
  ...(info.context_length === undefined ? {} : { contextTokens: info.context_length }),
  ...callForm(options, preset, profile),
  ...(profile ? { profile } : {}),
  ...(speeds ? { speeds } : {}),
});

/** How tools are offered and calls read: a preset says it, else what was found of the model, else the server's own way. */
const callForm = (
  options: AgentOptions,
  preset: Preset | undefined,
  profile: ModelProfile | undefined,
): { dialect: Dialect; toolMode: 'native' | 'injected' } => {
  const own = options.plugins?.dialects.find(({ format }) => format.name === options.dialect);
  if (options.dialect !== undefined) return { dialect: own ?? options.dialect, toolMode: 'injected' };
  if (preset?.dialect !== undefined || preset?.toolMode !== undefined || profile?.tool_calls !== 'text') {
    return { dialect: preset?.dialect ?? 'auto', toolMode: preset?.toolMode ?? 'native' };
  }
  return { dialect: profile.dialect ?? 'auto', toolMode: 'injected' };
};

const forkOf = async (
  { storage, sessionsFolder, ports }: SessionParts,
  id: string | undefined,
): Promise<Outcome<{ id: string }>> =>
  id === undefined
    ? failure('not_found', 'There is no session here that could be copied.')
    : forkSession({ storage, sessionsFolder, limits: ports.limits, clock: ports.clock }, { id });

export const lastSession = async (sessions: SessionStore, workspace: string): Promise<Outcome<string | undefined>> => {
  const listed = await sessions.list({ workspace, limit: 1 });
  return listed.ok ? succeed(listed.value[0]?.id) : listed;
};

const newSessionId = (): string => crypto.randomUUID();

const refusedBy = ({ message, reason }: Failure): ModelError => ({ code: 'bad_request', message, reason });

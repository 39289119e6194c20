/** Opens sessions of an agent, keeps an eye on the open ones, and tells what fills a window. */
import type { Event, SessionFace } from '../../core/events.ts';
import type { CallEntry } from '../../core/executor.ts';
import type { ModelError } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Mode } from '../../core/policy/modes.ts';
import { folderOf } from '../../core/session-folder.ts';
import type { KnownLog } from '../../core/storage-port.ts';
import { lastCompaction } from '../../core/window/compaction.ts';
import { closeAll } from '../close-all.ts';
import type { Knowledge } from '../knowledge/open-knowledge.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { toolFacts } from '../loop/run-tool/tool-facts.ts';
import { sessionPromptPrefix } from '../loop/window/prompt-prefix.ts';
import { type ContextReport, contextReport } from '../loop/window/report.ts';
import type { McpServers } from '../mcp/servers.ts';
import { type ChosenModel, presentWindow } from '../models/choose-model.ts';
import { toolWay } from '../models/tool-way.ts';
import { WORKER_GONE } from '../session/ended.ts';
import { lastSession, type OpenSessionOptions, openSession, type SessionParts } from '../session/open-session.ts';
import { ownModelName } from '../session/own-model.ts';
import { withSessionSearch } from '../session/search-this-session.ts';
import { unknownVerdict, verdictOf } from '../session/verdict.ts';
import type { OpenSession } from '../session.ts';
import type { AgentMetrics } from '../telemetry/agent-metrics.ts';
import type { HandedOver, Tracing } from '../telemetry/tracing.ts';

/** Which session: a kept one, or one with this log and model. */
export type ContextOptions = Pick<OpenSessionOptions, 'id' | 'continueLast' | 'model'> & { events?: readonly Event[] };

/** What a session that is not open would be opened with. */
export type Opening = {
  mode: Mode;
  /** As its server names it; undefined where that is not known without opening a model. */
  model: Promise<string | undefined>;
};

export type SessionOpener = {
  open(options?: OpenSessionOptions): Promise<Outcome<OpenSession, ModelError>>;
  /** What `open` would take for a session with this log. Opens nothing. */
  opensWith(events: readonly Event[]): Opening;
  /** What fills the window of a session, or of one that would begin now. Sends nothing. */
  context(options?: ContextOptions): Promise<Outcome<ContextReport>>;
  /** The span of a message that is handed to other processes; undefined where nobody asked for traces. */
  handOver(session: string, traceparent: string | undefined): Promise<HandedOver | undefined>;
  /** What is known of an open call of a run that no process has any more, with this log. */
  verdict(log: KnownLog, entry: CallEntry): Promise<string>;
  close(): Promise<void>;
};

export type SessionOpenerParts = Omit<SessionParts, 'questions'> & {
  mcp: McpServers;
  knowledge: Knowledge;
  /** The agent's own model, found at the first need. */
  mainModel(): Promise<Outcome<ChosenModel, ModelError>>;
  /** The same, where it is open. */
  openedModel(): Promise<Outcome<ChosenModel, ModelError> | undefined> | undefined;
  /** Loads what records traces, at the first session; undefined: nobody asked for any. */
  openTracing: (() => Promise<Tracing>) | undefined;
  metrics: Pick<AgentMetrics, 'follow'>;
};

export const createSessionOpener = (parts: SessionOpenerParts): SessionOpener => {
  const { mcp } = parts;
  const opened = new Set<OpenSession>();
  let tracing: Promise<Tracing> | undefined;
  const trace = async (session: SessionFace, { provider, model }: ChosenModel): Promise<void> => {
    if (parts.openTracing === undefined) return;
    tracing ??= parts.openTracing();
    (await tracing).follow(session, { provider: provider.name, model, endpoint: provider.endpoint });
  };
  return {
    async open(open = {}) {
      await mcp.open();
      const begun = await openSession({ ...parts, questions: mcp.questions() }, open);
      if (!begun.ok) return begun;
      const { session, chosen } = begun.value;
      const value = parts.knowledge.attend(session);
      await trace(value, chosen);
      parts.metrics.follow(value);
      const gone =
        <A extends unknown[]>(end: (...given: A) => Promise<void>) =>
        (...given: A): Promise<void> => {
          opened.delete(face);
          return end(...given);
        };
      const face: OpenSession = { ...value, close: gone(value.close), leave: gone(value.leave) };
      opened.add(face);
      return succeed(face);
    },
    opensWith: (events) => ({ mode: parts.ports.rules().mode, model: openingModel(parts, events) }),
    async handOver(session, given) {
      if (parts.openTracing === undefined) return undefined;
      tracing ??= parts.openTracing();
      return (await tracing).handOver(session, given);
    },
    verdict({ events, copiedTo }, entry) {
      const { ports, settings } = parts;
      // The same paths are other files elsewhere.
      const isHere = settings.folder.includes(folderOf(events) ?? '');
      return isHere
        ? verdictOf({ ...ports, copiedTo, log: () => events }, entry, WORKER_GONE)
        : Promise.resolve(unknownVerdict(entry, WORKER_GONE));
    },
    async context(open = {}) {
      await mcp.open();
      return contextOf(parts, open);
    },
    async close() {
      const sessions = await Promise.all(
        [...opened].map((session) => closeAll([[`the session ${session.id}`, session.close]])),
      );
      const traces = await closeAll([['the traces', async () => (await tracing)?.close()]]);
      for (const problem of [...sessions.flat(), ...traces]) parts.settings.onWarning('close_failed', problem);
    },
  };
};

const openingModel = async (
  { settings, listModels, openedModel }: SessionOpenerParts,
  events: readonly Event[],
): Promise<string | undefined> => {
  const listed = await listModels(AbortSignal.timeout(AGENT_LIMITS.openingModelMs));
  const opened = await openedModel();
  const usual = opened?.ok ? opened.value : undefined;
  return settings.resumesOwn ? ownModelName(listed, events, usual, settings.resumesOwn) : usual?.model;
};

const contextOf = async (parts: SessionOpenerParts, open: ContextOptions): Promise<Outcome<ContextReport>> => {
  const { settings, ports } = parts;
  const { sessions } = parts.storage;
  const last = open.continueLast ? await lastSession(sessions, settings.folder) : succeed(undefined);
  if (!last.ok) return last;
  const id = open.id ?? last.value;
  const read = id === undefined ? undefined : await sessions.read(id);
  if (read && !read.ok) return read;
  // A window can be described without a model; only its size is unknown then.
  const chosen = await (open.model === undefined ? parts.mainModel() : parts.openModel(open.model));
  const found = chosen.ok ? chosen.value : undefined;
  const contextTokens = found && presentWindow(found);
  const events = open.events ?? read?.value.events ?? [];
  const plans = ports.rules().mode === 'plan';
  const prefix = sessionPromptPrefix(settings.prompt, {
    plans,
    registry: ports.registry,
    contextTokens,
    events,
    provider: found && toolWay(settings, found).provider,
    tier: found?.profile?.prompt_tier,
    instructions: await parts.instructions(),
  });
  const schemas = plans && events.length === 0 ? prefix.reading() : prefix.registry.schemas;
  const isSearchable = lastCompaction(events) !== undefined;
  const { afterCompaction } = isSearchable ? withSessionSearch(prefix.registry, () => events) : {};
  return succeed(
    contextReport({
      sessionId: id,
      events,
      model: found?.model,
      contextTokens,
      system: prefix.system,
      schemas: afterCompaction ? [...schemas, afterCompaction] : schemas,
      ending: prefix.ending,
      results: settings.results,
      summaryCharacters: ports.limits.summaryCharacters,
      ...toolFacts(ports.registry),
    }),
  );
};

/** Opens sessions of an assembled program, keeps an eye on the open ones, and tells what fills a window. */
import type { SessionFace } from '../../core/events.ts';
import type { ModelError } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Network } from '../../core/ports.ts';
import { systemClock } from '../../io/clock.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import { closeAll } from '../close-all.ts';
import type { Knowledge } from '../knowledge/open-knowledge.ts';
import { sessionPromptPrefix } from '../loop/window/prompt-prefix.ts';
import { type ContextReport, contextReport } from '../loop/window/report.ts';
import type { LazyMcp } from '../mcp/open.ts';
import type { ChosenModel } from '../models/choose-model.ts';
import { lastSession, type OpenSessionOptions, openSession, type SessionParts } from '../session/open-session.ts';
import type { OpenSession } from '../session.ts';
import type { Tracing } from '../telemetry/tracing.ts';

export type SessionOpener = {
  open(options?: OpenSessionOptions): Promise<Outcome<OpenSession, ModelError>>;
  /** What fills the window of a session, or of one that would begin now. Sends nothing. */
  context(options?: OpenSessionOptions): Promise<Outcome<ContextReport>>;
  close(): Promise<void>;
};

type OpenerParts = Omit<SessionParts, 'questions'> & {
  mcp: LazyMcp;
  knowledge: Knowledge;
  /** The program's own model, found at the first need. */
  mainModel(): Promise<Outcome<ChosenModel, ModelError>>;
  network: Network;
  paths: HalterPaths;
};

export const createSessionOpener = (parts: OpenerParts): SessionOpener => {
  const { options, mcp } = parts;
  const opened = new Set<OpenSession>();
  const tracing = openTraces(parts);
  const trace = async (session: SessionFace, name: string | undefined): Promise<void> => {
    if (tracing === undefined) return;
    const chosen = await parts.openModel(name);
    if (!chosen.ok) return;
    const { provider, model } = chosen.value;
    (await tracing).follow(session, { provider: provider.name, model, endpoint: provider.endpoint });
  };
  return {
    async open(open = {}) {
      await mcp.open();
      const session = await openSession({ ...parts, ...(options.mcp ? { questions: mcp.questions() } : {}) }, open);
      if (!session.ok) return session;
      const value = parts.knowledge.attend(session.value);
      await trace(value, open.model);
      const gone = (end: () => Promise<void>) => (): Promise<void> => {
        opened.delete(face);
        return end();
      };
      const face: OpenSession = { ...value, close: gone(value.close), leave: gone(value.leave) };
      opened.add(face);
      return succeed(face);
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
      for (const problem of [...sessions.flat(), ...traces]) options.onWarning('close_failed', problem);
    },
  };
};

/** Undefined where nobody asked for traces: their code is not loaded then. */
const openTraces = ({ options, network, paths }: OpenerParts): Promise<Tracing> | undefined => {
  const { trace } = options;
  if (trace === undefined) return undefined;
  return import('../telemetry/tracing.ts').then(({ openTracing }) =>
    openTracing(trace, {
      clock: systemClock,
      network,
      environment: options.environment,
      folder: paths.data,
      version: trace.version,
      onProblem: (message) => options.onWarning('trace', message),
    }),
  );
};

const contextOf = async (parts: OpenerParts, open: OpenSessionOptions): Promise<Outcome<ContextReport>> => {
  const { options, preset, ports } = parts;
  const { sessions } = parts.storage;
  const last = open.continueLast ? await lastSession(sessions, ports.workspace.root) : succeed(undefined);
  if (!last.ok) return last;
  const id = open.id ?? last.value;
  const read = id === undefined ? undefined : await sessions.read(id);
  if (read && !read.ok) return read;
  // A window can be described without a model; only its size is unknown then.
  const chosen = await parts.mainModel();
  const found = chosen.ok ? chosen.value : undefined;
  const contextTokens = found?.info.context_length;
  const events = read?.value.events ?? [];
  const head = sessionPromptPrefix(options, {
    registry: ports.registry,
    contextTokens,
    events,
    ...(found ? { provider: found.provider } : {}),
    ...(found?.profile ? { tier: found.profile.prompt_tier } : {}),
    instructions: await parts.instructions(),
  });
  return succeed(
    contextReport({
      sessionId: id,
      events,
      model: found?.model,
      contextTokens,
      system: head.system,
      schemas: head.registry.schemas,
      ending: head.ending,
      results: options.results ?? preset?.results ?? 'full',
      summaryCharacters: ports.limits.summaryCharacters,
    }),
  );
};

/** Puts a session together from its parts. The library and every surface come through here. */

import type { Event, Rule } from '../../core/events.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { ModelError, Sampling } from '../../core/model-port.ts';
import type { ProjectionOptions } from '../../core/model-projection.ts';
import { MODEL_NOT_HERE } from '../../core/model-roles.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { SessionLog } from '../../core/storage-port.ts';
import type { PromptSize } from '../../core/system-prompt.ts';
import type { ResultForm } from '../../core/tool/model-content.ts';
import type { ToolSchema } from '../../core/tool.ts';
import type { CompactionMode } from '../../core/window/compaction-mode.ts';
import { promptPrefix } from '../../core/window/prefix.ts';
import { createJobs } from '../../io/processes/jobs.ts';
import { createResultFiles, type ResultFiles } from '../../storage/result-files.ts';
import { createUndoFiles, type UndoFiles } from '../../storage/undo-files.ts';
import { type ConversationModel, createModelHolder } from '../loop/call-model/conversation-model.ts';
import { createRunEffects, type OnAsk } from '../loop/run-effects.ts';
import { toolFacts } from '../loop/run-tool/tool-facts.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import type { PrepareStep } from '../loop/step-overrides.ts';
import { Offload } from '../loop/window/offload.ts';
import type { SessionHead } from '../loop/window/prompt-prefix.ts';
import type { SessionQuestions } from '../mcp/server-questions.ts';
import { checkRule } from '../permissions/authorize.ts';
import { createSession, type OpenSession, type SessionOptions } from '../session.ts';
import { createChangeRecorder } from '../undo/record.ts';
import { resolveChanges } from '../undo/resolve.ts';
import { undoMessage, undoSince } from '../undo/since.ts';
import { fencedUndo, type UndoPorts, undoLast } from '../undo.ts';
import { changedFiles } from './changed-files.ts';
import { withSessionSearch } from './search-this-session.ts';
import type { SessionHandle } from './session-handle.ts';
import { verdictOf } from './verdict.ts';

export type ConversationOptions = ToolPorts &
  ConversationModel & {
    id: string;
    /** What is told where the session's own model is not there: with the next run, to whoever hears the session. */
    missingModel?: string | undefined;
    /** The way from the name of another model to that model, for `change_model`. */
    openModel?(name: string): Promise<Outcome<ConversationModel, ModelError>>;
    /** Whether the person named a model for a role, such as `plan`. */
    hasRole?(role: string): boolean;
    /** The size that instructions and tools were chosen for. */
    tier?: PromptSize;
    system: string;
    /** The same for requests without tools. */
    systemWithoutTools: string;
    /** The tools that a session in plan mode from its start describes. */
    reading?: (() => readonly ToolSchema[]) | undefined;
    /** What a message of the person ends in, for the model alone. */
    ending?: (text: string) => string | undefined;
    /** Instructions and tools of a session with this log, in another window than it began in. */
    headFor?(events: readonly Event[], contextTokens: number): SessionHead;
    /** They are looked at again also where they were chosen for a small window. */
    isHeadFitted?: boolean;
    results: ResultForm;
    sampling: Sampling;
    compaction?: CompactionMode | undefined;
    responseSchema?: () => JsonSchema | undefined;
    /** The model can look up what was left out of its window, from the first compaction on. */
    isSearchable?: boolean;
    /** A local engine reads what the next prompt begins with while nothing happens. */
    warmUp?: boolean;
    preset?: string;
    events?: readonly Event[];
    /** Up to this event they came with a backup. */
    copiedTo?: number | undefined;
    log?: SessionLog;
    /** Where long results are put aside; in memory where absent. */
    keptResults?: ResultFiles;
    /** Where what files held before a change is put aside; in memory where absent. */
    keptContents?: UndoFiles;
    /** What MCP servers ask of the person here. */
    questions?: SessionQuestions;
    /** A run that broke off goes on (see `SessionOptions`). */
    goesOn?: boolean;
    hears?: SessionOptions['hears'];
    /** Says what came of calls that halter was ended in. */
    onInterrupted?(message: string): void;
    onAsk: OnAsk;
    /** Whether the run ends where the calls of an answer are done. */
    stopsAfterStep?: (() => boolean | Promise<boolean>) | undefined;
    /** What is different in the next step. */
    prepareStep?: PrepareStep | undefined;
    remember(rule: Rule): Promise<{ ok: true } | { ok: false; message: string }>;
    onClose?(): Promise<void>;
  };

export const openConversation = async (options: ConversationOptions): Promise<OpenSession> => {
  const { clock, limits } = options;
  let log = (): readonly Event[] => options.events ?? [];
  const { registry, afterCompaction } = options.isSearchable
    ? withSessionSearch(options.registry, () => log())
    : { registry: options.registry, afterCompaction: undefined };
  let inside: SessionHandle | undefined;
  const projection: ProjectionOptions = {
    system: options.system,
    results: options.results,
    summaryCharacters: limits.summaryCharacters,
    ending: options.ending,
    ...toolFacts(registry, (message) => inside?.progress({ type: 'warning', code: 'summarize_failed', message })),
  };
  const model = createModelHolder({ ...options, registry, afterCompaction, projection });
  const offload = await Offload.open({
    files: options.keptResults ?? createResultFiles(undefined),
    workspace: options.workspace,
    contextTokens: model.contextTokens,
    askContextTokens: model.askContextTokens,
  });
  const jobs = createJobs(
    options.processes,
    (job, withHalter) => {
      void inside?.dispatch({ type: 'job_changed', job, ...(withHalter ? { with_halter: true } : {}) });
    },
    async () => (await inside?.holds()) !== false,
  );
  const undoFiles = options.keptContents ?? createUndoFiles();
  const undoPorts = ({ log, dispatch, holds }: SessionHandle): UndoPorts =>
    fencedUndo({ workspace: options.workspace, files: undoFiles, log, dispatch, holds });
  const session = await createSession({
    id: options.id,
    workspace: options.workspace.root,
    model: options.model,
    mode: options.rules().mode,
    head: promptPrefix(options.system, registry.schemas, options.tier),
    events: options.events ?? [],
    limits,
    clock,
    registry,
    checkRule: (rule, about) => checkRule(options, rule, about),
    runEffects: tellingOnce(
      options.missingModel,
      createRunEffects({
        ...options,
        registry,
        modelHolder: model,
        offload,
        jobs,
        changes: createChangeRecorder(offload.workspace, undoFiles),
        workspace: offload.workspace,
        rules: () => offload.withRules(options.rules()),
      }),
    ),
    compact: model.compact,
    changeModel: model.change,
    async verdict(entry, ended, log) {
      const verdict = await verdictOf({ ...options, registry, log }, entry, ended);
      options.onInterrupted?.(verdict);
      return verdict;
    },
    changedFiles: (known) => changedFiles(options.workspace, known),
    undo: (session, { on_change, since_seq, scope }) => {
      if (scope === 'message') return undoMessage(undoPorts(session));
      return since_seq === undefined
        ? undoLast(undoPorts(session), on_change)
        : undoSince(undoPorts(session), since_seq, session.path());
    },
    resolveChanges: (session, command) => resolveChanges(undoPorts(session), command),
    preset: options.preset,
    log: options.log,
    goesOn: options.goesOn,
    copiedTo: options.copiedTo,
    hears: options.hears,
    answerServer: options.questions?.answer,
    onOpen(opened) {
      inside = opened;
      log = opened.log;
      options.questions?.begin(opened);
      model.begin(opened);
    },
    // Their end is in the log.
    ending: [['the background commands', () => jobs.close()]],
    closing: [
      ['the questions of servers', () => options.questions?.close()],
      ['the model of the session', () => model.close()],
      ['what the session was opened with', () => options.onClose?.()],
    ],
  });
  session.subscribe(model.hear);
  return Object.assign(session, {
    missingModel: options.missingModel,
    jobs: { list: () => jobs.list(), stop: (id: string) => jobs.stop(id) },
  });
};

/** Who hears a session hears its updates alone, and may have come after it was opened. */
const tellingOnce = (missing: string | undefined, run: SessionOptions['runEffects']): SessionOptions['runEffects'] => {
  let isTold = missing === undefined;
  return (session, effect) => {
    if (!isTold && missing !== undefined && effect.type === 'call_model') {
      isTold = true;
      session.progress({ type: 'warning', code: MODEL_NOT_HERE, message: missing });
    }
    return run(session, effect);
  };
};

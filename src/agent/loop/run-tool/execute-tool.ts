/**
 * One tool call that no model made: the command line's `tools call`, the HTTP route, the library's `executeTool`. The
 * same validation, policy and runner as in the loop; arguments are taken strictly.
 */

import { withDigits, writtenOf } from '../../../core/call-arguments.ts';
import type { KnownFile } from '../../../core/content-part.ts';
import type { Rule } from '../../../core/events.ts';
import { isObject, type JsonObject, withoutUndefined } from '../../../core/json.ts';
import { nestingProblem } from '../../../core/nesting.ts';
import { allowsCall, askForReply } from '../../../core/permission-decision.ts';
import type { Standing } from '../../../core/policy/overrides.ts';
import { deniedByFault, deniedByPerson, deniedByRule, needsPermission } from '../../../core/policy/refusal-words.ts';
import type { Clock, Task, Tasks, Workspace } from '../../../core/ports.ts';
import type { ArgumentOrigin } from '../../../core/provenance.ts';
import type { Preview, Reader, Risk, ToolContext } from '../../../core/tool.ts';
import { PERMISSION_REQUIRED, type ToolResult } from '../../../core/tool-result.ts';
import { unlessAborted } from '../../../core/unless-aborted.ts';
import { asRequester } from '../../../io/requester.ts';
import { knowledgeFor } from '../../knowledge/session-knowledge.ts';
import { mayReach } from '../../permissions/authorize/may-reach.ts';
import { authorize, type Judgement, type Refusal, refusalFacts } from '../../permissions/authorize.ts';
import { type KeptYes, keptYes } from '../../permissions/kept-yes.ts';
import { type KeepQuestion, mayKeep } from '../../permissions/may-keep.ts';
import { previewTool, refusedResult } from '../run-tool.ts';
import { conversationFiles } from './conversation-files.ts';
import { createTasks } from './tasks.ts';
import { sharedContext, type ToolPorts } from './tool-ports.ts';

export type PermissionQuestion = {
  name: string;
  arguments: JsonObject;
  /** The arguments as JSON text with the digits that they came with, where the values have lost some. */
  written?: string;
  risk: Risk;
  rule: Rule;
  because: string;
  preview?: Preview;
  /** After untrusted content: whose words the weighty arguments are. */
  provenance?: ArgumentOrigin[];
};
export type ExecuteToolOptions = {
  signal?: AbortSignal;
  report?(text: string): void;
  /** The arguments came by a reader that keeps no digits of large numbers. */
  digitsLost?: boolean;
  /** `person`: they typed the call and see what is reported and the error. */
  reader?: Reader;
  /** The chat that it is made for, whose documents can then be searched. */
  sessionId?: string;
  /** Of the session that it is made for: its tasks, and how it stands. Tasks live as long as the agent where absent. */
  tasks?: Tasks;
  standing?: Standing;
  /** Of the same session: keeps the call and what came of it. */
  record?(call: { name: string; arguments: JsonObject; result: ToolResult; files?: KnownFile[] }): void;
  /** Of the same session: what it knows of files, by their names. */
  known?: ReadonlyMap<string, string>;
  /** Absent: nobody is there, and what would have to be asked is refused with reason `permission_required`. What it answers is parsed strictly: an unknown value denies, and so does a callback that fails. */
  ask?(question: PermissionQuestion): Promise<unknown>;
  /** Keeps a yes that holds longer than the call. Absent: there is nothing that it could hold for. */
  keep?(yes: KeptYes): Promise<void>;
};

const keepAsker =
  (ask: NonNullable<ExecuteToolOptions['ask']>, name: string, args: JsonObject) =>
  async ({ risk, rule, because = '', preview }: KeepQuestion): Promise<boolean> =>
    allowsCall((await askForReply(ask, { name, arguments: args, risk, rule, because, preview })).decision);

const refused = (clock: Clock, refusal: Refusal): ToolResult =>
  refusedResult(clock, refusal.error_type, refusal.message, refusalFacts(refusal));
const denied = (clock: Clock, { because }: Pick<Judgement, 'because'>): ToolResult =>
  refusedResult(clock, 'permission_denied', deniedByRule(because), { reason: 'rule' });

/** Tasks live as long as the executor, since there is no session to keep them in. */
export const createToolRunner = (ports: ToolPorts) => {
  const tasks = new Map<string, Task>();
  const shared: Omit<ToolContext, 'signal' | 'report'> = {
    ...sharedContext(ports),
    ...knowledgeFor(ports),
    tasks: createTasks(
      () => [...tasks.values()],
      (task) => tasks.set(task.id, task),
    ),
  };

  const run = async (
    name: string,
    given: unknown,
    options: ExecuteToolOptions,
    workspace: Workspace,
  ): Promise<ToolResult> => {
    const args = withoutUndefined(given);
    const signal = options.signal ?? new AbortController().signal;
    const report = options.report ?? (() => {});
    const { standing, digitsLost = false } = options;
    const context = { ...shared, workspace, ...(options.tasks ? { tasks: options.tasks } : {}) };
    const judge = () => authorize(ports, { name, arguments: args }, { mode: 'strict', standing, digitsLost });
    const answer = await judge();
    if (answer.kind === 'refused') return refused(ports.clock, answer);
    const nesting = nestingProblem(answer.arguments, 'the object of arguments');
    if (nesting !== undefined)
      return refusedResult(ports.clock, 'validation_failed', `Invalid arguments for ${name}: ${nesting}.`);
    if (answer.verdict === 'deny') return denied(ports.clock, answer);
    if (answer.verdict === 'ask') {
      if (options.ask === undefined) {
        const words = needsPermission(name, answer.because, answer.flagRule);
        return refusedResult(ports.clock, 'permission_denied', words, { reason: PERMISSION_REQUIRED });
      }
      const preview = await previewTool(answer.tool, answer.arguments, { ...context, report }, signal);
      const asking = askForReply(options.ask, {
        name,
        arguments: answer.arguments,
        ...writtenOf(withDigits({ arguments: answer.arguments })),
        risk: answer.risk,
        rule: answer.rule,
        because: answer.because,
        preview,
      });
      // The answer may never come, and nobody waits for it once the call is cancelled.
      const reply = await unlessAborted(asking, signal);
      if (reply === undefined || signal.aborted) {
        return refusedResult(ports.clock, 'io_error', 'Cancelled.', { reason: 'cancelled' });
      }
      if (!allowsCall(reply.decision)) {
        const { unanswered, reason } = reply;
        return unanswered
          ? refusedResult(ports.clock, 'permission_denied', deniedByFault(reason ?? ''), {
              reason: PERMISSION_REQUIRED,
            })
          : refusedResult(ports.clock, 'permission_denied', deniedByPerson(reason), { reason: 'person' });
      }
      const kept = keptYes(reply.decision, answer);
      if (!kept.ok) return refusedResult(ports.clock, 'permission_denied', deniedByFault(kept.error.message));
      if (kept.value) await options.keep?.(kept.value);
      // Meanwhile a name may lead to what a rule denies.
      const now = await judge();
      if (now.kind === 'refused') return refused(ports.clock, now);
      if (now.verdict === 'deny') return denied(ports.clock, now);
    }
    // What a person typed needs no other yes.
    const byMode = answer.byMode === true && options.reader !== 'person';
    const execute = () =>
      ports.cache.run(answer.tool, answer.arguments, {
        context: {
          ...context,
          report,
          ...(options.reader === undefined ? {} : { reader: options.reader }),
          mayKeep: mayKeep(ports, standing, options.ask && keepAsker(options.ask, name, answer.arguments)),
          mayReach: mayReach(answer, (next) =>
            authorize(ports, { name, arguments: next }, { mode: 'strict', standing, isRedirected: true }),
          ),
        },
        signal,
        defaultTimeoutMs: ports.limits.toolTimeoutMs,
        droppedArguments: answer.dropped,
      });
    return asRequester({ byMode }, execute);
  };

  return async (name: string, args: unknown, options: ExecuteToolOptions = {}): Promise<ToolResult> => {
    const { known } = options;
    const seeing = known && conversationFiles(ports.workspace, () => known);
    const result = await run(name, args, options, seeing?.workspace ?? ports.workspace);
    const files = seeing?.files() ?? [];
    options.record?.({
      name,
      arguments: isObject(args) ? args : {},
      result,
      ...(files.length > 0 ? { files } : {}),
    });
    return result;
  };
};

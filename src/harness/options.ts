import type {
  AgentOptions,
  ModelOptions,
  PermissionOptions,
  TelemetryOptions,
  ToolOptions,
} from '../agent/create-agent/options.ts';
import type { ModelProvider, Sampling } from '../core/model-port.ts';
import type { ServerAnswer, ServerQuestion } from '../core/server-question.ts';
import type { Tool } from '../core/tool.ts';
import type { ConnectionRecord } from '../io/network.ts';
import type { HistoryMessage } from './history.ts';
import type { OtherMessage } from './other-histories.ts';
import type { OnPermission } from './permission.ts';

/** One server of the Model Context Protocol, as the files of other clients have it. `${NAME}` is taken from the environment. */
export type McpServer =
  | { command: string; args?: readonly string[]; env?: Readonly<Record<string, string>>; timeout?: number }
  | { type?: 'http'; url: string; headers?: Readonly<Record<string, string>>; timeout?: number };

/** The options of an agent, and short names for those that most programs use. Only `model` is needed. */
export type HarnessOptions<T extends Tool = Tool> = Omit<AgentOptions<T>, 'model' | 'permissions'> & {
  /** `provider/model`, the model alone where `provider` is given, or everything about the model. */
  model: string | ModelOptions;
  /**
   * Further models by what they are for: `prepareStep` and `chat` take such a word in place of a name; `plan`, `compaction`
   * and `embeddings` are used by themselves. Default: none.
   */
  roles?: Readonly<Record<string, string>> | undefined;
  /** A provider's name, or one of your own making: `model.provider`. */
  provider?: string | ModelProvider | undefined;
  /** `model.baseUrl` */
  baseUrl?: string | undefined;
  /** `model.apiKey` */
  apiKey?: string | undefined;
  /** `model.sampling` */
  sampling?: Sampling | undefined;
  /** `model.dialect` */
  dialect?: string | undefined;
  /** `model.contextLength` */
  contextLength?: number | undefined;
  /** `model.silenceTimeoutMs` */
  silenceTimeoutMs?: number | undefined;
  /** `model.warmUp` */
  warmUp?: boolean | undefined;
  /** `tools.results` */
  results?: ToolOptions['results'] | undefined;
  /** `io.offline` */
  offline?: boolean | undefined;
  /** `telemetry.trace` */
  trace?: TelemetryOptions['trace'] | undefined;
  /** A file with rules besides those of `permissions`: `{ "allow": […], "deny": […] }`, or the form of policies.json. */
  rulesFile?: string | undefined;
  /** `prompt.system` */
  systemPrompt?: string | undefined;
  /** Rules as on the command line: `read_file`, `bash(git log *)`. */
  permissions?: Omit<PermissionOptions, 'onAsk' | 'source'> | undefined;
  /** `permissions.sandbox` */
  sandbox?: boolean | undefined;
  /** `permissions.allowNetwork` */
  allowNetwork?: boolean | undefined;
  /** `io.allowPrivate` */
  allowPrivate?: readonly string[] | undefined;
  /** Asked where no rule decides. Without it, what would have to be asked is denied. */
  onPermission?: OnPermission | undefined;
  /**
   * A page answers the questions, in a later request: the run ends at them, and `permission_request` has an `approval_id`
   * that `chat([], { approvals })` of another harness with this secret takes. At least 32 characters that no page knows.
   * Not together with `onPermission`. Default: none.
   */
  approvalSecret?: string | undefined;
  /** Servers by name. They start with the first message and end with the harness; their tools are `mcp__NAME__TOOL`. */
  mcpServers?: Readonly<Record<string, McpServer>> | undefined;
  /** Asked what a server wants of a person or of the model. Without it, that is declined. */
  onServerQuestion?:
    | ((question: ServerQuestion, signal: AbortSignal) => ServerAnswer | Promise<ServerAnswer>)
    | undefined;
  /** The id of a conversation to go on with, or to begin. Default: a new one. */
  session?: string | undefined;
  /** Goes on with a copy of `session`, and leaves that one as it is. Default: false. */
  fork?: boolean | undefined;
  /**
   * What was said before, as `messages()` gives it, or as OpenAI's API and the AI SDK's `ModelMessage` have it. An error
   * where `session` is kept already.
   */
  messages?: readonly (HistoryMessage | OtherMessage)[] | undefined;
  /** Told of every connection that the harness or a tool tried, made or refused: what `halter egress` lists. */
  onConnection?(record: ConnectionRecord): void;
};

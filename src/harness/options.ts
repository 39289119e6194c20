import type { Limits } from '../core/limits.ts';
import type { ModelProvider, Sampling } from '../core/model-port.ts';
import type { ServerAnswer, ServerQuestion } from '../core/server-question.ts';
import type { Tool } from '../core/tool.ts';
import type { ConnectionRecord } from '../io/network.ts';
import type { OnPermission } from './chat.ts';

/** One server of the Model Context Protocol, as the files of other clients have it. `${NAME}` is taken from the environment. */
export type McpServer =
  | { command: string; args?: readonly string[]; env?: Readonly<Record<string, string>>; timeout?: number }
  | { type?: 'http'; url: string; headers?: Readonly<Record<string, string>>; timeout?: number };

/** Only `model` is needed. */
export type HarnessOptions<T extends Tool = Tool> = {
  /** `provider/model`, or the model alone where `provider` is given. */
  model: string;
  /** A provider's name, or one of your own making. */
  provider?: string | ModelProvider;
  baseUrl?: string;
  apiKey?: string;
  /** The tools the model may call; none by default. `builtinTools` are halter's own. */
  tools?: readonly T[];
  /** The folder that file tools work in; the current one by default. */
  workspace?: string;
  /** Rules as on the command line: `read_file`, `bash(git log *)`. */
  permissions?: { allow?: readonly string[]; deny?: readonly string[]; plan?: boolean };
  /** `host` or `host:port` that tools may reach though its address is private. */
  allowPrivate?: readonly string[];
  /** False: commands run with your own rights. Otherwise they are confined wherever the system can do it. */
  sandbox?: boolean;
  /** Confined commands reach the network. */
  allowNetwork?: boolean;
  /** Asked where no rule decides. Without it, what would have to be asked is denied. */
  onPermission?: OnPermission;
  /** Servers by name. They start with the first message and end with the harness; their tools are `mcp__NAME__TOOL`. */
  mcpServers?: Readonly<Record<string, McpServer>>;
  /** Asked what a server wants of a person or of the model. Without it, that is declined. */
  onServerQuestion?: (question: ServerQuestion, signal: AbortSignal) => ServerAnswer | Promise<ServerAnswer>;
  /** Told of every connection that the harness or a tool tried, made or refused: what `halter egress` lists. */
  onConnection?(record: ConnectionRecord): void;
  limits?: Partial<Limits>;
  systemPrompt?: string;
  sampling?: Sampling;
};

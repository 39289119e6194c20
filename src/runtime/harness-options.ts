import type { Limits } from '../core/limits.ts';
import type { ModelProvider, Sampling } from '../core/model-port.ts';
import type { Tool } from '../core/tool.ts';
import type { OnPermission } from './chat.ts';

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
  limits?: Partial<Limits>;
  systemPrompt?: string;
  sampling?: Sampling;
};

/** What one request of somebody else's conversation asks of a model, and what comes of it. */
import type { UnsureTools } from '../agent/loop/call-model/tool-notation.ts';
import type { ToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import type { ChosenModel } from '../agent/models/choose-model.ts';
import type { ToolWay } from '../agent/models/tool-way.ts';
import type { JsonObject, JsonSchema } from '../core/json.ts';
import type { ToolCall } from '../core/message.ts';
import type { ModelOutcome, Sampling } from '../core/model-port.ts';
import type { HeldCalls } from '../dialects/index.ts';
import type { ToolSight } from './tool-sight.ts';
import type { UsageSum } from './usage.ts';

export type GatewayToolWay = Omit<ToolWay, 'notice'>;

export type Asking = {
  chosen: ChosenModel;
  /** How it is had to call tools; by its server's own field where absent. */
  way?: GatewayToolWay | undefined;
  /** The tools on offer in this request. */
  registry: ToolRegistry;
  sampling: Sampling;
  /** Fields that the model's server knows, as they are. */
  passthrough?: JsonObject | undefined;
  stop: readonly string[];
  /** False: at most one call, where the server can be told. */
  parallel: boolean;
  responseSchema?: JsonSchema;
  /** The caller waits for the whole answer. */
  whole?: boolean;
  /** Told of every request that goes to the model. */
  usage: UsageSum;
  /** What is known of the server's way with tools; absent where nobody looks. */
  sight?: ToolSight | undefined;
  /** Told when the server turns out to leave the tools out of the prompt. */
  onLeftOut?: ((way: UnsureTools) => void) | undefined;
  /** Told when the model's server refused and is asked again after a while. */
  onRetrying?: (() => void) | undefined;
  signal: AbortSignal;
};

export type CompletionPart = { type: 'text' | 'reasoning'; delta: string };

export type Said = {
  outcome: ModelOutcome;
  text: string;
  reasoning: string;
  calls: ToolCall[];
  /** Text from a call on that could not be read: it is the caller's only where no call comes of it. */
  damaged: string;
  /** Calls among words, of which the model is asked once. Its text from them on is in `damaged`. */
  held?: HeldCalls | undefined;
  /** It holds a call that nobody can make. */
  isTold?: true;
  /** The stop sequence that ended it. */
  stoppedBy?: string | undefined;
};

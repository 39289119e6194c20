import type { JsonSchema } from '../../core/json.ts';
import type { ModelProvider, Sampling } from '../../core/model-port.ts';
import type { CuratorMode, GraphRagMode } from '../../core/retrieval-settings.ts';
import type { WebChoices } from '../../io/network/web-settings.ts';
import type { ConnectionRecord, NetworkOptions } from '../../io/network.ts';
import type { OnAsk } from '../loop/run-effects.ts';
import type { McpChoices } from '../mcp.ts';
import type { PluginParts } from '../plugins.ts';
import type { TraceChoice } from '../telemetry/tracing.ts';

export type AgentOptions = {
  folder: string;
  addDirs?: readonly string[];
  /** `provider/model`, or a model alone. */
  model?: string;
  provider?: string;
  baseUrl?: string;
  /** The name of the environment variable that holds the key. */
  apiKeyEnv?: string;
  /** A file that only the person can read, or a command whose first line is the key. */
  apiKeyFile?: string;
  apiKeyCommand?: string;
  allow?: readonly string[];
  deny?: readonly string[];
  yolo?: boolean;
  plan?: boolean;
  offline?: boolean;
  /** Commands that the model wrote run in the system's sandbox, where there is one, unless this is false. */
  sandbox?: boolean;
  /** Those commands reach the network. */
  allowNetwork?: boolean;
  /** Only these tools. */
  tools?: readonly string[];
  noTools?: boolean;
  preset?: string;
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** False: AGENTS.md of the person and of the folder are left unread. */
  projectInstructions?: boolean;
  sampling?: Sampling;
  /** Tokens of the window to ask for, where the server takes it. */
  contextLength?: number;
  /** A local engine reads what the next prompt begins with while nothing happens. For surfaces where a person types. */
  warmUp?: boolean;
  /** How long a model may say nothing after its first token. */
  silenceTimeoutMs?: number;
  maxIterations?: number;
  maxToolCalls?: number;
  results?: 'full' | 'summary';
  responseSchema?: JsonSchema;
  onAsk?: OnAsk;
  /** Traces in OpenTelemetry's words, for whoever asks for them. */
  trace?: TraceChoice & { version: string };
  /** `postgres://…`: sessions, rules and old contents are kept there, for many machines, and not in files. */
  database?: string;
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  onWarning(code: string, message: string): void;
  /** Getting a model ready may take long: fetching, loading. */
  onLoading?(message: string, fraction?: number): void;
  onConnection?(record: ConnectionRecord): void;
  /** `host` or `host:port` that tools may reach though its address is private. */
  allowPrivate?: readonly string[];
  /** When an index of the folder is used, and what chooses the lines of long files. */
  graphRag?: GraphRagMode;
  curator?: CuratorMode;
  /** Files can be put into its chats, so a chat can be searched without an index of the folder. */
  documents?: boolean;
  /** `provider/model`, or a GGUF file, that makes vectors of texts. */
  embeddingModel?: string;
  /** What the person set for web_search and generate_image. */
  web?: WebChoices;
  /** Servers of the Model Context Protocol whose tools are on offer; none where absent. */
  mcp?: McpChoices;
  /** Names and connections other than the system's, for trying the rules of the door without an internet. */
  connections?: Pick<NetworkOptions, 'resolve' | 'dial'>;
  /** The model's calls are written so, whatever its server says; a dialect's name. */
  dialect?: string;
  /** What the person's plugins add. */
  plugins?: PluginParts;
  /** A provider of the caller's own, for programs and tests. */
  modelProvider?: ModelProvider;
  signal?: AbortSignal;
};

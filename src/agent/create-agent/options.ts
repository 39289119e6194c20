/**
 * What an agent is put together from. Every surface and the library say it in the same groups; each group goes to the part
 * that it is about, and to no other. The defaults are those of the library: no tools, no rules, nothing of the person is
 * read and nothing is written.
 */
import type { CustomCommand } from '../../core/custom-command.ts';
import type { Speculation } from '../../core/engine-options.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { Limits } from '../../core/limits.ts';
import type { ModelProvider, Sampling } from '../../core/model-port.ts';
import type { Mode } from '../../core/policy/modes.ts';
import type { Instructions } from '../../core/project-instructions.ts';
import type { CuratorMode, GraphRagMode } from '../../core/retrieval-settings.ts';
import type { PromptSize } from '../../core/system-prompt.ts';
import type { ResultForm } from '../../core/tool/model-content.ts';
import type { Tool } from '../../core/tool.ts';
import type { ToolStrategy } from '../../core/tool-strategy.ts';
import type { CompactionMode } from '../../core/window/compaction-mode.ts';
import type { DialectDefinition } from '../../dialects/index.ts';
import type { WebChoices } from '../../io/network/web-settings.ts';
import type { ConnectionRecord, NetworkOptions } from '../../io/network.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { OnAsk } from '../loop/run-effects.ts';
import type { PrepareStep } from '../loop/step-overrides.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
import type { OpenPluginProvider } from '../models/open-provider.ts';
import type { TraceChoice } from '../telemetry/tracing.ts';

export type AgentOptions<T extends Tool = Tool> = {
  /** The folder that file tools and commands work in. Default: the current folder. An error where it does not exist. */
  workspace?: string | WorkspaceOptions | undefined;
  /** `provider/model`, or everything about the model. Default: the first local server that answers, else the embedded engine. */
  model?: string | ModelOptions | undefined;
  /** What the model is told before the conversation. */
  prompt?: PromptOptions | undefined;
  /**
   * The tools that the model may call, or everything about tools. Default: none. Once older turns were left out of the
   * window, `search_session` is offered besides, which finds them again.
   */
  tools?: readonly T[] | ToolOptions<T> | undefined;
  /** What may be done without asking, and who is asked. Default: what is not safe is asked. */
  permissions?: PermissionOptions | undefined;
  /** Where conversations, remembered rules and old contents of files are kept. Default: `memory`. */
  storage?: StorageOptions | undefined;
  /** The index of the workspace and the documents of a conversation. */
  search?: SearchOptions | undefined;
  /** Servers of the Model Context Protocol. Default: none. */
  mcp?: McpOptions | undefined;
  /** Numbers of the loop; what is absent has its default or the preset's number. An unknown name is an error. */
  limits?: Partial<Limits> | undefined;
  /** The way to the system: environment, network, processes, and who is told of what happens there. */
  io?: IoOptions | undefined;
  /** Traces in OpenTelemetry's words. Default: none. */
  telemetry?: TelemetryOptions | undefined;
};

export type WorkspaceOptions = {
  /** Default: the current folder. */
  root?: string | undefined;
  /** Further folders that file tools may use. Default: none. */
  additionalRoots?: readonly string[] | undefined;
};

export type ModelOptions = {
  /** `provider/model`, or the model alone. Default: the one that the server has loaded, else its first. */
  name?: string | undefined;
  /**
   * Models by what they are used for, such as `{ fast: 'ollama/qwen3:4b' }`. A session may ask for one by that name. `plan`
   * answers while the mode is plan, `compaction` writes notes of a full window, `titles` or `fast` answers requests beside a
   * conversation, `embeddings` makes vectors where `search` names no model for it, `main` answers where `name` is absent.
   */
  roles?: Readonly<Record<string, string>> | undefined;
  /** The name of a provider, or a provider of your own. Default: told by `name` or `baseUrl`. An unknown name is an error. */
  provider?: string | ModelProvider | undefined;
  /** The server's address. Default: the provider's usual one. */
  baseUrl?: string | undefined;
  /** The key itself. Prefer one of the three below, which keep it out of the program. */
  apiKey?: string | undefined;
  /** The name of the environment variable that holds the key. An error where it is not set. */
  apiKeyEnv?: string | undefined;
  /** A file that only its owner can read; its first line is the key. */
  apiKeyFile?: string | undefined;
  /** A command line; the first line that it prints is the key. */
  apiKeyCommand?: string | undefined;
  /**
   * Addresses of the servers that the key is for; it is sent to no other. Default: the server that `baseUrl`, `provider` or
   * `name` mean, or the one that is found where they name none.
   */
  apiKeyFor?: readonly string[] | undefined;
  /**
   * Tokens of the window. It is asked for where the server takes a number, and holds in place of what the server says.
   * Default: the server's.
   */
  contextLength?: number | undefined;
  /**
   * How room is made where the window gets full: `notes` of the model and rules, `rules` alone, or `off`. Default: `notes`.
   * An unknown name is an error.
   */
  compaction?: CompactionMode | undefined;
  /** Temperature, top_p, seed, … as they are sent. Default: the server's. */
  sampling?: Sampling | undefined;
  /** How long a model may say nothing after its first token, in milliseconds. Default: 120,000. */
  silenceTimeoutMs?: number | undefined;
  /**
   * Requests that each model server gets at a time: of all processes that share a database, else of this agent. What is more
   * waits for its turn. Default: 16 for a pool and with a database, else no limit.
   */
  maxRequests?: number | undefined;
  /** A local engine reads ahead what the next prompt begins with. Default: false. */
  warmUp?: boolean | undefined;
  /**
   * The embedded engine keeps on disk what it read, so that it is not read again after a restart. Default: true where
   * `storage` has folders.
   */
  promptStates?: boolean | undefined;
  /**
   * The notation of calls in the model's text, by name; `native`: the same as that `toolStrategy`. Default: told by the
   * model. An unknown name is an error.
   */
  dialect?: string | undefined;
  /**
   * How the model is had to call tools: `native`, by its server's own field; `text`, told in the prompt; `led`, in steps
   * whose values it writes under a schema; `auto`, what suits its template, its size and what probing it found.
   * Default: `auto`. An unknown name is an error.
   */
  toolStrategy?: ToolStrategy | undefined;
  /**
   * LoRA adapters on top of the model, `FILE` or `FILE:SCALE`: in the embedded engine, or those that a llama.cpp server was
   * started with. Default: none. Another provider is an error.
   */
  adapters?: readonly string[] | undefined;
  /**
   * Whether the embedded engine guesses tokens ahead: `lookup`, from the same words in the prompt. It changes how fast an
   * answer is and not what it says. Default: `off`. An unknown name is an error.
   */
  speculation?: Speculation | undefined;
  /**
   * False: the server is asked about the model only when its window has to be known, and a server that describes no models
   * can be used. Default: true, and a model that is not there is an error before the first message; of `createHarness`:
   * false.
   */
  describe?: boolean | undefined;
  /** Providers besides halter's own, by name. */
  providers?: Readonly<Record<string, OpenPluginProvider>> | undefined;
  /** Dialects besides halter's own. */
  dialects?: readonly DialectDefinition[] | undefined;
  /**
   * The model of a session that is opened again: its `own`, the one that it was last with, where that is there now;
   * `own_here`: where it is at the server that is named here; or the one that is `named` here. Default: `named`. An unknown
   * name is an error.
   */
  resumeWith?: 'own' | 'own_here' | 'named' | undefined;
  /** Told while a model is fetched or loaded; `fraction` is from 0 to 1. */
  onLoading?(message: string, fraction?: number): void;
};

export type PromptOptions = {
  /** The numbers, tools and notation of one of the five documents, by name. An unknown name is an error. */
  preset?: string | undefined;
  /** Instead of halter's own instructions. */
  system?: string | undefined;
  /** How long halter's own instructions are. Default: what suits the model's window, and `standard` where it is not known. */
  size?: PromptSize | undefined;
  /** After the instructions. */
  append?: string | undefined;
  /** AGENTS.md of the workspace, and of the person where `storage` has folders. Default: false. */
  projectInstructions?: boolean | (() => Promise<Instructions[]>) | undefined;
  /** Answers have this shape, where the engine can hold them to one; a function is asked before each request. */
  responseSchema?: JsonSchema | (() => JsonSchema | undefined);
  /** Commands (`/name words`) besides those of files. */
  commands?: readonly CustomCommand[] | undefined;
};

export type ToolOptions<T extends Tool = Tool> = {
  /** All that there are. Default: none. */
  available?: readonly T[] | undefined;
  /** Only these of them, and of the tools of MCP servers. Default: all, or the preset's. An unknown name is an error. */
  names?: readonly string[] | undefined;
  /**
   * Each tool is described in full in every prompt, whatever the window; `'where_they_fit'`: where they take at most a
   * quarter of it, and elsewhere as without a list. Default: that for a list and where `names` is given, else false.
   */
  describeAll?: boolean | 'where_they_fit' | undefined;
  /** Asked where the calls of an answer are done; true: the run ends there, and the model is not asked again. */
  stopsAfterStep?(): boolean | Promise<boolean>;
  /** Asked before each request to the model: other tools, another model, other sampling for that step. */
  prepareStep?: PrepareStep | undefined;
  /**
   * What the model reads of a result: `compact`, its data as it is; `full`, all of it as JSON; `summary`, a few words.
   * Default: `compact`, or the preset's.
   */
  results?: ResultForm | undefined;
  /** What `web_search` and `generate_image` go by. */
  web?: WebChoices | undefined;
};

export type PermissionOptions = {
  /** Rules such as `read_file` or `bash(git log *)`: calls that run without a question. */
  allow?: readonly string[] | undefined;
  /** The same: calls that never run. They win over `allow`. */
  deny?: readonly string[] | undefined;
  /** How often a person is asked: `plan`, `ask`, `edit`, `auto`, `yolo`. Default: `ask`. An unknown name is an error. */
  mode?: Mode | undefined;
  /** Nobody can change the mode in a session; `plan` then offers only tools that read, and `bash`. Default: false. */
  fixedMode?: boolean | undefined;
  /** Short for the mode `plan`. Of several modes the strictest holds. */
  plan?: boolean | undefined;
  /** Short for the mode `yolo`. */
  yolo?: boolean | undefined;
  /** Whose word `allow` and `deny` are, as reasons name it. Default: `program`. */
  source?: 'command line' | 'program' | undefined;
  /** Where nobody can answer: `wait` leaves the call open, `deny` denies it, `fail` ends the run, `postpone` answers when it is over. Default: `wait`. */
  onAsk?: OnAsk | undefined;
  /** False: commands run with your own rights. Default: they are confined wherever the system can do it. */
  sandbox?: boolean | undefined;
  /** Confined commands reach the network. Default: false. */
  allowNetwork?: boolean | undefined;
  /** Hosts that confined commands reach although they have no network: `host`, `host:port` or `*.host`. Default: none. */
  allowHosts?: readonly string[] | undefined;
  /** Files and folders of the home folder that confined commands may read, beside what programs need. Default: none. */
  allowRead?: readonly string[] | undefined;
};

/**
 * `memory`: everything ends with the agent, and nothing of the person is read. `files`: in halter's folders, as the program
 * keeps it. An object: in a database that many machines share, or in folders of your own.
 */
export type StorageOptions =
  | 'memory'
  | 'files'
  | { kind: 'memory' }
  | {
      kind: 'files';
      /** Default: the folders of the person whose environment it is. */
      folders?: HalterPaths | undefined;
    }
  | {
      kind: 'postgres';
      /** `postgres://…`. An error where it cannot be reached. */
      url: string;
      /**
       * Uses the connections of the other agents of this process that share this address. Default: false; true for
       * harnesses of the library.
       */
      shared?: boolean | undefined;
      /** Settings, trust and the connection log of this machine. Default: none are read or written. */
      folders?: HalterPaths | undefined;
    };

export type SearchOptions = {
  /** When an index of the workspace is used: `auto` where there is one. Default: `auto`. */
  graphRag?: GraphRagMode | undefined;
  /** What chooses the lines of long files. Default: `deterministic`. */
  curator?: CuratorMode | undefined;
  /** `provider/model`, or a GGUF file, that makes vectors of texts. Default: words alone are searched. */
  embeddingModel?: string | undefined;
  /** Files can be put into conversations, which can then be searched. Needs `storage` in files. Default: false. */
  documents?: boolean | undefined;
};

export type IoOptions = {
  /** Default: that of the process. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Default: that of the process. */
  platform?: NodeJS.Platform | undefined;
  /** Nothing but this machine is reached. Default: false. */
  offline?: boolean | undefined;
  /** `host` or `host:port` that tools may reach though its address is private. Default: none. */
  allowPrivate?: readonly string[] | undefined;
  /** Names and connections other than the system's, to try the network's rules without an internet. */
  connections?: Pick<NetworkOptions, 'resolve' | 'dial'> | undefined;
  /** Ends the opening of a model. */
  signal?: AbortSignal | undefined;
  /** Told of what a person should know and that stops nothing. Default: `process.emitWarning`. */
  onWarning?(code: string, message: string): void;
  /** Told of every connection that was tried, made or refused. */
  onConnection?(record: ConnectionRecord): void;
};

export type TelemetryOptions = {
  /** Default: no traces. */
  trace?: TraceChoice | undefined;
  /** The program's version, as traces name it. Default: `0.0.0`. */
  version?: string | undefined;
};

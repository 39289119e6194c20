import type { JsonObject, JsonSchema } from './json.ts';
import type {
  Clock,
  Jobs,
  MayKeep,
  Network,
  NoteChanges,
  NoteLayer,
  Processes,
  Tasks,
  ToolConfig,
  Workspace,
} from './ports.ts';
import type { Curator, Retrieval } from './retrieval-port.ts';
import type { ToolOutput, ToolResult } from './tool-result.ts';

/** Z7: safe runs; medium asks; high asks with a warning. */
export const RISKS = ['safe', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

/** What a call may touch; calls that only read run together, the others one at a time in their order. */
export const TOOL_EFFECTS = ['none', 'read', 'network', 'write', 'process'] as const;
export type ToolEffects = (typeof TOOL_EFFECTS)[number];

/** Everything a tool gets (Z13). Replace any part of it in a test. */
/** Who reads the result of a call: the model that made it, or the person who typed it. */
export type Reader = 'model' | 'person';

export type ToolContext = {
  workspace: Workspace;
  network: Network;
  processes: Processes;
  /** Aborts on cancel and on timeout. */
  signal: AbortSignal;
  clock: Clock;
  tasks: Tasks;
  config: ToolConfig;
  /** There where a session is, for commands to go on in. */
  jobs?: Jobs;
  /** Long results are put aside: so many bytes may come, of which the model is shown a part. */
  keptResultBytes?: number;
  /** Characters that the model is shown of a result; a tool that stays below says itself what it left out. Absent: unlimited. */
  resultCharacters?(): Promise<number>;
  /** Whether the rules and answers that let this call pass also cover this address. Absent: they say nothing about addresses. */
  mayReach?(url: string): Promise<boolean>;
  /** Asks about changes of a command to files that other programs run by themselves. Absent: none are kept. */
  mayKeep?: MayKeep;
  /** Told what a command changed in files. Absent: nobody keeps it. */
  noteChanges?: NoteChanges;
  /** Told where the changes of a command stand. Absent: after a crash nobody can tell. */
  noteLayer?: NoteLayer;
  /** Whether the model can call a tool of this name, so that a text may speak of it. Absent: any. */
  offers?(name: string): boolean;
  /** Whose words the result is in. Absent: those for the model. */
  reader?: Reader;
  /** Live output for the person; the model reads only the result. */
  report(text: string): void;
  /** There when graph RAG is on (Z20). */
  retrieval?: Retrieval;
  /** Chooses the lines of a long file that matter to the conversation (H3). */
  curator?: Curator;
};

/** What the permission prompt shows of a call before it runs (H7). */
export type Preview = {
  /** One sentence: "write src/a.ts, 12 lines added, 3 removed". */
  summary: string;
  /** A unified diff, where the call changes a file. */
  diff?: string;
  /** The result, where it is known without running: the call would fail, or change nothing. Nobody is asked about it. */
  known?: ToolOutput;
};

/** A tool as the program holds it. `parameters` is JSON Schema with the defaults in it. */
export type Tool = {
  name: string;
  description: string;
  risk: Risk;
  effects: ToolEffects;
  /** `effects` was not said and is what its risk suggests: whether it only reads is not known. */
  effects_implied?: boolean;
  parameters: JsonSchema;
  /** What it runs stands in the sandbox of commands, where there is one; all other tools run in halter's own process. */
  in_sandbox?: boolean;
  /** Absent: the run's default (E6). 0: no limit but the tool's own. */
  timeout_ms?: number;
  /** Once allowed for a session, Allow Once counts for the session too (grep_search). */
  session_scope?: boolean;
  /** The loop guard leaves tools that poll or tell the time alone. */
  polling?: boolean;
  /** The same arguments and the same files give the same result, so it may be given again without a run (L11). A run that takes the clock, the network or a folder from its context is not kept. */
  pure?: boolean;
  /** A success ends the run: the model is not asked again. */
  endsRun?: boolean;
  /** Its results are untrusted content (a page, a server): calls that reach outside ask again after them. */
  untrusted_content?: boolean;
  /** Of a tool that a server describes: what a kept rule is bound to. With another identity the call is asked about again. */
  identity?(): string;
  /**
   * Why it cannot be used with these settings, and what to set; it is then not offered to a model, and nobody is asked about
   * a call of it. `args`: of one call, which may work all the same; then `network` says which addresses it would refuse.
   */
  unavailable?(config: ToolConfig, args?: JsonObject, network?: Pick<Network, 'refusalOf'>): string | undefined;
  /**
   * Left undescribed in the prompt of a small window when the tools on offer are too many for it; `use_tool` still names and
   * calls it. For a tool that most conversations do without, so that a new one puts no other out of the prompt.
   */
  dispensable?: boolean;
  /** The argument that rule patterns match and that a one-line display shows: `path`, `command`, `query` … */
  main_argument?: string;
  /**
   * The argument that names the running program that `main_argument` is typed into. What one types to a shell is a command:
   * pieces of a line are judged together, and rules that deny commands hold for it.
   */
  typed_into?: string;
  /**
   * The arguments that hold paths, by name. A list or an object counts with every text in it. Empty: none does. Absent:
   * every text argument may be a path, and a tool that writes is treated as writing anywhere.
   */
  path_arguments?: readonly string[];
  /**
   * The weighty arguments, by name: whom the call reaches, what it spends, what it sends, where it writes. After untrusted
   * content, a call asks where such a value stands in that content alone. Empty: none. Absent: every argument.
   */
  sinks?: readonly string[];
  /** Those of the weighty arguments whose text is written into a file: of them only what untrusted content alone holds counts. */
  written_arguments?: readonly string[];
  /** Of a tool that reaches the network: it only reads there. Then of its arguments only hosts are weighty. */
  reads_only?: boolean;
  /** How long a result may be where the window has room for it; 60,000 characters by default. */
  result_characters?: number;
  run(args: JsonObject, context: ToolContext): Promise<ToolOutput>;
  preview?(args: JsonObject, context: ToolContext): Promise<Preview | undefined>;
  /**
   * At most three items for E7, of which the model is shown 200 characters each; absent: derived from the data. `args`:
   * what the call asked for, where it is known.
   */
  summarize?(result: ToolResult, args?: JsonObject): string[];
};

/** It says of itself that nothing is changed, sent or spent by it. */
export const onlyReads = ({ effects, effects_implied = false }: Pick<Tool, 'effects' | 'effects_implied'>): boolean =>
  effects === 'none' || (effects === 'read' && !effects_implied);

/** A tool that remembers its types, so that a program that calls it by name is checked. */
export type DefinedTool<N extends string = string, Arguments = unknown, Value = unknown> = Tool & {
  readonly name: N;
  /** For the compiler alone; there is no such property. */
  readonly types?: { readonly arguments: Arguments; readonly value: Value };
};

/** The arguments that a tool takes from a caller. */
export type ToolArguments<T> = T extends { readonly types?: infer Types }
  ? NonNullable<Types> extends { readonly arguments: infer Arguments }
    ? Arguments
    : JsonObject
  : JsonObject;
/** What its `run` returns. */
export type ToolValue<T> = T extends { readonly types?: infer Types }
  ? NonNullable<Types> extends { readonly value: infer Value }
    ? Value
    : ToolReturn
  : ToolReturn;

/** The wire form that models and servers know. */
export type ToolSchema = {
  type: 'function';
  function: { name: string; description: string; parameters: JsonSchema };
};
export const toolSchema = (tool: Pick<Tool, 'name' | 'description' | 'parameters'>): ToolSchema => ({
  type: 'function',
  function: { name: tool.name, description: tool.description, parameters: tool.parameters },
});

/** What a person's `run` may return besides a ToolOutput. */
export type ToolReturn = unknown;

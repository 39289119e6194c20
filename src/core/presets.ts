/** The five documents' own numbers and forms, each behind `--preset NAME`. */
import { DEFAULT_LIMITS, type Limits } from './limits.ts';

export type Preset = {
  name: string;
  /** What it is, for somebody who knows none of the documents. */
  summary: string;
  limits: Limits;
  /** The tools the document has, by name; undefined: all. */
  tools?: readonly string[];
  /** How calls are written where the server has no field of its own for them; a name of `dialects/`. */
  dialect?: string;
  /** The dialect that answers are read in, where it is another than the one that is written. */
  reads?: string;
  /** Arguments are checked as `tools validate` checks them: nothing is converted, and a call has exactly its own keys. */
  strict?: true;
  /** Its tools are offered also where what one needs is not set up; its result then says what to set. */
  offersAll?: true;
  /** What a program is told of each call is exactly what the document says. */
  plainEvents?: true;
  /** The answer as it is shown ends in a line `Sources: …` with every tool that returned something. */
  citesInAnswer?: true;
  /** `injected`: tools are described in the prompt and calls are text; `native`: the server's field. */
  toolMode: 'native' | 'injected';
  results: 'full' | 'summary';
};

const TASK_TOOLS = ['add_task', 'list_tasks', 'update_task'] as const;

export const PRESETS = {
  zodollama: {
    name: 'zodollama',
    summary: 'an assistant that knows the files of the folder and keeps a list of tasks; the server reads the calls',
    limits: DEFAULT_LIMITS,
    tools: ['get_file_tree', 'read_file', 'get_current_time', ...TASK_TOOLS],
    toolMode: 'native',
    results: 'full',
  },
  'local-harness': {
    name: 'local-harness',
    summary: 'an assistant that reads and edits files; the server reads the calls',
    limits: DEFAULT_LIMITS,
    tools: [
      'ls',
      'read_file',
      'write_file',
      'replace_lines',
      'insert_lines',
      'grep_search',
      'get_current_time',
      'get_working_directory',
      ...TASK_TOOLS,
    ],
    toolMode: 'native',
    results: 'full',
  },
  'llama-chat': {
    name: 'llama-chat',
    summary: 'a chat with one tool, the shell, in the notation of Mistral; calls of every notation are read',
    limits: { ...DEFAULT_LIMITS, iterations: 5 },
    tools: ['bash'],
    dialect: 'mistral-args',
    reads: 'auto',
    toolMode: 'injected',
    results: 'full',
  },
  'zoo-keeper': {
    name: 'zoo-keeper',
    summary: 'every tool, for a model without a field for tools: calls are bare JSON with name and arguments',
    limits: { ...DEFAULT_LIMITS, iterations: 5, repairs: 2 },
    dialect: 'plain-json',
    toolMode: 'injected',
    results: 'full',
  },
  edison: {
    name: 'edison',
    summary:
      'a search assistant: web, documents, pictures, system; one call at a time as {"tool", "args"}, checked strictly',
    tools: ['web_search', 'rag_search', 'generate_image', 'system_stats'],
    limits: { toolCallsPerIteration: 1, iterations: 5, repairs: 1, toolTimeoutMs: 12_000, summaryCharacters: 900 },
    dialect: 'edison',
    strict: true,
    offersAll: true,
    plainEvents: true,
    citesInAnswer: true,
    toolMode: 'injected',
    results: 'summary',
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const presetNames = Object.keys(PRESETS) as PresetName[];
export const findPreset = (name: string): Preset | undefined =>
  Object.hasOwn(PRESETS, name) ? PRESETS[name as PresetName] : undefined;

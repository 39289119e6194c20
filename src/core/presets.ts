/** The five documents' own numbers and forms, each behind `--preset NAME`. */
import { DEFAULT_LIMITS, type Limits } from './limits.ts';

export type Preset = {
  name: string;
  limits: Limits;
  /** The tools the document has, by name; undefined: all. */
  tools?: readonly string[];
  /** How calls are written where the server has no field of its own for them; a name of `dialects/`. */
  dialect?: string;
  /** `injected`: tools are described in the prompt and calls are text; `native`: the server's field. */
  toolMode: 'native' | 'injected';
  results: 'full' | 'summary';
};

const TASK_TOOLS = ['add_task', 'list_tasks', 'update_task'] as const;

export const PRESETS = {
  zodollama: {
    name: 'zodollama',
    limits: DEFAULT_LIMITS,
    tools: ['get_file_tree', 'read_file', 'get_current_time', ...TASK_TOOLS],
    toolMode: 'native',
    results: 'full',
  },
  'local-harness': {
    name: 'local-harness',
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
    limits: { ...DEFAULT_LIMITS, iterations: 5 },
    tools: ['bash'],
    dialect: 'mistral-args',
    toolMode: 'injected',
    results: 'full',
  },
  'zoo-keeper': {
    name: 'zoo-keeper',
    limits: { ...DEFAULT_LIMITS, iterations: 5, repairs: 2 },
    dialect: 'plain-json',
    toolMode: 'injected',
    results: 'full',
  },
  edison: {
    name: 'edison',
    tools: ['web_search', 'rag_search', 'generate_image', 'system_stats'],
    limits: { toolCallsPerIteration: 1, iterations: 5, repairs: 1, toolTimeoutMs: 12_000, summaryCharacters: 900 },
    dialect: 'edison',
    toolMode: 'injected',
    results: 'summary',
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const presetNames = Object.keys(PRESETS) as PresetName[];
export const findPreset = (name: string): Preset | undefined =>
  Object.hasOwn(PRESETS, name) ? PRESETS[name as PresetName] : undefined;

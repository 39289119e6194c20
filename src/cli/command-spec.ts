/** The description of a command, and the flags that go together. */
import type { FlagName } from './flags.ts';

export type CommandSpec = {
  /** `tools call`; the terminal app has no name. */
  name: string;
  summary: string;
  /** What follows the name. */
  usage: string;
  words: { min: number; max: number };
  flags: readonly FlagName[];
  /** Where a flag means something else here. */
  flagHelp?: { [Name in FlagName]?: { value: string; help: string; choices?: readonly string[] } };
  examples?: readonly string[];
};

/** How to reach a model, and what may be done: the same for everything that could call a tool. */
export const REACH: readonly FlagName[] = ['model', 'provider', 'base-url', 'api-key-env', 'offline', 'directory'];
export const PERMISSIONS: readonly FlagName[] = [
  'allow',
  'deny',
  'mode',
  'yolo',
  'plan',
  'sandbox',
  'no-sandbox',
  'allow-network',
  'allow-host',
  'allow-read',
  'add-dir',
  'allow-private',
];
export const CONVERSATION: readonly FlagName[] = [
  ...REACH,
  'continue',
  'session',
  'fork',
  'no-session',
  'database',
  'tools',
  'no-tools',
  ...PERMISSIONS,
  'context-length',
  'dialect',
  'tool-strategy',
  'lora',
  'speculation',
  'compaction',
  'max-iterations',
  'max-tool-calls',
  'preset',
  'system-prompt',
  'append-system-prompt',
  'temperature',
  'top-p',
  'seed',
  'think',
  'no-think',
  'think-budget',
  'results',
  'trace',
  'log-level',
];
/** Whoever asks for a session of the server names it. */
export const PER_SESSION: readonly FlagName[] = ['continue', 'session', 'no-session'];
export const ANY = Number.POSITIVE_INFINITY;
export const TOOLS_FILE = { tools: { value: 'FILE', help: "the tools on offer, as a JSON array in OpenAI's form" } };

/** Every flag of the command line, once. Parsing, help and completion are made from this table. */

import { SPECULATIONS } from '../core/engine-options.ts';
import { MODE_WORDS, MODES } from '../core/policy/modes.ts';
import { PRESETS, presetNames } from '../core/presets.ts';
import { PROVIDER_NAMES } from '../core/provider-names.ts';
import { TOOL_STRATEGIES } from '../core/tool-strategy.ts';
import { COMPACTION_MODES } from '../core/window/compaction-mode.ts';

type FlagSpec = {
  /** `tokens`: a number as people write it, such as 8k. `optional`: a switch that may bring a text, `--NAME=TEXT`. */
  kind: 'text' | 'switch' | 'optional' | 'integer' | 'number' | 'tokens' | 'choice';
  help: string;
  /** What stands for the value in the help. */
  value?: string;
  short?: string;
  multiple?: boolean;
  choices?: readonly string[];
  /** An empty text says something: no tool, no words. Elsewhere it is a variable of a script that is not set. */
  mayBeEmpty?: true;
};

export const FLAGS = {
  model: { kind: 'text', short: 'm', value: 'PROVIDER/MODEL', help: 'the model to use, such as ollama/qwen3:8b' },
  provider: {
    kind: 'choice',
    value: 'NAME',
    choices: PROVIDER_NAMES,
    help: 'the make of model server',
  },
  'base-url': { kind: 'text', value: 'URL', help: 'where the model server is; several with commas between are a pool' },
  'api-key-env': { kind: 'text', value: 'NAME', help: 'the environment variable that holds the key' },
  format: {
    kind: 'choice',
    value: 'FORMAT',
    choices: ['text', 'json', 'stream-json'],
    help: 'what stands on standard output',
  },
  export: { kind: 'text', value: 'FILE', help: 'write what was found as one JSON file, for others' },
  output: { kind: 'text', short: 'o', value: 'FILE', help: 'also write the answer (or the JSON) to a file' },
  'json-schema': { kind: 'text', value: 'FILE', help: 'the answer must be JSON of this schema (or the schema itself)' },
  continue: { kind: 'switch', short: 'c', help: "go on with this folder's latest session" },
  session: { kind: 'text', value: 'ID', help: 'go on with this session, or begin one of this name' },
  fork: { kind: 'switch', help: 'go on with a copy of that session; it stays as it is' },
  database: {
    kind: 'text',
    value: 'URL',
    help: 'keep sessions in this PostgreSQL, which many machines share (or HALTER_DATABASE_URL)',
  },
  'no-session': { kind: 'switch', help: 'keep nothing' },
  tools: { kind: 'text', mayBeEmpty: true, value: 'A,B', help: 'offer only these tools' },
  'no-tools': { kind: 'switch', help: 'offer no tools' },
  mode: {
    kind: 'choice',
    value: 'MODE',
    choices: MODES,
    help: `how often you are asked: ${MODES.map((mode) => `${mode} (${MODE_WORDS[mode]})`).join(', ')}`,
  },
  plan: { kind: 'switch', help: 'the same as --mode plan: only tools that read' },
  allow: { kind: 'text', multiple: true, value: 'RULE', help: 'allow a tool, or `bash(git log *)`; repeatable' },
  deny: { kind: 'text', multiple: true, value: 'RULE', help: 'deny a tool or a pattern of it; repeatable' },
  yolo: { kind: 'switch', help: 'the same as --mode yolo: allow everything that is not denied' },
  'on-ask': {
    kind: 'choice',
    value: 'WHAT',
    choices: ['deny', 'fail'],
    help: 'what a permission question becomes with nobody there (fail)',
  },
  'context-length': {
    kind: 'tokens',
    value: 'N',
    help: 'tokens of the window (8192, 8k): asked for where the server takes it, and held to everywhere',
  },
  compaction: {
    kind: 'choice',
    value: 'HOW',
    choices: COMPACTION_MODES,
    help: 'how room is made in a full window: with notes of the model, by rules alone, or off (notes)',
  },
  'tool-strategy': {
    kind: 'choice',
    value: 'HOW',
    choices: TOOL_STRATEGIES,
    help: "how the model is had to call tools: by its server's own field, as text in the prompt, led in steps, or what suits it (auto)",
  },
  lora: {
    kind: 'text',
    multiple: true,
    value: 'FILE[:SCALE]',
    help: 'a LoRA adapter on top of the model, in the embedded engine or of a llama.cpp server; repeatable',
  },
  speculation: {
    kind: 'choice',
    value: 'HOW',
    choices: SPECULATIONS,
    help: 'whether the embedded engine guesses ahead what stands in the prompt already (off)',
  },
  compact: {
    kind: 'optional',
    value: 'WHAT MATTERS',
    help: 'make room in the window of that session first, keeping what is written behind `=`; without a prompt, that alone',
  },
  'max-iterations': { kind: 'integer', value: 'N', help: 'rounds of tool calls for one message' },
  'max-tool-calls': { kind: 'integer', value: 'N', help: 'tool calls in one round' },
  'max-time': { kind: 'number', value: 'S', help: 'stop after so many seconds' },
  directory: { kind: 'text', short: 'C', value: 'DIR', help: 'work in this folder' },
  'add-dir': { kind: 'text', multiple: true, value: 'DIR', help: 'one more folder that tools may use; repeatable' },
  preset: {
    kind: 'choice',
    value: 'NAME',
    choices: presetNames,
    help: `prompt, tools and limits of one of five systems: ${presetNames.map((name) => `${name} (${PRESETS[name].summary})`).join('; ')}`,
  },
  'system-prompt': {
    kind: 'text',
    mayBeEmpty: true,
    value: 'TEXT|@FILE',
    help: 'instead of the built-in system prompt',
  },
  'append-system-prompt': { kind: 'text', mayBeEmpty: true, value: 'TEXT|@FILE', help: 'after the system prompt' },
  temperature: { kind: 'number', value: 'N', help: 'sampling temperature' },
  'top-p': { kind: 'number', value: 'N', help: 'nucleus sampling' },
  seed: { kind: 'integer', value: 'N', help: 'seed of the sampling' },
  think: { kind: 'switch', help: 'let the model think first, where it can' },
  'think-budget': {
    kind: 'integer',
    value: 'N',
    help: 'tokens of thinking at most, where server or model take a number',
  },
  'no-think': { kind: 'switch', help: 'no thinking first' },
  offline: { kind: 'switch', help: 'no connection but to this machine' },
  'allow-private': {
    kind: 'text',
    multiple: true,
    value: 'HOST[:PORT]',
    help: 'tools may reach this host though its address is private; repeatable',
  },
  sandbox: { kind: 'switch', help: 'say if there is no sandbox for commands (they run in one wherever there is)' },
  'no-sandbox': { kind: 'switch', help: 'run commands with your own rights' },
  'allow-network': { kind: 'switch', help: 'commands in the sandbox reach the network' },
  'allow-host': {
    kind: 'text',
    multiple: true,
    value: 'HOST[:PORT]',
    help: 'commands in the sandbox reach this host; *.HOST for what lies below; repeatable',
  },
  'allow-read': {
    kind: 'text',
    multiple: true,
    value: 'PATH',
    help: 'commands in the sandbox see this file or folder, which is hidden otherwise; repeatable',
  },
  trace: {
    kind: 'choice',
    value: 'WHERE',
    choices: ['off', 'file', 'otlp'],
    help: 'traces in the words of OpenTelemetry: into a file, or to a collector (off)',
  },
  'screen-reader': { kind: 'switch', help: 'plain lines that are written once, for a screen reader' },
  results: {
    kind: 'choice',
    value: 'FORM',
    choices: ['compact', 'full', 'summary'],
    help: 'what the model reads of tool results (compact)',
  },
  host: { kind: 'text', value: 'ADDRESS', help: 'listen on this address (127.0.0.1)' },
  port: { kind: 'integer', value: 'N', help: 'listen on this port (7411); 0 takes any that is free' },
  'allowed-host': {
    kind: 'text',
    multiple: true,
    value: 'NAME',
    help: 'a name (or name:port) by which browsers reach this server; repeatable',
  },
  'trusted-proxy': {
    kind: 'text',
    multiple: true,
    value: 'ADDRESS',
    help: 'a proxy in front, whose X-Forwarded-Proto and X-Forwarded-Host count; repeatable',
  },
  'tls-cert': { kind: 'text', value: 'FILE', help: 'encrypt with this certificate (PEM)' },
  'tls-key': { kind: 'text', value: 'FILE', help: 'the key of that certificate (PEM)' },
  'token-file': {
    kind: 'text',
    value: 'FILE',
    help: 'the token is in this file (or HALTER_TOKEN); else that of `halter connect`, or a new one each start',
  },
  open: { kind: 'switch', help: 'open the page in the browser' },
  workers: { kind: 'switch', help: 'run no conversation here: `halter worker` does, on the same database' },
  'http-port': {
    kind: 'integer',
    value: 'N',
    help: 'answer /healthz, /readyz and /metrics on this port; 0 takes any that is free',
  },
  'log-format': {
    kind: 'choice',
    value: 'FORMAT',
    choices: ['text', 'json'],
    help: 'what standard error holds: sentences, or one JSON object a line (text)',
  },
  concurrency: { kind: 'integer', value: 'N', help: 'conversations that one worker runs at a time (32)' },
  json: { kind: 'switch', help: 'JSON on standard output' },
  openai: {
    kind: 'switch',
    help: "the tools as OpenAI's API takes them: a list that `--tools` of parse and render reads",
  },
  dialect: { kind: 'text', value: 'NAME', help: 'the notation of the calls in its text; detected where absent' },
  template: { kind: 'text', value: 'FILE', help: 'a Jinja chat template' },
  chunks: { kind: 'integer', value: 'N', help: 'feed the text in pieces of N characters' },
  limit: { kind: 'integer', value: 'N', help: 'at most so many' },
  at: { kind: 'integer', value: 'N', help: 'up to the event with this number; `sessions show` shows the numbers' },
  record: { kind: 'text', value: 'DIR', help: 'also keep the session there, as a test to be replayed' },
  steps: { kind: 'integer', value: 'N', help: 'so many changes, the newest first (1)' },
  list: { kind: 'switch', help: 'only show what there is' },
  'on-change': {
    kind: 'choice',
    value: 'WHAT',
    choices: ['keep', 'force', 'beside'],
    help: 'what to do with a file that changed since: leave it, put the old content in its place, or write that beside it',
  },
  remove: { kind: 'switch', help: 'take it back' },
  yes: { kind: 'switch', short: 'y', help: 'write without asking' },
  all: { kind: 'switch', help: 'of every folder' },
  status: { kind: 'switch', help: 'only say what is there' },
  bundle: { kind: 'switch', help: 'JSON to hand in with a report: no words, keys or names of yours are in it' },
  quiet: { kind: 'switch', help: 'no line on standard error for each tool that ran; warnings stay' },
  'log-level': {
    kind: 'choice',
    value: 'LEVEL',
    choices: ['error', 'warn', 'info', 'debug'],
    help: 'what is said on standard error (warn)',
  },
  env: { kind: 'text', multiple: true, value: 'NAME=VALUE', help: 'a variable for the server; repeatable' },
  header: { kind: 'text', multiple: true, value: "'NAME: VALUE'", help: 'a header for the server; repeatable' },
  help: { kind: 'switch', short: 'h', help: 'this help' },
  version: { kind: 'switch', short: 'V', help: 'the version' },
} as const satisfies Record<string, FlagSpec>;

export type FlagName = keyof typeof FLAGS;

type ValueOf<F> = F extends { multiple: true }
  ? string[]
  : F extends { kind: 'switch' }
    ? boolean
    : F extends { kind: 'optional' }
      ? string | true
      : F extends { kind: 'integer' | 'number' | 'tokens' }
        ? number
        : F extends { choices: readonly (infer Choice)[] }
          ? Choice
          : string;
export type FlagValues = { [Name in FlagName]?: ValueOf<(typeof FLAGS)[Name]> };

export const flagSpec = (name: FlagName): FlagSpec => FLAGS[name];
/** What stands behind the name where flags are listed. */
export const flagValueText = (name: FlagName, own?: string): string => {
  const { kind, value = 'VALUE' } = flagSpec(name);
  if (kind === 'switch') return '';
  return kind === 'optional' ? `[=${own ?? value}]` : ` ${own ?? value}`;
};
/** It may stand alone. */
export const isSwitch = (name: FlagName): boolean => ['switch', 'optional'].includes(flagSpec(name).kind);
export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];
export const isFlagName = (name: string): name is FlagName => Object.hasOwn(FLAGS, name);

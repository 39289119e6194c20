/** Plays a sentence of the five documents over the command line and over HTTP, in its preset and outside it. */
import { expect, onTestFinished } from 'vitest';
import type { PresetName } from '../../src/core/presets.ts';
import type { registerTool } from '../../src/index.ts';
import { type ScriptedProviderTurn, startScriptedServer } from '../../src/testing/index.ts';
import { runHalter } from './halter-process.ts';
import { putFiles, scratchFolder } from './scratch.ts';
import { testServer } from './test-server.ts';

export type Result = {
  success: boolean;
  data: string | null;
  error_message: string | null;
  error_type?: string;
  metadata?: Record<string, unknown>;
};
export type Call = readonly [name: string, args: object];
/** What the model says in one answer: words, or calls in the notation of the document. */
export type Said = string | readonly Call[];
export type Seen = {
  answer: string;
  results: Result[];
  /** Each request to the model, as JSON. */
  requests: string[];
  reason: unknown;
  error: { code?: unknown } | undefined;
  tools: unknown;
  preset: PresetName | undefined;
};
export type Row = {
  sentence: string;
  preset: PresetName;
  says: readonly Said[];
  files?: Record<string, string | Uint8Array>;
  allow?: readonly string[];
  tools?: readonly ReturnType<typeof registerTool>[];
  holds: (seen: Seen) => void;
};

const AS_TEXT: Partial<Record<PresetName, (call: Call) => string>> = {
  'llama-chat': ([name, args]) => `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(args)}`,
  'zoo-keeper': ([name, args]) => JSON.stringify({ name, arguments: args }),
  edison: ([tool, args]) => JSON.stringify({ tool, args }),
};
const turnOf = (preset: PresetName, said: Said): ScriptedProviderTurn => {
  if (typeof said === 'string') return { text: said };
  const write = AS_TEXT[preset];
  if (write) return { text: said.map(write).join('\n') };
  return { calls: said.map(([name, args]) => ({ name, arguments: { ...args } })) };
};

const resultOf = (result: Result | { ok: boolean; error: string | null; data: unknown }): Result =>
  'ok' in result
    ? {
        success: result.ok,
        error_message: result.error,
        data: typeof result.data === 'string' ? result.data : JSON.stringify(result.data),
      }
    : result;

const onCommandLine = async (row: Row, preset: PresetName | undefined): Promise<Seen> => {
  const turns = row.says.map((said) => turnOf(row.preset, said));
  const server = await startScriptedServer({ turns });
  onTestFinished(() => server.close());
  const cwd = scratchFolder();
  putFiles(cwd, { ...row.files });
  const allowed = (row.allow ?? []).flatMap((tool) => ['--allow', tool]);
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  const flags = [...(preset ? ['--preset', preset] : []), ...allowed, '--format', 'json'];
  const ran = await runHalter(['run', 'go', ...reach, ...flags], { cwd });
  expect(ran.out, ran.err).not.toBe('');
  const told = ran.json();
  return {
    answer: String(told['answer']),
    results: (told['tool_calls'] as { result: Result }[]).map(({ result }) => result),
    requests: server.requests.map(({ body }) => JSON.stringify(body['messages'])),
    reason: told['exit_reason'],
    error: told['error'] as Seen['error'],
    tools: told['tools_used'],
    preset,
  };
};

const overHttp = async (row: Row, preset: PresetName | undefined): Promise<Seen> => {
  const turns = row.says.map((said) => turnOf(row.preset, said));
  const server = await testServer(turns, { preset, allow: [...(row.allow ?? [])] });
  putFiles(server.folder, { ...row.files });
  const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  return {
    answer: String(reply['answer']),
    results: (reply['tool_events'] as { result: Result }[]).map(({ result }) => resultOf(result)),
    requests: server.provider.requests.map(({ messages }) => JSON.stringify(messages)),
    reason: reply['exit_reason'],
    error: reply['error'] as Seen['error'],
    tools: reply['tools_used'],
    preset,
  };
};

export const WAYS = [
  { way: 'run, in the preset', play: (row: Row) => onCommandLine(row, row.preset) },
  { way: 'HTTP, outside a preset', play: (row: Row) => overHttp(row, undefined) },
  { way: 'HTTP, in the preset', play: (row: Row) => overHttp(row, row.preset) },
  { way: 'run, outside a preset', play: (row: Row) => onCommandLine(row, undefined) },
] as const;

/** What the tests of providers share: each protocol as a row of one table, and a way to ask a provider once. */
import type { ModelOutcome, ModelPart, ModelProvider, ModelRequest } from '../../core/model-port.ts';
import { createProvider, type ProviderOptions, type ServerProviderName } from '../../providers/index.ts';
import type { ScriptedServer } from '../scripted-server.ts';
import { type ScriptedResponse, scriptedNetwork } from './network.ts';
import { ollamaStream } from './ollama.ts';
import { openaiStream } from './openai.ts';
import type { ScriptedServerTurn } from './turn.ts';

const clock = { now: () => 1_700_000_000_000, monotonic: () => 0 };
export const never = (): AbortSignal => new AbortController().signal;

export const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'test-model',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [
    { type: 'function', function: { name: 'ls', description: 'list', parameters: { type: 'object' } } },
    { type: 'function', function: { name: 'get_current_time', description: 'time', parameters: { type: 'object' } } },
  ],
  sampling: {},
  ...more,
});

export type Told = { outcome: ModelOutcome; parts: ModelPart[]; text: string; reasoning: string; waits: number[] };

export const joined = (parts: readonly ModelPart[], type: 'text_delta' | 'reasoning_delta'): string =>
  parts.map((part) => (part.type === type && 'delta' in part ? part.delta : '')).join('');

export const quiet = (waits: number[]): Pick<ProviderOptions, 'sleep' | 'random' | 'clock'> => ({
  clock,
  random: () => 0.5,
  sleep: async (ms) => {
    waits.push(ms);
  },
});

export const tell = async (
  make: (options: Pick<ProviderOptions, 'sleep' | 'random' | 'clock'>) => ModelProvider,
  more: Partial<ModelRequest> = {},
  signal = never(),
): Promise<Told> => {
  const waits: number[] = [];
  const parts: ModelPart[] = [];
  const outcome = await make(quiet(waits)).stream(request(more), (part) => parts.push(part), signal);
  return { outcome, parts, text: joined(parts, 'text_delta'), reasoning: joined(parts, 'reasoning_delta'), waits };
};

export const isChat = (url: string): boolean => url.endsWith('/api/chat') || url.endsWith('/chat/completions');

export const PROVIDERS: readonly {
  name: ServerProviderName;
  contentType: string;
  write(turn: ScriptedServerTurn): string;
  /** Something that the protocol is not, in the middle of a stream. */
  garbage: string;
  error(message: string): string;
  base(server: ScriptedServer): string;
}[] = [
  {
    name: 'ollama',
    contentType: 'application/x-ndjson',
    write: (turn) => ollamaStream(turn, { model: 'test-model', characters: 400 }).join(''),
    garbage: '{"model":"test-mo\n',
    error: (message) => `${JSON.stringify({ error: message })}\n`,
    base: (server) => server.url,
  },
  ...(['openai', 'llama-cpp'] as const).map((name) => ({
    name,
    contentType: 'text/event-stream',
    write: (turn: ScriptedServerTurn) =>
      openaiStream(turn, { model: 'test-model', number: 1, characters: 400, includeUsage: true }).join(''),
    garbage: 'data: {"choices":[{"del\n\n',
    error: (message: string) => `data: ${JSON.stringify({ error: { message, code: 500 } })}\n\n`,
    base: (server: ScriptedServer) => server.openaiUrl,
  })),
];

/** Everything but the chat itself is answered as a server of that kind would. */
export const overNetwork = (
  name: ServerProviderName,
  chat: (number: number) => ScriptedResponse,
  more: Partial<ProviderOptions> = {},
) => {
  let number = 0;
  const network = scriptedNetwork((asked) => (isChat(asked.url) ? chat(number++) : undefined));
  return {
    network,
    chats: () => network.requests.filter((asked) => isChat(asked.url)),
    make: (options: Pick<ProviderOptions, 'sleep' | 'random' | 'clock'>) =>
      createProvider(name, { ...options, network, ...more }),
  };
};

/** Every engine that leads a model in steps, without a model: what is written is drawn from the grammar or the schema. */
import type { JsonObject, JsonSchema, JsonValue } from '../../src/core/json.ts';
import type { LeadingProvider } from '../../src/core/led-port.ts';
import type { ModelProvider } from '../../src/core/model-port.ts';
import { createEmbeddedProvider } from '../../src/providers/embedded/index.ts';
import { schemaGrammar } from '../../src/providers/led/grammar.ts';
import { ledProvider } from '../../src/providers/led/provider.ts';
import { createLlamaCppProvider } from '../../src/providers/llama-cpp/llama-cpp.ts';
import { createOllamaProvider } from '../../src/providers/ollama/ollama.ts';
import { createOpenAIProvider } from '../../src/providers/openai/openai.ts';
import { type ScriptedNetwork, scriptedNetwork } from '../../src/testing/scripted-server/network.ts';
import { createFakeEngine, loadFake } from './fake-engine.ts';
import { parseGbnf, sampleGbnf } from './gbnf-sampler.ts';

const clock = { now: () => 0, monotonic: () => 0 };

export type LedEngine = { provider: ModelProvider; network?: ScriptedNetwork };
export type LedRow = { name: string; make(answer?: string): LedEngine };

const createDraw = (): (() => number) => {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const bodyOf = (body: unknown): JsonObject =>
  JSON.parse(typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString('utf8')) as JsonObject;

const lead = (inner: LeadingProvider): ModelProvider => ledProvider(inner, { isSmall: true, monotonic: () => 0 });

/** llama.cpp's server: a template, a tokenizer and a grammar. */
const llamaCpp = (answer: string): LedEngine => {
  const draw = createDraw();
  const json = (value: JsonValue) => ({ chunks: [JSON.stringify(value)] });
  const complete = (body: JsonObject): JsonValue => {
    const grammar = String(body['grammar']);
    const content = grammar.includes('<[') ? 'abc' : sampleGbnf(parseGbnf(grammar), draw);
    return {
      content,
      tokens_predicted: content.length,
      tokens_evaluated: 10,
      stop_type: 'eos',
      timings: { cache_n: 4, prompt_ms: 2 },
      completion_probabilities: [...content].map((token) => ({ token, logprob: -1 })),
    };
  };
  const network = scriptedNetwork(({ url, body }) => {
    if (url.endsWith('/apply-template')) return json({ prompt: `<|im_start|>${JSON.stringify(bodyOf(body))}` });
    if (url.endsWith('/tokenize')) return json({ tokens: [1, 2, 3] });
    if (url.endsWith('/completion')) return json(complete(bodyOf(body)));
    return {
      chunks: [`data: ${JSON.stringify({ choices: [{ delta: { content: answer }, finish_reason: 'stop' }] })}\n\n`],
    };
  });
  return { network, provider: lead(createLlamaCppProvider({ network, clock })) };
};

const written = (schema: JsonSchema | undefined, answer: string, draw: () => number): string =>
  schema === undefined ? answer : sampleGbnf(parseGbnf(schemaGrammar(schema)), draw);

/** A server that holds an answer to a schema, and has no other way. */
const schemaServer = (answer: string): LedEngine => {
  const draw = createDraw();
  const network = scriptedNetwork(({ url, body }) => {
    if (!url.endsWith('/chat/completions')) return undefined;
    const format = bodyOf(body)['response_format'] as { json_schema: { schema: JsonSchema } } | undefined;
    const content = written(format?.json_schema.schema, answer, draw);
    return { chunks: [JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] })] };
  });
  return { network, provider: lead(createOpenAIProvider({ network, clock })) };
};

const ollama = (answer: string): LedEngine => {
  const draw = createDraw();
  const network = scriptedNetwork(({ url, body }) => {
    if (!url.endsWith('/api/chat')) return url.endsWith('/api/show') ? { chunks: ['{}'] } : undefined;
    const content = written(bodyOf(body)['format'] as JsonSchema | undefined, answer, draw);
    return { chunks: [`${JSON.stringify({ message: { content }, done: true, done_reason: 'stop' })}\n`] };
  });
  return { network, provider: lead(createOllamaProvider({ network, clock })) };
};

const embedded = (answer: string): LedEngine => ({
  provider: createEmbeddedProvider({
    modelFile: '/m.gguf',
    loadEngine: loadFake(createFakeEngine({ texts: [answer] })),
  }),
});

export const LED_ENGINES: readonly LedRow[] = [
  { name: 'the engine in this process', make: (answer = 'Hello.') => embedded(answer) },
  { name: "llama.cpp's server, by grammar", make: (answer = 'Hello.') => llamaCpp(answer) },
  { name: 'a server with response_format', make: (answer = 'Hello.') => schemaServer(answer) },
  { name: 'Ollama, by format', make: (answer = 'Hello.') => ollama(answer) },
];

/** Puts BFCL's questions to the embedded engine, in halter's steps and freely, and counts what is right. */
import type { LeadingProvider } from '../src/core/led-port.ts';
import type { ModelMessage } from '../src/core/message.ts';
import type { ModelProvider } from '../src/core/model-port.ts';
import type { Network } from '../src/core/ports.ts';
import { offerTools, parseToolCalls } from '../src/dialects/index.ts';
import { createChat } from '../src/providers/embedded/chat.ts';
import type { Engine } from '../src/providers/embedded/engine.ts';
import { createEmbeddedProvider } from '../src/providers/embedded/index.ts';
import { createProvider, type ServerProviderName } from '../src/providers/index.ts';
import { ledProvider } from '../src/providers/led/provider.ts';
import { checkCalls, type GivenCall } from './bfcl-check.ts';
import {
  ALL_CATEGORIES,
  type BfclItem,
  CATEGORIES,
  type Category,
  halfOf,
  loadCategory,
  type PythonObject,
  parsePython,
  wantsAnyCall,
  wantsNoCall,
} from './bfcl-data.ts';
import { checkValue } from './schema-check.ts';

/** The calls that were made; none is an answer too. */
export type Answer = readonly { name: string; text: string }[];
export type ItemResult = {
  id: string;
  category: Category;
  right: boolean;
  /** A call was made; `valid` says that it fits its schema. */
  called: boolean;
  valid: boolean;
  why?: string;
  call?: string;
  milliseconds: number;
};
export type Selection = {
  sample?: number;
  seed: number;
  half: 'tune' | 'report' | 'all';
  /** Default: simple_python, multiple and irrelevance. */
  categories?: readonly Category[];
};

/** A fixed order for a seed, so that a sample is the same on every machine. */
const rankOf = (id: string, seed: number): number => {
  let hash = 2_166_136_261 ^ Math.imul(seed, 2_654_435_761);
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  hash ^= hash >>> 13;
  return Math.imul(hash, 2_246_822_519) >>> 0;
};

export const selectItems = async (wheel: string, selection: Selection): Promise<BfclItem[]> => {
  const chosen: BfclItem[] = [];
  for (const category of selection.categories ?? CATEGORIES) {
    const all = await loadCategory(wheel, category);
    const half = all.filter((item) => selection.half === 'all' || halfOf(item.id, selection.seed) === selection.half);
    if (selection.sample === undefined) chosen.push(...half);
    else {
      const shuffled = half.toSorted((a, b) => rankOf(a.id, selection.seed) - rankOf(b.id, selection.seed));
      chosen.push(...shuffled.slice(0, selection.sample));
    }
  }
  return chosen;
};

export const judge = (item: BfclItem, answer: Answer, milliseconds: number): ItemResult => {
  const base = { id: item.id, category: item.category, milliseconds };
  if (answer.length === 0) {
    const right = wantsNoCall(item.category);
    return { ...base, right, called: false, valid: true, ...(right ? {} : { why: 'no call' }) };
  }
  const call = answer.map(({ name, text }) => `${name}(${text})`).join('; ');
  let given: GivenCall[];
  try {
    given = answer.map(({ name, text }) => ({ name, arguments: parsePython(text) as PythonObject }));
  } catch {
    return { ...base, right: false, called: true, valid: false, why: 'not JSON', call };
  }
  const valid = answer.every(({ name, text }) => {
    const tool = item.tools.find((candidate) => candidate.function.name === name);
    return tool !== undefined && checkValue(tool.function.parameters, JSON.parse(text));
  });
  const why = wantsNoCall(item.category)
    ? 'called'
    : wantsAnyCall(item.category)
      ? undefined
      : checkCalls(item.functions, item.answers, given);
  return { ...base, right: why === undefined, called: true, valid, call, ...(why === undefined ? {} : { why }) };
};

type Ask = (item: BfclItem) => Promise<Answer>;
const userMessage = (item: BfclItem): ModelMessage => ({ role: 'user', content: item.question });

export type Asker = { ask: Ask; close(): Promise<void> };

export type ServerChoice = {
  name: ServerProviderName;
  model?: string;
  network: Network;
  /** As a server that takes no grammar, such as Ollama or vLLM. */
  schemaOnly: boolean;
};

/** The same steps on a model server, whose model is led in any case. */
export const createServerSteps = async (
  baseUrl: string,
  { name, model, network, schemaOnly }: ServerChoice,
): Promise<Asker> => {
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const { led, ...plain }: LeadingProvider = createProvider(name, { network, clock, baseUrl });
  const inner: LeadingProvider = led && !schemaOnly ? { ...plain, led } : plain;
  const listed = model === undefined ? await inner.models(new AbortController().signal) : undefined;
  if (listed && !listed.ok) throw new Error(listed.error.message);
  const chosen = model ?? listed?.models[0]?.id ?? 'model';
  const provider = ledProvider(inner, { isSmall: true, monotonic: clock.monotonic });
  return askerOf(provider, chosen);
};

/** Agent's decoding: gate, shortlist and the call, as in any conversation; nothing is switched for a category. */
export const createSteps = (modelFile: string, threads: number): Asker =>
  askerOf(createEmbeddedProvider({ modelFile, threads }), 'starter');

const askerOf = (provider: ModelProvider, model: string): Asker => {
  return {
    ask: async (item) => {
      const calls: { name: string; text: string }[] = [];
      const stop = new AbortController();
      const outcome = await provider.stream(
        { model, messages: [userMessage(item)], tools: item.tools, sampling: { max_tokens: 1 } },
        (part) => {
          if (part.type === 'tool_call_delta') calls.push({ name: part.name ?? '', text: part.arguments_delta });
        },
        stop.signal,
      );
      if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
      return calls;
    },
    close: () => provider.close(),
  };
};

const FREE_TOKENS = 160;

/** The same model left alone: the tools in its prompt as most models know them, its text read by the dialect parser. */
export const createFree = async (engine: Engine): Promise<Ask> => {
  const chat = createChat(engine);
  const signal = new AbortController().signal;
  return async (item) => {
    const prompt = await chat.prompt([
      { role: 'system', content: `You are a helpful assistant.\n\n${offerTools('hermes', item.tools)}` },
      { role: 'user', content: item.question },
    ]);
    const { text } = await engine.generate({
      lane: 'conversation',
      prompt,
      maxTokens: FREE_TOKENS,
      keepSpecial: true,
      signal,
    });
    const { calls } = parseToolCalls(text, { dialect: 'auto', tools: item.tools });
    return calls.map((call) => ({ name: call.name, text: JSON.stringify(call.arguments) }));
  };
};

export const runItems = async (
  items: readonly BfclItem[],
  ask: Ask,
  onItem?: (done: number, result: ItemResult) => void,
): Promise<ItemResult[]> => {
  const results: ItemResult[] = [];
  for (const item of items) {
    const started = performance.now();
    const answer = await ask(item);
    const result = judge(item, answer, performance.now() - started);
    results.push(result);
    onItem?.(results.length, result);
  }
  return results;
};

export type Summary = {
  category: Category;
  right: number;
  total: number;
  called: number;
  valid: number;
  milliseconds: number;
};
export const summarize = (results: readonly ItemResult[]): Summary[] =>
  ALL_CATEGORIES.filter((category) => results.some((result) => result.category === category)).map((category) => {
    const own = results.filter((result) => result.category === category);
    const called = own.filter((result) => result.called);
    return {
      category,
      right: own.filter((result) => result.right).length,
      total: own.length,
      called: called.length,
      valid: called.filter((result) => result.valid).length,
      milliseconds: own.reduce((sum, result) => sum + result.milliseconds, 0) / Math.max(1, own.length),
    };
  });

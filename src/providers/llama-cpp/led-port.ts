/**
 * Led steps on llama.cpp's server: the prompt by its own template and tokenizer, what stands already as pieces behind it,
 * and a grammar for what comes next. Log probabilities come of writing a text whose tokens a grammar prescribes.
 */
import type { JsonObject } from '../../core/json.ts';
import { LedError, type LedPort, type LedTurn, type Written } from '../../core/led-port.ts';
import type { ModelError, ModelProvider } from '../../core/model-port.ts';
import { countOf, type Fields, listOf, objectOf, textOf } from '../json-values.ts';
import { literal } from '../led/grammar.ts';
import { createSchemaPort } from '../led/schema-port.ts';

export type Post = (
  path: string,
  body: JsonObject,
  signal: AbortSignal,
) => Promise<{ ok: true; value: Fields } | { ok: false; error: ModelError }>;

/** How a marker of a template begins. What a person or a file wrote never becomes one. */
const MARKER = /<(?=[|｜]|\/?s>|(?:bos|eos|pad|unk|(?:start|end)_of_turn|turn\|?)>)|\[(?=\/?INST\])/g;
const clean = (text: string): string => text.replace(MARKER, (start) => `${start}\u200B`);

export const createLlamaCppPort = (provider: ModelProvider, model: string, post: Post): LedPort => {
  const ask = async (path: string, body: JsonObject, signal: AbortSignal): Promise<Fields> => {
    const answer = await post(path, { model, ...body }, signal);
    if (!answer.ok) throw new LedError(answer.error);
    return answer.value;
  };
  const promptOf = async (turns: readonly LedTurn[], signal: AbortSignal): Promise<number[]> => {
    const messages = turns.map(({ role, content }) => ({ role, content: clean(content) }));
    const prompt = textOf((await ask('/apply-template', { messages }, signal))['prompt']) ?? '';
    const body = { content: prompt, add_special: true, parse_special: true };
    return listOf((await ask('/tokenize', body, signal))['tokens']).filter((token) => typeof token === 'number');
  };
  const complete = (body: JsonObject, signal: AbortSignal): Promise<Fields> =>
    ask('/completion', { temperature: 0, cache_prompt: true, stream: false, ...body }, signal);

  return {
    takes: 'grammar',
    async begin(turns, signal) {
      const prompt = await promptOf(turns, signal);
      return {
        write: async ({ pieces, constraint, maxTokens, signal: stop }) =>
          toWritten(
            await complete(
              {
                // Each piece as tokens of its own, as it was written.
                prompt: [...prompt, ...pieces.map(clean)],
                grammar: constraint.grammar,
                n_predict: maxTokens,
              },
              stop,
            ),
          ),
      };
    },
    answer: createSchemaPort(provider, model).answer,
    async likelihood({ prompt, text, mostTokens, signal }) {
      const body = { content: clean(text), add_special: false, parse_special: false };
      const all = listOf((await ask('/tokenize', body, signal))['tokens']);
      const tokens = all.filter((token) => typeof token === 'number').slice(0, mostTokens);
      const asked = { prompt: clean(prompt), n_predict: tokens.length, n_probs: 1 };
      const grammar = `root ::= ${tokens.map((token) => `<[${token}]>`).join(' ')}`;
      const written = await complete({ ...asked, grammar }, signal).catch((error: unknown) => {
        // A server from before tokens stood in grammars: the text itself, in the tokens that the model likes best.
        if (!(error instanceof LedError) || error.error.code !== 'bad_request') throw error;
        return complete({ ...asked, grammar: `root ::= ${literal(clean(text))}` }, signal);
      });
      const probabilities = listOf(written['completion_probabilities']).map((entry) => objectOf(entry)['logprob']);
      const sum = probabilities.reduce<number>((total, one) => total + Math.max(LEAST, Number(one ?? LEAST)), 0);
      return { logProbability: sum, tokens: (countOf(written['tokens_evaluated']) ?? 0) + probabilities.length };
    },
  };
};

/** A token that the model holds for impossible counts so much, and not without end. */
const LEAST = Math.log(1e-9);

const toWritten = (answer: Fields): Written => {
  const timings = objectOf(answer['timings']);
  const read = timings['prompt_ms'];
  return {
    text: textOf(answer['content']) ?? '',
    promptTokens: countOf(answer['tokens_evaluated']) ?? 0,
    cachedTokens: countOf(timings['cache_n']) ?? 0,
    completionTokens: countOf(answer['tokens_predicted']) ?? 0,
    ...(typeof read === 'number' ? { promptSeconds: read / 1_000 } : {}),
    finish: answer['stop_type'] === 'limit' || answer['stopped_limit'] === true ? 'length' : 'stop',
  };
};

/**
 * What reading ahead is worth: the time until the first word of an answer, with the prompt's beginning read while nothing
 * happened and without, on the embedded engine with the starter model.
 *   npm run bench:warm-up
 * A session is as it is opened: instructions, and (second row) an earlier conversation that is resumed.
 */
import type { ModelMessage } from '../src/core/message.ts';
import type { ModelRequest } from '../src/core/model-port.ts';
import { systemPrompt } from '../src/core/system-prompt.ts';
import { createEmbeddedProvider } from '../src/providers/embedded/index.ts';
import { starterModel } from '../tests/support/embedded-model.ts';

const { file, problem } = await starterModel();
if (file === undefined) throw new Error(problem);

const user = (content: string): ModelMessage => ({ role: 'user', content });
const said = (content: string): ModelMessage => ({ role: 'assistant', content, tool_calls: [], finish: 'stop' });
const NOTE = 'The harbour was quiet and the boats lay in a row along the wall, as they do in autumn. ';
const head: ModelMessage[] = [{ role: 'system', content: systemPrompt('standard') }];
const history: ModelMessage[] = [
  ...head,
  ...Array.from({ length: 12 }, (_, turn) => [user(`${turn}: ${NOTE.repeat(5)}`), said(NOTE.repeat(2))]).flat(),
];

const never = new AbortController().signal;
const requestOf = (messages: readonly ModelMessage[]): ModelRequest => ({
  model: 'starter',
  messages,
  tools: [],
  sampling: { temperature: 0, max_tokens: 8 },
});

/** A process that has just opened the session: nothing is in any cache. */
const firstWord = async (before: readonly ModelMessage[], readsAhead: boolean) => {
  const provider = createEmbeddedProvider({ modelFile: file });
  await provider.describe('starter', never);
  if (readsAhead) await provider.warmUp?.read(requestOf(before), never);
  const started = performance.now();
  let first: number | undefined;
  const outcome = await provider.stream(
    requestOf([...before, user('What did I tell you?')]),
    (part) => {
      if (part.type === 'text_delta') first ??= performance.now() - started;
    },
    never,
  );
  await provider.close();
  if (!outcome.ok) throw new Error(outcome.error.message);
  const { prompt_tokens = 0, cached_tokens = 0 } = outcome.answer.usage ?? {};
  return { ms: first ?? performance.now() - started, prompt_tokens, cached_tokens };
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

console.log('until the first word                 tokens   without      with   ratio   read ahead');
for (const [label, messages] of [
  ['a new session', head],
  ['a resumed conversation', history],
] as const) {
  const without: number[] = [];
  const ahead: number[] = [];
  let tokens = 0;
  let share = 0;
  for (let round = 0; round < 3; round += 1) {
    without.push((await firstWord(messages, false)).ms);
    const warm = await firstWord(messages, true);
    ahead.push(warm.ms);
    tokens = warm.prompt_tokens;
    share = warm.cached_tokens / warm.prompt_tokens;
  }
  const [one, other] = [median(without), median(ahead)];
  console.log(
    `${label.padEnd(34)}${String(tokens).padStart(9)}${`${one.toFixed(0)} ms`.padStart(10)}${`${other.toFixed(0)} ms`.padStart(10)}${(other / one).toFixed(2).padStart(8)}${`${Math.round(share * 100)} %`.padStart(13)}`,
  );
}

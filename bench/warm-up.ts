/**
 * What not reading a prompt twice is worth: the time until the first word of an answer, on the embedded engine with the
 * starter model.
 *   npm run bench:warm-up
 * cold: nothing was read before. warm: the same process read the prompt's beginning while nothing happened. restart: a
 * process of before read it, and its state is loaded from disk. swap: another conversation was asked in between.
 * A session is as it is opened: instructions, and (second row) an earlier conversation that is resumed.
 * Processor time, so that other work on the machine counts little.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelMessage } from '../src/core/message.ts';
import type { ModelRequest } from '../src/core/model-port.ts';
import { systemPrompt } from '../src/core/system-prompt.ts';
import { createEmbeddedProvider, type EmbeddedProvider } from '../src/providers/embedded/index.ts';
import { starterModel } from '../tests/support/embedded-model.ts';

const ROUNDS = 3;
const { file, problem } = await starterModel();
if (file === undefined) throw new Error(problem);

const user = (content: string): ModelMessage => ({ role: 'user', content });
const said = (content: string): ModelMessage => ({ role: 'assistant', content, tool_calls: [], finish: 'stop' });
const NOTE = 'The harbour was quiet and the boats lay in a row along the wall, as they do in autumn. ';
const head: ModelMessage[] = [{ role: 'system', content: systemPrompt('standard') }];
const talk = (note: string): ModelMessage[] => [
  ...head,
  ...Array.from({ length: 12 }, (_, turn) => [user(`${turn}: ${note.repeat(5)}`), said(note.repeat(2))]).flat(),
];
const history = talk(NOTE);
const another = talk('Snow fell on the hills all night, and in the morning nobody could find the road again. ');

const never = new AbortController().signal;
const requestOf = (messages: readonly ModelMessage[]): ModelRequest => ({
  model: 'starter',
  messages,
  tools: [],
  sampling: { temperature: 0, max_tokens: 8 },
});
const seconds = (): number => {
  const { user: own, system } = process.cpuUsage();
  return (own + system) / 1e6;
};

type First = { seconds: number; tokens: number; cached: number };
const ask = async (provider: EmbeddedProvider, before: readonly ModelMessage[]): Promise<First> => {
  const started = seconds();
  let first: number | undefined;
  const outcome = await provider.stream(
    requestOf([...before, user('What did I tell you?')]),
    (part) => {
      if (part.type === 'text_delta') first ??= seconds() - started;
    },
    never,
  );
  if (!outcome.ok) throw new Error(outcome.error.message);
  const { prompt_tokens = 0, cached_tokens = 0 } = outcome.answer.usage ?? {};
  return { seconds: first ?? seconds() - started, tokens: prompt_tokens, cached: cached_tokens };
};

/** A process as far as the engine is concerned: loaded, used, closed. */
const inProcess = async <T>(
  statesFolder: string | undefined,
  work: (provider: EmbeddedProvider) => Promise<T>,
): Promise<T> => {
  const provider = createEmbeddedProvider({ modelFile: file, threads: 1, statesFolder });
  await provider.describe('starter', never);
  try {
    return await work(provider);
  } finally {
    await provider.close();
  }
};

const CASES: readonly [string, (messages: ModelMessage[], folder: string) => Promise<First>][] = [
  ['cold', (messages) => inProcess(undefined, (provider) => ask(provider, messages))],
  [
    'warm',
    (messages) =>
      inProcess(undefined, async (provider) => {
        await provider.warmUp?.read(requestOf(messages), never);
        return ask(provider, messages);
      }),
  ],
  [
    'restart',
    async (messages, folder) => {
      await inProcess(folder, async (provider) => {
        await provider.warmUp?.read(requestOf(messages), never);
      });
      return inProcess(folder, (provider) => ask(provider, messages));
    },
  ],
  [
    'swap',
    (messages, folder) =>
      inProcess(folder, async (provider) => {
        await provider.warmUp?.read(requestOf(messages), never);
        await ask(provider, another);
        return ask(provider, messages);
      }),
  ],
];

const least = (all: readonly First[]): First => all.reduce((best, one) => (one.seconds < best.seconds ? one : best));

console.log('until the first word, embedded engine    tokens     time   of cold   not read again');
for (const [label, messages] of [
  ['a new session', head],
  ['a resumed conversation', history],
] as const) {
  let cold = 0;
  for (const [name, run] of CASES) {
    const all: First[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'halter-states-'));
      try {
        all.push(await run([...messages], folder));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    const one = least(all);
    if (name === 'cold') cold = one.seconds;
    console.log(
      `${label.padEnd(24)}${name.padEnd(12)}${String(one.tokens).padStart(11)}${`${(one.seconds * 1_000).toFixed(0)} ms`.padStart(9)}${(one.seconds / cold).toFixed(2).padStart(10)}${`${((one.cached / one.tokens) * 100).toFixed(1)} %`.padStart(17)}`,
    );
  }
}

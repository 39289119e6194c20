/**
 * What not reading a prompt twice is worth: the time until the first word of an answer, with the starter model, on the
 * embedded engine and, where its program is there (HALTER_LLAMA_SERVER), on llama.cpp's server.
 *   npm run bench:warm-up
 * cold: nothing was read before. warm: the same process read the prompt's beginning while nothing happened. restart: a
 * process of before read it, and its state is loaded from disk (llama.cpp: the server started anew with --slot-save-path). swap: another conversation was asked in between.
 * A session is as it is opened: instructions, and (second row) an earlier conversation that is resumed.
 * Processor time, so that other work on the machine counts little.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelMessage } from '../src/core/message.ts';
import type { ModelRequest } from '../src/core/model-port.ts';
import { systemPrompt } from '../src/core/system-prompt.ts';
import { starterModel } from '../tests/support/embedded-model.ts';
import {
  embeddedEngine,
  llamaServer,
  llamaServerProgram,
  type OpenEngine,
  type OpenedEngine,
} from './warm-up/engines.ts';

const ROUNDS = 2;
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
type First = { seconds: number; tokens: number; cached: number };
const ask = async ({ provider, seconds }: OpenedEngine, before: readonly ModelMessage[]): Promise<First> => {
  const started = seconds();
  let first: number | undefined;
  const outcome = await provider.stream(
    requestOf([...before, user('What did I tell you?')]),
    (part) => {
      if (part.type === 'text_delta') first ??= seconds() - started;
      if (part.type === 'warning') console.log(`  ${part.message}`);
    },
    never,
  );
  if (!outcome.ok) throw new Error(outcome.error.message);
  const { prompt_tokens = 0, cached_tokens = 0 } = outcome.answer.usage ?? {};
  return { seconds: first ?? seconds() - started, tokens: prompt_tokens, cached: cached_tokens };
};
const readAhead = async ({ provider }: OpenedEngine, messages: readonly ModelMessage[]): Promise<void> => {
  const read = await provider.warmUp?.read(requestOf(messages), never);
  if (read?.ok !== true) throw new Error('nothing was read ahead');
};

const opened = async <T>(
  open: OpenEngine,
  statesFolder: string | undefined,
  work: (engine: OpenedEngine) => Promise<T>,
): Promise<T> => {
  const engine = await open(statesFolder);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
};

type Case = (open: OpenEngine, messages: ModelMessage[], folder: string) => Promise<First>;
const CASES: readonly [string, Case][] = [
  ['cold', (open, messages) => opened(open, undefined, (engine) => ask(engine, messages))],
  [
    'warm',
    (open, messages) =>
      opened(open, undefined, async (engine) => {
        await readAhead(engine, messages);
        return ask(engine, messages);
      }),
  ],
  [
    'restart',
    async (open, messages, folder) => {
      await opened(open, folder, (engine) => readAhead(engine, messages));
      return opened(open, folder, (engine) => ask(engine, messages));
    },
  ],
  [
    'swap',
    (open, messages, folder) =>
      opened(open, folder, async (engine) => {
        await readAhead(engine, messages);
        await ask(engine, another);
        return ask(engine, messages);
      }),
  ],
];

const least = (all: readonly First[]): First => all.reduce((best, one) => (one.seconds < best.seconds ? one : best));

const program = llamaServerProgram();
const engines: readonly [string, OpenEngine][] = [
  ['embedded', embeddedEngine(file)],
  ...(program === undefined ? [] : [['llama.cpp', llamaServer(program, file)] as [string, OpenEngine]]),
];
/** Only one of them, by its name. */
const [only] = process.argv.slice(2);

console.log('until the first word                         tokens     time   of cold   not read again');
for (const [engine, open] of engines.filter(([name]) => only === undefined || name === only))
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
          all.push(await run(open, [...messages], folder));
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }
      const one = least(all);
      if (name === 'cold') cold = one.seconds;
      console.log(
        `${engine.padEnd(11)}${label.padEnd(24)}${name.padEnd(8)}${String(one.tokens).padStart(8)}${`${(one.seconds * 1_000).toFixed(0)} ms`.padStart(9)}${(one.seconds / cold).toFixed(2).padStart(10)}${`${((one.cached / one.tokens) * 100).toFixed(1)} %`.padStart(17)}`,
      );
    }
  }

/**
 * What guessing ahead is worth in the embedded engine: processor time for a token, with the starter model, for answers that
 * repeat much of the prompt and for one that repeats nothing. The text has to be the same either way.
 *   npm run bench:speculation
 */
import { SPECULATIONS, type Speculation } from '../src/core/engine-options.ts';
import { loadLlamaEngine } from '../src/providers/embedded/llama-engine.ts';
import { starterModel } from '../tests/support/embedded-model.ts';

const ROUNDS = 2;
const TOKENS = 96;
const PROSE =
  'The harbour was quiet and the boats lay in a row along the wall, as they do in autumn. Nobody spoke of the storm of 1987, when eleven of them were lost, nor of the two men who went out to look for them.';
const TASKS = {
  'word for word': `Repeat this text word for word:\n${PROSE}`,
  'as JSON':
    'Write this as JSON with name, price and count for each line:\napple 3.50 12\npear 2.10 7\nplum 0.80 40\nfig 1.20 9',
  freely: 'Tell me about the sea.',
};

const { file, problem } = await starterModel();
if (file === undefined) throw new Error(problem);
const signal = new AbortController().signal;
const seconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

type Played = { text: string; milliseconds: number };
const play = async (speculation: Speculation, task: string): Promise<Played> => {
  const loaded = await loadLlamaEngine({ modelFile: file, threads: 1, contextLength: 1_024, speculation, signal });
  if (!loaded.ok) throw new Error(loaded.error.message);
  const { engine } = loaded;
  try {
    const prompt = engine.tokenize(`<|im_start|>user\n${task}<|im_end|>\n<|im_start|>assistant\n`, true);
    let best: Played | undefined;
    for (let round = 0; round < ROUNDS; round += 1) {
      let started = seconds();
      const written = await engine.generate({
        lane: 'conversation',
        prompt,
        maxTokens: TOKENS,
        signal,
        // The first token comes when the prompt is read.
        onText: (() => {
          let isFirst = true;
          return () => {
            if (isFirst) started = seconds();
            isFirst = false;
          };
        })(),
      });
      const milliseconds = ((seconds() - started) * 1_000) / Math.max(1, written.completionTokens - 1);
      if (best === undefined || milliseconds < best.milliseconds) best = { text: written.text, milliseconds };
    }
    return best as Played;
  } finally {
    await engine.close();
  }
};

console.log('the answer repeats   guess      a token   of off   text');
for (const [name, task] of Object.entries(TASKS)) {
  let plain: Played | undefined;
  for (const speculation of SPECULATIONS) {
    const one = await play(speculation, task);
    plain ??= one;
    const share = (one.milliseconds / plain.milliseconds).toFixed(2);
    const same = one.text === plain.text ? 'the same' : 'ANOTHER';
    console.log(
      `${name.padEnd(21)}${speculation.padEnd(8)}${`${one.milliseconds.toFixed(1)} ms`.padStart(10)}${share.padStart(9)}   ${same}`,
    );
  }
}

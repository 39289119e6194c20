import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';

it.each<[window: number, describeAll: boolean | undefined, isWhole: boolean]>([
  [2_048, undefined, false],
  [2_048, true, true],
  [32_768, undefined, true],
])(
  'sends the tools that it was given in a window of %i (describeAll %s) in full: %s',
  async (window, describeAll, isWhole) => {
    verifies('B8');
    const provider = scriptedProvider(
      (_request, number) => ({
        text: `${'word '.repeat(60)}${number}`,
        usage: { prompt_tokens: 0, completion_tokens: 60 },
      }),
      { models: [{ id: 'm', context_length: window }] },
    );
    const harness = createHarness({
      model: { name: 'm' },
      provider,
      tools: describeAll === undefined ? [...BUILT_IN_TOOLS] : { available: [...BUILT_IN_TOOLS], describeAll },
      workspace: scratchFolder(),
    } as never);
    for (let turn = 0; turn < 6; turn += 1) await harness.chat(`Tell me of part ${turn}. ${'And more. '.repeat(20)}`);
    const last = provider.requests.at(-1)?.tools?.map((tool) => tool.function.name) ?? [];
    expect(last.includes('use_tool')).toBe(!isWhole);
    expect(last.includes('write_job')).toBe(isWhole);
    await harness.close();
  },
);

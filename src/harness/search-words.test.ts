/** Where nothing can be searched, a program is told what to set. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';

test.each([
  ['rag_search', { query: 'x', global: true }],
  ['code_graph', { relation: 'defines', symbol: 'x' }],
])('%s without an index names the option', async (name, args) => {
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([{ text: 'ok' }]),
    workspace: scratchFolder(),
    tools: BUILT_IN_TOOLS,
  });
  onTestFinished(() => harness.close());
  const { error_message } = await harness.executeTool(name, args);
  expect(error_message).toContain("search: { graphRag: 'on' } in a program");
});

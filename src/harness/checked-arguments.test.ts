/** The calls of a result, of a step and of what a chat rejects with have the arguments that ran, as their types say. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';

const PROPERTIES = {
  x: { type: 'integer' },
  yes: { type: 'boolean' },
  list: { type: 'array', items: { type: 'integer' } },
} as const;

test.each<[string, object, object]>([
  ['numbers as text', { x: '3' }, { x: 3 }],
  ['booleans as text', { yes: 'true' }, { yes: true }],
  ['lists as text', { list: '[1,2]' }, { list: [1, 2] }],
  ['an unknown one', { x: 3, zz: 1 }, { x: 3 }],
  ['all of it', { x: '3', yes: 'false', list: ['1'], zz: 1 }, { x: 3, yes: false, list: [1] }],
  ['what is right', { x: 3 }, { x: 3 }],
])('%s, by native calls and in text', async (_name, written, expected) => {
  const json = JSON.stringify({ name: 'act', arguments: written });
  for (const turn of [
    { calls: [{ id: 'c1', name: 'act', arguments: JSON.stringify(written) }] },
    { text: `<tool_call>\n${json}\n</tool_call>` },
  ]) {
    const ran: unknown[] = [];
    const steps: unknown[] = [];
    const act = defineTool({
      name: 'act',
      description: 'acts',
      risk: 'safe',
      parameters: { type: 'object', properties: PROPERTIES, additionalProperties: false },
      run: (args) => void ran.push({ ...args }),
    });
    const harness = createHarness({
      model: 'm',
      provider: scriptedProvider([turn, { text: 'done' }]),
      workspace: scratchFolder(),
      tools: [act],
    });
    onTestFinished(() => harness.close());
    const { toolCalls } = await harness.chat('go', {
      stopWhen: (step) => {
        steps.push(...step.toolCalls.map((call) => call.arguments));
        return false;
      },
      prepareStep: (step) => {
        steps.push(...step.toolCalls.map((call) => call.arguments));
        return undefined;
      },
    });
    expect(ran).toEqual([expected]);
    expect(toolCalls.map((call) => call.arguments)).toEqual([expected]);
    expect(steps).toEqual(steps.map(() => expected));
    expect(steps.length).toBeGreaterThan(0);
  }
});

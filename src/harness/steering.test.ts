/** A run that is steered: other tools, another model and sampling for a step, and words in the middle of it. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const tool = <const N extends string>(name: N) =>
  defineTool({
    name,
    description: name,
    risk: 'safe',
    parameters: { type: 'object', properties: {} },
    run: () => `${name} ran`,
  });
const [look, write] = [tool('look'), tool('write')];
const callOf = (name: string) => ({ calls: [{ name, arguments: {} }] });

const open = (turns: ScriptedProviderSource[], options: Partial<HarnessOptions> = {}) => {
  const provider = scriptedProvider(turns, { models: [{ id: 'm' }] });
  const given: HarnessOptions = { model: 'm', provider, workspace: scratchFolder(), tools: [look, write], ...options };
  const harness = createHarness(given);
  onTestFinished(() => harness.close());
  return { harness, provider };
};
const names = (tools: readonly { function: { name: string } }[]): string[] => tools.map((one) => one.function.name);

describe('prepareStep', () => {
  test('chooses tools, model and sampling of the next step, and only of that', async () => {
    const turns = [callOf('look'), callOf('write'), { text: 'Done.' }, { text: 'Plain.' }];
    const { harness, provider } = open(turns, { roles: { fast: 'small' }, sampling: { temperature: 0, seed: 1 } });
    const seen: number[] = [];
    const { answer } = await harness.chat('Go', {
      prepareStep: ({ steps, toolCalls }) => {
        seen.push(steps, toolCalls.length);
        if (steps === 0) return { tools: ['look'], model: 'fast', sampling: { temperature: 1 } };
        return steps === 1 ? { tools: ['write'] } : undefined;
      },
    });
    await harness.chat('And now?');
    expect(answer).toBe('Done.');
    expect(seen).toEqual([0, 0, 1, 1, 2, 2]);
    expect(provider.requests.map(({ model, tools, sampling }) => [model, names(tools), sampling])).toEqual([
      ['small', ['look'], { temperature: 1, seed: 1 }],
      ['m', ['write'], { temperature: 0, seed: 1 }],
      ['m', ['look', 'write'], { temperature: 0, seed: 1 }],
      ['m', ['look', 'write'], { temperature: 0, seed: 1 }],
    ]);
  });

  test('takes a tool away: a call of it is refused, natively and in text', async () => {
    const inText = { text: '<tool_call>{"name": "write", "arguments": {}}</tool_call>' };
    const { harness } = open([callOf('write'), inText, { text: 'Done.' }]);
    const { toolCalls } = await harness.chat('Go', { prepareStep: () => ({ tools: ['look'] }) });
    expect(toolCalls.map(({ result }) => [result.success, result.metadata.reason])).toEqual(
      toolCalls.map(() => [false, 'not_offered']),
    );
    expect(toolCalls.length).toBeGreaterThan(0);
  });

  test('goes before the model for plan mode, which the next step has again', async () => {
    const turns = [callOf('look'), { text: 'Done.' }, { text: 'Yes.' }];
    const roles = { plan: 'planner', fast: 'small' };
    const { harness, provider } = open(turns, { roles, permissions: { mode: 'plan' } });
    await harness.chat('Go', { prepareStep: ({ steps }) => (steps === 0 ? { model: 'fast' } : undefined) });
    await harness.chat('And?');
    expect(provider.requests.map(({ model }) => model)).toEqual(['small', 'planner', 'planner']);
  });

  test('that names no tool, or throws, ends the chat with its words', async () => {
    for (const prepareStep of [
      () => ({ tools: ['loook'] }),
      () => {
        throw new Error('no idea');
      },
    ]) {
      const { harness, provider } = open([{ text: 'never' }]);
      await expect(harness.chat('Go', { prepareStep })).rejects.toThrow(/there is no tool named loook|no idea/);
      expect(provider.requests).toHaveLength(0);
    }
  });

  test('is not needed for another model of one message', async () => {
    const { harness, provider } = open([{ text: 'a' }, { text: 'b' }], { roles: { fast: 'small' } });
    await harness.chat('Go', { model: 'fast' });
    await harness.chat('Go');
    expect(provider.requests.map(({ model }) => model)).toEqual(['small', 'm']);
  });
});

describe('steer', () => {
  const words = ({ messages }: { messages: readonly { role: string; content: unknown }[] }): string[] =>
    messages.filter(({ role }) => role !== 'system').map(({ role, content }) => `${role}: ${String(content)}`);

  test('is read at the next step of the run', async () => {
    const calling: ScriptedProviderSource = async () => {
      await harness.steer('Only the small ones.');
      return callOf('look');
    };
    const { harness, provider } = open([calling, { text: 'Done.' }]);
    const chat = harness.chat('Look');
    expect((await chat).answer).toBe('Done.');
    expect(words(provider.requests[1] as never)).toEqual([
      'user: Look',
      'assistant: ',
      'tool: look ran',
      // Templates want turns, and this is one of the person behind results.
      'assistant: [going on]',
      'user: Only the small ones.',
    ]);
    expect((await harness.messages()).filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  test('that comes while the last answer is written is answered too, in the same chat', async () => {
    const answering: ScriptedProviderSource = async () => {
      await harness.steer('And in French?');
      return { text: 'Good day.' };
    };
    const { harness, provider } = open([answering, { text: 'Bonjour.' }]);
    const types: string[] = [];
    const chat = harness.chat('Greet');
    for await (const { type } of chat) types.push(type);
    expect((await chat).answer).toBe('Bonjour.');
    expect(words(provider.requests[1] as never)).toEqual([
      'user: Greet',
      'assistant: Good day.',
      'user: And in French?',
    ]);
    expect(types.filter((type) => type === 'turn_end')).toHaveLength(1);
  });

  test('is refused where nothing goes on, and a history with it goes into another harness', async () => {
    const calling: ScriptedProviderSource = async () => {
      await harness.steer('Quick.');
      return callOf('look');
    };
    const { harness } = open([calling, { text: 'Done.' }]);
    await expect(harness.steer('Hello?')).rejects.toThrow(/No chat is under way/);
    await harness.chat('Look');
    await expect(harness.steer('Hello?')).rejects.toThrow(/No chat is under way/);
    const again = open([{ text: 'Yes.' }], { messages: await harness.messages() });
    expect((await again.harness.chat('Still there?')).answer).toBe('Yes.');
  });
});

import { describe, expect, test } from 'vitest';
import { registerTool } from '../core/tool/register-tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';

const add = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
const harness = (turns: Parameters<typeof scriptedProvider>[0]) => {
  const provider = scriptedProvider(turns);
  return { provider, agent: createHarness({ model: 'scripted', provider, tools: [add] }) };
};

describe('a harness that was closed', () => {
  const closed = expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('harness is closed') });

  test.each(['after a message', 'before any'])('opens nothing again, and says so (%s)', async (when) => {
    const { agent, provider } = harness([{ text: 'One.' }, { text: 'Two.' }]);
    if (when === 'after a message') await agent.chat('First.');
    await agent.close();
    const asked = provider.requests.length;
    await expect(agent.chat('Second.').result()).rejects.toEqual(closed);
    await expect(agent.executeTool('add', { a: 1, b: 2 })).rejects.toEqual(closed);
    expect(() => agent.addTool(add)).toThrow(closed);
    expect(() => agent.removeTool('add')).toThrow(closed);
    expect(provider.requests).toHaveLength(asked);
    await agent.close();
  });

  test.each(['at its end', 'by an error'])('is closed where its block ends %s', async (how) => {
    const { agent } = harness([{ text: 'One.' }]);
    const block = async (): Promise<void> => {
      await using own = agent;
      await own.chat('First.');
      if (how === 'by an error') throw new Error('The block failed.');
    };
    const ended = block();
    if (how === 'by an error') await expect(ended).rejects.toThrow('The block failed.');
    else await ended;
    await expect(agent.chat('Second.').result()).rejects.toEqual(closed);
  });

  test.each([1, 3])('cancels %i messages that still waited for their turn', async (count) => {
    const { agent, provider } = harness([{ text: 'One.' }, { text: 'Two.' }]);
    const first = agent.chat('First.').result();
    const waiting = Array.from({ length: count }, (_, index) => agent.chat(`Later ${index}.`).result());
    const closing = agent.close();
    const late = agent.chat('Too late.').result();
    await Promise.allSettled([first, closing]);
    for (const chat of waiting)
      await expect(chat).rejects.toMatchObject({
        name: 'AbortError',
        partial: { answer: '', finishReason: 'aborted' },
      });
    await expect(late).rejects.toEqual(closed);
    expect(provider.requests.length).toBeLessThan(2);
  });

  test('still tells what was said', async () => {
    const { agent } = harness([{ text: 'One.' }]);
    await agent.chat('First.');
    await agent.close();
    expect(await agent.messages()).toMatchObject([{ role: 'user' }, { role: 'assistant', content: 'One.' }]);
  });
});

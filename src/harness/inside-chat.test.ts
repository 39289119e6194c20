/** A chat that is sent from inside a chat of the same harness would wait for itself. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { defineTool, type ToolDefinition } from '../core/tool/define-tool.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../testing/index.ts';
import type { ChatOptions } from './chat-options.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

type Parameters = { type: 'object'; properties: Record<never, never> };
type Setup = { tool?: Partial<ToolDefinition<Parameters>>; options?: Partial<HarnessOptions>; chat?: ChatOptions };
/** Sends a message, and gives what the place is to give when that is settled. */
type Send = <T>(value: T) => Promise<T>;

const CALL = { calls: [{ name: 'look', arguments: {} }] };
const TURNS: ScriptedProviderSource[] = [CALL, { text: 'Done.' }];

/** Where a program's own code runs while a chat waits for it. */
const PLACES: Readonly<Record<string, (send: Send) => Setup>> = {
  onPermission: (send) => ({
    tool: { risk: 'medium' },
    options: {
      onPermission: () => send('allow_once' as const),
    },
  }),
  'run of a tool': (send) => ({ tool: { run: () => send('a sea') } }),
  'preview of a tool': (send) => ({
    tool: { risk: 'medium', preview: () => send({ summary: 's' }) },
    options: { onPermission: () => 'allow_once' },
  }),
  'toModelOutput of a tool': (send) => ({ tool: { toModelOutput: () => send('water') } }),
  stopWhen: (send) => ({ chat: { stopWhen: () => send(false) } }),
  prepareStep: (send) => ({ chat: { prepareStep: () => send({}) } }),
  provider: (send) => {
    const provider = scriptedProvider([...TURNS, ...TURNS]);
    return {
      options: {
        provider: { ...provider, stream: (...given) => send(given).then((same) => provider.stream(...same)) },
      },
    };
  },
  projectInstructions: (send) => ({ options: { prompt: { projectInstructions: () => send([]) } } }),
};

const open = ({ tool = {}, options = {} }: Setup): Harness => {
  const look = defineTool({
    name: 'look',
    description: 'Look',
    risk: 'safe',
    parameters: { type: 'object', properties: {} },
    run: () => 'a sea',
    ...tool,
  });
  const provider = scriptedProvider([...TURNS, ...TURNS]);
  const harness = createHarness({ model: 'm', provider, storage: 'memory', tools: [look], ...options });
  onTestFinished(() => harness.close());
  return harness;
};

describe.each(Object.entries(PLACES))('chat inside %s', (name, place) => {
  test('is refused at once with words, in the first message and in the next', async () => {
    const told: string[] = [];
    const send: Send = async (value) => {
      try {
        await harness.chat('again');
      } catch (error) {
        told.push((error as Error).message);
      }
      return value;
    };
    const setup = place(send);
    const harness = open(setup);
    for (const message of ['one', 'two']) {
      told.splice(0);
      expect((await harness.chat(message, setup.chat)).answer).toBe('Done.');
      // What a folder says is read once.
      if (message === 'one' || name !== 'projectInstructions') expect(told[0]).toMatch(/inside a chat .* steer\(\)/);
    }
  });
});

test('of another harness runs, and a circle of two is refused', async () => {
  const told: string[] = [];
  const inner: Harness = open({
    tool: {
      run: async () => {
        try {
          await outer.chat('again');
        } catch (error) {
          told.push((error as Error).message);
        }
        return 'a sea';
      },
    },
  });
  const outer: Harness = open({ tool: { run: async () => (await inner.chat('go')).answer } });
  const { toolCalls } = await outer.chat('go');
  expect(toolCalls.map(({ result }) => result.data)).toEqual(['Done.']);
  expect(told).toEqual([expect.stringMatching(/inside a chat/)]);
});

test('that is sent when the chat is over runs, also out of what began inside it', async () => {
  let later: (() => Promise<unknown>) | undefined;
  const over = Promise.withResolvers<void>();
  const harness: Harness = open({
    tool: {
      run: () => {
        later ??= () => over.promise.then(() => harness.chat('later'));
        return 'a sea';
      },
    },
  });
  await harness.chat('go');
  over.resolve();
  await expect(later?.()).resolves.toMatchObject({ answer: 'Done.' });
});

test('steer inside a chat speaks to it, also where another message waits', async () => {
  const harness: Harness = open({
    tool: {
      run: async () => {
        await harness.steer('Only a word.');
        return 'a sea';
      },
    },
  });
  const first = harness.chat('one');
  const second = harness.chat('two');
  expect((await first).answer).toBe('Done.');
  expect((await second).answer).toBe('Done.');
  const said = (await harness.messages()).filter(({ role }) => role === 'user').map(({ content }) => content);
  expect(said.slice(0, 2)).toEqual(['one', 'Only a word.']);
});

test('a warning is nobody’s callback: a message may be sent from it', async () => {
  const sent: Promise<unknown>[] = [];
  const harness: Harness = open({
    tool: { risk: 'medium' },
    options: { io: { onWarning: () => void sent.push(harness.chat('more').result()) } },
  });
  await harness.chat('go');
  expect(sent.length).toBeGreaterThan(0);
  await Promise.allSettled(sent);
});

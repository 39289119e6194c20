/** Tool chaining and the cache of pure tools, through the whole harness. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { defineTool } from '../../../core/tool/define-tool.ts';
import type { Tool } from '../../../core/tool.ts';
import { createHarness } from '../../../harness/create-harness.ts';
import { scriptedProvider } from '../../../testing/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Turns = Parameters<typeof scriptedProvider>[0];
const harness = (turns: Turns, tools: Tool[]) =>
  createHarness({ model: 'scripted', provider: scriptedProvider(turns), workspace: folder, tools });

const list = defineTool({
  name: 'list',
  description: 'List pages',
  risk: 'safe',
  parameters: { type: 'object', properties: {} },
  run: () => [{ url: 'https://a.example' }, { url: 'https://b.example' }],
});
const openPage = defineTool({
  name: 'open_page',
  description: 'Open a page',
  risk: 'safe',
  parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  run: ({ url }) => `opened ${String(url)}`,
});
const fromList = (id: string, pointer = '/1/url') => ({
  name: 'open_page',
  arguments: { url: { $result: id, pointer } },
});

describe('a later call', () => {
  test.each([
    ['of the next message', [{ calls: [{ id: 'a', name: 'list', arguments: {} }] }, { calls: [fromList('a')] }]],
    ['of the same message', [{ calls: [{ id: 'a', name: 'list', arguments: {} }, fromList('a')] }]],
    [
      'that counts calls where it knows no id',
      [{ calls: [{ id: 'x9', name: 'list', arguments: {} }] }, { calls: [fromList('call_1')] }],
    ],
  ])('%s takes an earlier result by reference', async (_name, turns) => {
    verifies('E14');
    const agent = harness([...turns, { text: 'done' }], [list, openPage]);
    const { toolCalls } = await agent.chat('open the second');
    expect(toolCalls.at(-1)?.result.data).toBe('opened https://b.example');
    await agent.close();
  });

  test('is sent back with what was wrong, and the model may correct it', async () => {
    const agent = harness(
      [
        { calls: [{ id: 'a', name: 'list', arguments: {} }, fromList('a', '/5')] },
        { calls: [fromList('a')] },
        { text: 'ok' },
      ],
      [list, openPage],
    );
    const { toolCalls } = await agent.chat('open the second');
    expect(toolCalls.map(({ result }) => result.error_type)).toEqual(['none', 'validation_failed', 'none']);
    expect(toolCalls[1]?.result.error_message).toContain('url: the result of a has no "/5": it is a list of 2');
    await agent.close();
  });

  test('that names itself or a later one waits for nothing', async () => {
    const self = { id: 'b', ...fromList('b') };
    const agent = harness(
      [{ calls: [self, { id: 'a', name: 'list', arguments: {} }] }, { text: 'ok' }],
      [list, openPage],
    );
    const { toolCalls } = await agent.chat('go');
    expect(toolCalls.map(({ result }) => result.success)).toEqual([false, true]);
    await agent.close();
  });
});

describe('a pure tool', () => {
  const counting = (touch: 'file' | 'clock') => {
    let runs = 0;
    const tool = defineTool({
      name: 'measure',
      description: 'Measure a file',
      risk: 'safe',
      pure: true,
      parameters: { type: 'object', properties: { path: { type: 'string' }, by: { type: 'string' } } },
      async run({ path }, context) {
        runs += 1;
        if (touch === 'clock') return `${typeof context.clock.now()}`;
        const read = await context.workspace.readFile(String(path), { maxBytes: 1000 });
        return read.ok ? new TextDecoder().decode(read.value.bytes) : 'none';
      },
    });
    return { tool, runs: () => runs };
  };
  const asked = (args: Record<string, string>) => ({ calls: [{ name: 'measure', arguments: args }] });

  test('is answered from what was kept while its arguments and its files are the same', async () => {
    verifies('L11');
    await writeFile(join(folder, 'a.txt'), 'one');
    const { tool, runs } = counting('file');
    const agent = harness(
      [
        asked({ path: 'a.txt', by: 'x' }),
        { text: '.' },
        asked({ by: 'x', path: 'a.txt' }),
        { text: '.' },
        asked({ path: 'a.txt', by: 'x' }),
        { text: '.' },
      ],
      [tool],
    );
    expect((await agent.chat('1')).toolCalls.at(-1)?.result.metadata.cached).toBeUndefined();
    expect((await agent.chat('2')).toolCalls.at(-1)?.result).toMatchObject({ data: 'one', metadata: { cached: true } });
    expect(runs()).toBe(1);
    await writeFile(join(folder, 'a.txt'), 'two');
    const third = (await agent.chat('3')).toolCalls.at(-1)?.result;
    expect(third?.data).toBe('two');
    expect(third?.metadata.cached).toBeUndefined();
    await agent.close();
  });

  test('that reads anything but files and arguments runs each time', async () => {
    const { tool, runs } = counting('clock');
    const agent = harness([asked({}), { text: '.' }, asked({}), { text: '.' }], [tool]);
    await agent.chat('1');
    await agent.chat('2');
    expect(runs()).toBe(2);
    await agent.close();
  });
});

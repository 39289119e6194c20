/** A request without tools speaks of none: not in its instructions, and not at the end of a message. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import { inTurn } from '../../tests/support/long.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { messageText } from '../core/message.ts';
import type { ModelRequest } from '../core/model-port.ts';
import { type PresetName, presetNames } from '../core/presets.ts';
import { scriptedProvider } from '../testing/index.ts';
import type { TestAgentOptions } from '../testing/test-agent.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';

/** The others are words like any. */
const NAMES = BUILT_IN_TOOLS.map(({ name }) => name).filter((name) => name.includes('_'));
const ORDERS = /\b(?:call|use) (?:a|the|one|another) tools?\b|tool_call|\buse_tool\b|works? .*with tools/i;

/** What the instructions and the person's messages say of tools. */
const spokenOf = ({ messages, tools }: ModelRequest): string[] => [
  ...tools.map(({ function: { name } }) => name),
  ...messages.flatMap((message) => {
    const text = messageText(message.content);
    // Results may be messages of the person, too.
    if (message.role !== 'system' && !(message.role === 'user' && /[Ww]hat (?:files|does)/.test(text))) return [];
    return [...NAMES.filter((name) => text.includes(name)), ...(ORDERS.exec(text) ?? [])];
  }),
];

const CALLS: Partial<Record<PresetName, string>> = {
  'llama-chat': '[TOOL_CALLS]bash[ARGS]{"command": "ls"}',
  'zoo-keeper': '{"name": "ls", "arguments": {}}',
  edison: '{"tool": "system_stats", "args": {}}',
};

const PRESETS = [undefined, ...presetNames].map((preset, index) => [preset, index] as const);

describe.each(PRESETS)('with the preset %s', (preset, index) => {
  describe.each(inTurn([4_096, 65_536], index % 2, 2))('in a window of %i tokens', (contextLength) => {
    const opened = async (options: Partial<TestAgentOptions> = {}) => {
      const provider = scriptedProvider((request, number) => {
        if (number > 0) return { text: 'So it is.' };
        const text = preset && CALLS[preset];
        return text === undefined
          ? { calls: [{ name: request.tools[0]?.function.name ?? '', arguments: {} }] }
          : { text };
      });
      const folder = scratchFolder();
      putFiles(folder, { 'a.txt': 'x\n', 'AGENTS.md': 'Answer in verse.\n' });
      const environment = { PATH: process.env['PATH'] };
      const halter = await assembled({
        folder,
        preset,
        environment,
        contextLength,
        modelProvider: provider,
        mode: 'yolo',
        ...options,
      });
      return { provider, session: await openedSession(halter, { keep: false }) };
    };

    it('a message whose tools are off is answered without a word of them', async () => {
      verifies('E13');
      const { provider, session } = await opened();
      await say(session, 'What files are here?');
      const before = provider.requests.length;
      await session.send({ type: 'send_message', content: 'And what does the file hold?', tools: 'off' });
      await session.idle();
      const request = provider.requests[before] as ModelRequest;
      expect(spokenOf(request)).toEqual([]);
      expect(messageText(request.messages[0]?.content ?? '')).toContain('Answer in verse.');
    });

    it('so is the last request at a limit', async () => {
      verifies('E13', 'K5');
      const { provider, session } = await opened({ maxIterations: 1 });
      await session.send({ type: 'send_message', content: 'What files are here?', unattended: true });
      await session.idle();
      expect(provider.requests).toHaveLength(2);
      expect(spokenOf(provider.requests[0] as ModelRequest)).not.toEqual([]);
      expect(spokenOf(provider.requests[1] as ModelRequest)).toEqual([]);
    });
  });
});

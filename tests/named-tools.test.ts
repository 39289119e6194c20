/** No text that goes to the model names a tool that it cannot call. */
import { expect, it } from 'vitest';
import { messageText } from '../src/core/message.ts';
import type { ModelRequest } from '../src/core/model-port.ts';
import { findPreset, type PresetName, presetNames } from '../src/core/presets.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';

/** The others are words like any. */
const NAMES = BUILT_IN_TOOLS.map(({ name }) => name).filter((name) => name.includes('_'));
const NEVER_OFFERED: Partial<Record<PresetName, string>> = {
  'llama-chat': '[TOOL_CALLS]bash[ARGS]{"command": "true", "background": true}',
  zodollama: '[TOOL_CALLS]get_file_tree[ARGS]{}',
};

const namedIn = (request: ModelRequest | undefined, offered: readonly string[]): string[] => {
  const said = request?.messages.map(({ content }) => messageText(content)) ?? [];
  const text = [...said, JSON.stringify(request?.tools)].join('\n');
  return NAMES.filter((name) => !offered.includes(name) && text.includes(name));
};

it.each(presetNames)(
  'with the preset %s neither prompts, tools nor results name one that is not on offer',
  async (preset) => {
    verifies('E1', 'Z14');
    const text = NEVER_OFFERED[preset] ?? 'So it is.';
    const provider = scriptedProvider([{ text }, { text: 'So it is.' }]);
    const folder = scratchFolder();
    putFiles(folder, { 'a.txt': 'x\n' });
    const halter = await assembled({
      folder,
      preset,
      modelProvider: provider,
      environment: { PATH: process.env['PATH'] },
      mode: 'yolo',
    });
    await say(await openedSession(halter, { keep: false }));
    const offered = findPreset(preset)?.tools ?? NAMES;
    expect(provider.requests.length).toBe(text.startsWith('[') ? 2 : 1);
    expect(provider.requests.flatMap((request) => namedIn(request, offered))).toEqual([]);
  },
);

/** Counts the special tokens that a text of a tool would become in the prompt of the engine in this process. */

import type { ModelMessage } from '../../src/core/message.ts';
import { END_TOKENS } from '../../src/dialects/engine/grammar.ts';
import { createChat } from '../../src/providers/embedded/chat.ts';
import type { Engine } from '../../src/providers/embedded/engine.ts';

const MARKERS = [
  ...END_TOKENS,
  '<|im_start|>',
  '<s>',
  '<|start_header_id|>',
  '[INST]',
  '[TOOL_CALLS]',
  '<|python_tag|>',
];

/** Tokenizes markers only, which is all that is counted here. */
const countingEngine = {
  chatTemplate: undefined,
  specialTexts: () => MARKERS,
  tokenize: (text: string, special: boolean) =>
    special
      ? MARKERS.flatMap((marker) =>
          text
            .split(marker)
            .slice(1)
            .map(() => 1),
        )
      : [],
} as unknown as Engine;

const tokensWith = async (content: string): Promise<number> => {
  const chat = createChat(countingEngine);
  const messages = [
    { role: 'user' as const, content: 'Go on.' },
    { role: 'tool' as const, name: 'read_file', tool_call_id: 'call_1', content },
  ];
  const request = { model: 'm', messages: messages as unknown as ModelMessage[], tools: [], sampling: {} };
  return (await chat.promptWithTools(request)).length;
};

export const specialTokensFrom = async (text: string): Promise<number> =>
  (await tokensWith(text)) - (await tokensWith('text'));

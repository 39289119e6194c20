import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ModelMessage } from '../../core/message.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { ledProvider } from './provider.ts';

it('hands on whole messages where a prompt of a led model is counted', async () => {
  verifies('B7');
  const seen: ModelMessage[] = [];
  const inner = {
    ...scriptedProvider([]),
    countTokens: async ({ messages }: { messages: readonly ModelMessage[] }) => seen.push(...messages),
  };
  const led = ledProvider(inner, { isSmall: true, monotonic: () => 0 });
  const messages: ModelMessage[] = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello.', tool_calls: [], finish: 'stop' },
  ];
  await led.countTokens?.({ model: 'm', messages, tools: [] }, new AbortController().signal);
  expect(seen).toEqual(messages);
});

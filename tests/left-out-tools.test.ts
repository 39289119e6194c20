/** Servers that leave the tools out of the prompt and say nothing: the person is told, and the model sees them all the same. */
import { describe, expect, it } from 'vitest';
import type { ModelInfo, ModelRequest } from '../src/core/model-port.ts';
import { estimateTokens } from '../src/core/window/tokens.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';

const isDescribed = ({ messages }: ModelRequest): boolean => JSON.stringify(messages).includes('<tools>');

const talk = async (
  server: 'drops' | 'writes' | 'counts only what is new',
  info: Partial<ModelInfo> = {},
  more: Partial<Parameters<typeof assembled>[0]> = {},
) => {
  const tokensOf = ({ messages, tools }: ModelRequest): number =>
    server === 'counts only what is new'
      ? 9
      : estimateTokens(JSON.stringify(messages.map(({ role, content }) => [role, content]))) +
        (server === 'writes' ? estimateTokens(JSON.stringify(tools)) : 0);
  const scripted = scriptedProvider(
    (request) => ({
      text: isDescribed(request) ? 'There is a.txt.' : 'There is made-up.txt.',
      usage: { prompt_tokens: tokensOf(request), completion_tokens: 6 },
    }),
    { models: [{ id: 'test-model', ...info }] },
  );
  const session = await openedSession(await assembled({ modelProvider: scripted, mode: 'yolo', ...more }));
  const warned: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warned.push(update.code);
  });
  await say(session, 'What is here?');
  await say(session, 'And now?');
  const answers = session
    .log()
    .flatMap((event) => (event.type === 'assistant_message_added' ? [event.message.content] : []));
  return { warned, answers, described: scripted.requests.map(isDescribed) };
};

describe('a server that nobody says takes tools', () => {
  it('has them described in the prompt once its count shows that it left them out, and the answer is to that', async () => {
    verifies('L1', 'L2');
    const { warned, answers, described } = await talk('drops');
    expect(warned).toEqual(['tools_unseen']);
    expect(answers).toEqual(['There is a.txt.', 'There is a.txt.']);
    expect(described).toEqual([false, true, true]);
  });

  it('is only told of where the person says how tools are sent', async () => {
    const { warned, answers, described } = await talk('drops', {}, { toolStrategy: 'native' });
    expect(warned).toEqual(['tools_unseen']);
    expect(answers).toEqual(['There is made-up.txt.', 'There is made-up.txt.']);
    expect(described).toEqual([false, false]);
  });

  it.each([
    ['writes them', 'writes', {}],
    ['counts only what is new', 'counts only what is new', {}],
    ['says that the model takes them', 'drops', { tools: true }],
  ] as const)('is asked as before where it %s', async (_, server, info) => {
    const { warned, described } = await talk(server, info);
    expect(warned).toEqual([]);
    expect(described).toEqual([false, false]);
  });
});

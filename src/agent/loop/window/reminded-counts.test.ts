/** What a server counted of a reminder is no measure of the prompts to come, also for the next process. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import { messageText } from '../../../core/message.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../../testing/index.ts';

const WORDS = 'as I said before, the module is fine and all is well. '.repeat(6);
const HELD = `I would do this: {"name": "ls", "arguments": {"path": "src"}} and this: ls {"path":"lib"} | - ${WORDS}`;
const FINE: ScriptedProviderTurn = { text: 'Understood.' };

const lastOf = (request: ModelRequest): string => messageText(request.messages.at(-1)?.content ?? '');
/** What the model does at a message, and at the reminder that follows. */
const ODD: Readonly<Record<string, (isReminder: boolean) => ScriptedProviderTurn>> = {
  'a call among words': (isReminder) => ({ text: isReminder ? 'No call.' : HELD }),
  'a step that was announced': (isReminder) => ({
    text: isReminder ? 'There is nothing more.' : `${WORDS} Let me read the file now.`,
  }),
};

describe.each(Object.entries(ODD))('after a reminder of %s', (_name, odd) => {
  it.each([4_096, 32_768])('the window of %i tokens stays what it is, over processes', async (window) => {
    verifies('B7');
    const environment = { HOME: scratchFolder() };
    const folder = scratchFolder();
    const warnings: string[] = [];
    let reminders = 0;
    const speak = async (message: string): Promise<void> => {
      const server = scriptedProvider(
        (request) => {
          const isReminder = !lastOf(request).includes(message);
          if (isReminder) reminders += 1;
          const answer = message.startsWith('ODD') ? odd(isReminder) : FINE;
          return { ...answer, usage: { prompt_tokens: wireSize(request), completion_tokens: 20 } };
        },
        { models: [{ id: 'test-model', context_length: window }] },
      );
      const agent = await assembled({ modelProvider: server, mode: 'yolo', environment, folder });
      const session = await openedSession(agent, { id: 'one' });
      session.subscribe((update) => {
        if (update.type === 'warning') warnings.push(`${update.code}: ${update.message}`);
      });
      await say(session, message);
      await session.close();
      await agent.close();
    };
    for (const message of [
      'We are building kestrel.',
      'ODD one',
      'ok go on',
      'fine then',
      'go on',
      'ODD two',
      'yes',
      'ok',
    ])
      await speak(message);
    expect(reminders).toBe(2);
    expect(warnings.filter((warning) => !warning.startsWith('call_'))).toEqual([]);
  });
});

/** Commands that a person types into an editor: offered, done and answered, and never sent to the model. */
import { methods } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { verifies } from '../requirements.ts';
import { say, serve, type Update, withEditor } from '../support/acp-editor.ts';
import { scratchFolder } from '../support/scratch.ts';

const wordsOf = (updates: readonly Update[]): string =>
  updates
    .flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
    )
    .join('');

it('makes room on /compact, and refuses in words what is no command', async () => {
  verifies('B7');
  const server = await serve([{ text: 'Noted.' }, { text: 'A path.' }]);
  await withEditor(
    server,
    () => 'deny',
    async (editor, { updates }) => {
      const { sessionId } = await editor.request(methods.agent.session.new, { cwd: scratchFolder(), mcpServers: [] });
      const prompt = async (text: string): Promise<string> => {
        const from = updates.length;
        const ended = await editor.request(methods.agent.session.prompt, { sessionId, prompt: say(text) });
        expect(ended.stopReason).toBe('end_turn');
        // The protocol's client hands out what was told a moment after the answer to the prompt.
        await expect.poll(() => wordsOf(updates.slice(from))).not.toBe('');
        return wordsOf(updates.slice(from));
      };
      expect(await prompt('The port is 4711.')).toContain('Noted.');
      const offered = updates.find(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
      expect(JSON.stringify(offered)).toContain('"compact"');
      expect(await prompt('/compact the port is 4711')).toContain('told to keep in mind: the port is 4711.');
      expect(await prompt('/compcat')).toContain('There is no command /compcat here: /compact');
      expect(server.requests).toHaveLength(1);
      expect(await prompt('/etc/hosts')).toContain('A path.');
      expect(server.requests).toHaveLength(2);
    },
  );
});

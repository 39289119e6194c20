/** The modes of a session as an editor sees and sets them. */
import fs from 'node:fs';
import path from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { MODES } from '../../src/core/policy/modes.ts';
import { say, serve, withEditor } from '../support/acp-editor.ts';
import { scratchFolder } from '../support/scratch.ts';

const WRITE = { calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: 'one\n' } }] };

it('offers the modes, takes one, and asks by it', async () => {
  const cwd = scratchFolder();
  const server = await serve([WRITE, { text: 'Written.' }]);
  await withEditor(
    server,
    () => 'deny',
    async (editor, { questions }) => {
      const begun = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
      expect(begun.modes?.currentModeId).toBe('ask');
      expect(begun.modes?.availableModes.map(({ id }) => id)).toEqual(MODES.filter((mode) => mode !== 'yolo'));
      const { sessionId } = begun;
      await expect(editor.request(methods.agent.session.setMode, { sessionId, modeId: 'reckless' })).rejects.toThrow();
      await editor.request(methods.agent.session.setMode, { sessionId, modeId: 'edit' });
      await editor.request(methods.agent.session.prompt, { sessionId, prompt: say('Write notes') });
      expect(questions).toEqual([]);
      expect(fs.readFileSync(path.join(cwd, 'notes.txt'), 'utf8')).toBe('one\n');
      const loaded = await editor.request(methods.agent.session.resume, { sessionId, cwd, mcpServers: [] });
      // A mode of an earlier life does not hold.
      expect(loaded.modes?.currentModeId).toBe('ask');
    },
  );
});

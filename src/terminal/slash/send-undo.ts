/** Takes changes of files back, and says once what all of it was. */
import { undoneTogether } from '../../core/changes.ts';
import type { Command } from '../../core/events.ts';
import type { SlashHost } from './slash-command.ts';

export const sendUndo = async (
  host: SlashHost,
  command: Command,
): Promise<{ ok: true } | { ok: false; message: string }> => {
  const session = host.session();
  const before = session.log().length;
  const sent = await session.send(command);
  const undone = session.log().slice(before);
  const together = undoneTogether(undone.filter((event) => event.type === 'change_undone'));
  if (together !== undefined) host.notice('quiet', together);
  return sent;
};

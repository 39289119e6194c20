import { thrownText } from '../../core/thrown-text.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';

/** What a command throws is for the person to read, not an end of the app. */
export const performCommand = async (host: SlashHost, command: SlashCommand, argument: string): Promise<void> => {
  try {
    if (command.waitsForEnd?.(argument)) await host.runEnd();
    await command.perform(host, argument);
  } catch (error) {
    host.notice('error', thrownText(error));
  }
};

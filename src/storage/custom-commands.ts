/** `commands/*.md`: the person's own, and a folder's where it is trusted. Never fails: what cannot be read is named and left out. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CustomCommand, isCommandName, readCustomCommand } from '../core/custom-command.ts';
import type { Workspace } from '../core/ports.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

const FOLDER = '.halter/commands';

export type CustomCommandsOptions = {
  /** `halterPaths(…).config` */
  configFolder: string;
  workspace: Pick<Workspace, 'list' | 'readFile'>;
  trusted: boolean;
};

/** The person's own come first: a folder cannot take a name from them. */
export const readCustomCommands = async (
  options: CustomCommandsOptions,
): Promise<{ commands: CustomCommand[]; warnings: string[] }> => {
  const warnings: string[] = [];
  const commands = new Map<string, CustomCommand>();
  const add = (file: string, text: string, from: CustomCommand['from']): void => {
    const name = file.slice(0, -'.md'.length);
    if (!isCommandName(name)) warnings.push(`${file} is no command: a name is small letters, digits and -`);
    else if (!commands.has(name)) commands.set(name, readCustomCommand(name, text, from));
  };
  const own = join(options.configFolder, 'commands');
  for (const file of markdown(await readdir(own).catch(() => []))) {
    const read = await readOwnFile(join(own, file), STORAGE_LIMITS.customCommandBytes, 'it is no command');
    if (!read.ok) warnings.push(read.error.message);
    else if (read.value) add(file, new TextDecoder().decode(read.value), 'yours');
  }
  const listed = await options.workspace.list(FOLDER);
  if (!listed.ok && listed.error.error_type !== 'not_found')
    warnings.push(`${FOLDER} is not used: ${listed.error.message}`);
  const files = listed.ok ? markdown(listed.value.map(({ name }) => name)) : [];
  if (files.length > 0 && !options.trusted) {
    warnings.push(`${FOLDER} is not used, because this folder is not trusted; \`halter trust\` changes that`);
    return { commands: [...commands.values()], warnings };
  }
  for (const file of files) {
    const read = await options.workspace.readFile(`${FOLDER}/${file}`, { maxBytes: STORAGE_LIMITS.customCommandBytes });
    if (read.ok) add(file, new TextDecoder().decode(read.value.bytes), 'folder');
    else warnings.push(`${FOLDER}/${file} is no command: ${read.error.message}`);
  }
  return { commands: [...commands.values()], warnings };
};

const markdown = (names: readonly string[]): string[] =>
  names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .slice(0, STORAGE_LIMITS.customCommands);

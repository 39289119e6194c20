/** keybindings.json in the person's config folder. What is wrong in it is reported, and the rest counts. */

import { join } from 'node:path';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { readOwnFile } from '../storage/own-file.ts';
import { createKeybindings, type Keybindings, readKeybindings } from '../terminal/keybindings.ts';

export const openKeybindings = async (folder: string, warn: (message: string) => void): Promise<Keybindings> => {
  const path = join(folder, 'keybindings.json');
  const read = await readOwnFile(path, STORAGE_LIMITS.configFileBytes, 'the keys are the usual ones');
  if (!read.ok) warn(read.error.message);
  if (!read.ok || read.value === undefined) return createKeybindings();
  const { chosen, problems } = readKeybindings(new TextDecoder().decode(read.value));
  for (const problem of problems) warn(`${path}: ${problem}`);
  return createKeybindings(chosen);
};

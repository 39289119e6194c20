/** Sockets with a path that somebody listens at: through one a command could ask others to do what it may not do itself. */
import { lstatSync, readFileSync } from 'node:fs';
import { SANDBOX_LIMITS } from './limits.ts';
import { unlessShort } from './shortage.ts';

/** As the kernel lists them. Those that are bound later are not seen; the folders of sockets are empty inside anyway. */
export const boundSockets = (isVisible: (file: string) => boolean): string[] => {
  let table: string;
  try {
    table = readFileSync('/proc/net/unix', 'utf8');
  } catch (error) {
    return unlessShort(error, []);
  }
  const found = new Set<string>();
  for (const line of table.split('\n')) {
    const file = /^[0-9a-f]+:(?: +[0-9A-F]+){5} +[0-9]+ (\/.+)$/.exec(line)?.[1];
    if (file !== undefined && isVisible(file) && isSocket(file)) found.add(file);
    if (found.size >= SANDBOX_LIMITS.sockets) break;
  }
  return [...found];
};

const isSocket = (file: string): boolean => {
  try {
    return lstatSync(file).isSocket();
  } catch {
    return false;
  }
};

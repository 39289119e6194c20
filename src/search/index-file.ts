/** Where the index of a workspace lies: one file for each real path. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

export const indexFile = (dataFolder: string, root: string): string => {
  const name =
    basename(root)
      .replaceAll(/[^\w.-]/g, '_')
      .slice(0, 40) || 'root';
  return join(dataFolder, 'index', `${name}-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.sqlite`);
};

import { dirname } from 'node:path';

/** A folder and all that it lies in, the nearest first: where Node looks for packages. */
export const withFoldersAbove = (folder: string): string[] => {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withFoldersAbove(above)];
};

/** The folder that the program was started in: it may have been removed under its shell. */

/** Why nothing can be done there, for a person; undefined where it can be read. */
export const startFolderProblem = (): string | undefined => {
  try {
    process.cwd();
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? 'The folder that you are in is gone: it was removed. Go to another one, such as `cd ~`.'
      : `The folder that you are in cannot be read (${code ?? String(error)}). Go to another one, such as \`cd ~\`.`;
  }
};

/** What the system refuses for want of something says nothing about whether there is a sandbox, or what it has to cover. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO', 'ETIMEDOUT']);

export const isShortage = (error: unknown): boolean => SHORTAGES.has((error as NodeJS.ErrnoException)?.code ?? '');

/** The same as programs say it. */
export const namesShortage = (message: string): boolean =>
  /too many open files|cannot allocate memory|resource temporarily unavailable|input\/output error|fork: retry/i.test(
    message,
  );

/** No command runs while that lasts. */
export class SandboxShortage extends Error {
  override readonly name = 'SandboxShortage';
}

/** The answer for what is not there; want of something is thrown on. */
export const unlessShort = <T>(error: unknown, otherwise: T): T => {
  if (isShortage(error))
    throw new SandboxShortage(`the sandbox could not be made: ${String((error as Error).message)}`);
  return otherwise;
};

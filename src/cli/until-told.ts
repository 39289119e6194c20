import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import { CLI_LIMITS } from './limits.ts';

/** For what runs until it is told to end. The first signal ends in order; the second one at once. */
export const untilTold = (io: Io): Promise<ExitCode> =>
  new Promise((resolve) => {
    let first: number | undefined;
    io.onSignal((signal) => {
      const now = performance.now();
      // One Ctrl-C can come twice, from the terminal and from a parent that passes it on.
      if (first !== undefined && now - first > CLI_LIMITS.secondInterruptMs) process.exit(EXIT.interrupted);
      first ??= now;
      resolve(signal === 'SIGINT' ? EXIT.interrupted : EXIT.answered);
    });
  });

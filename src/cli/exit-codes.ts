/** The exit codes of the command line, a contract for scripts. */
import type { ExitReason } from '../agent/loop/call-model/stream-lines.ts';

export const EXIT = {
  answered: 0,
  error: 1,
  usage: 2,
  permission: 3,
  limit: 4,
  modelUnusable: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export type { ExitReason };

const CODES: Readonly<Record<ExitReason, ExitCode>> = {
  answered: EXIT.answered,
  error: EXIT.error,
  permission_required: EXIT.permission,
  limit: EXIT.limit,
  loop: EXIT.limit,
  model_unusable: EXIT.modelUnusable,
  interrupted: EXIT.interrupted,
};

export const exitCodeOf = (reason: ExitReason): ExitCode => CODES[reason];

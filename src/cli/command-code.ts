import type { ExitCode } from './exit-codes.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';

export type Invocation = { words: readonly string[]; flags: FlagValues; io: Io };
export type CommandCode = { execute(invocation: Invocation): Promise<ExitCode> };

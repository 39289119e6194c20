/**
 * `halter conformance FOLDER`: the runner of test vectors and attack cases, which stands in `conformance/` of the
 * checkout. The published package does not hold it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CommandCode } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../io.ts';

/** From `src/cli/commands` and from the built `dist/cli/commands` alike. */
const RUNNER = fileURLToPath(new URL('../../../conformance/main.ts', import.meta.url));
const CODES: readonly ExitCode[] = [EXIT.answered, EXIT.error, EXIT.usage];

export const conformanceCommand: CommandCode = {
  async execute({ words, flags, io }) {
    if (!existsSync(RUNNER)) {
      throw new UsageError(
        'The runner of test cases comes with a checkout of halter, and this is the package. In a checkout: `npm run conformance -- FOLDER`.',
        'conformance',
      );
    }
    const args = [RUNNER, ...words, ...(flags.json ? ['--json'] : [])];
    const { status } = spawnSync(process.execPath, args, { cwd: io.cwd, env: io.env, stdio: 'inherit' });
    return CODES.find((code) => code === status) ?? EXIT.error;
  },
};

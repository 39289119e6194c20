/** `halter trust [--remove]`: whether this folder's own settings count. */
import { resolve } from 'node:path';
import { createTrustFile } from '../../storage/trust-file.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { pathsOf, reportFailure } from '../settings.ts';

export const trustCommand: CommandCode = {
  async execute({ flags, io }) {
    const folder = resolve(io.cwd, flags.directory ?? '.');
    const file = createTrustFile({ folder: pathsOf(io).config });
    const changed = flags.remove ? await file.distrust(folder) : await file.trust(folder);
    if (!changed.ok) return reportFailure(changed.error, io);
    io.stderr.write(
      flags.remove
        ? `halter: ${folder} is no longer trusted; its .halter/config.json is not used\n`
        : `halter: ${folder} is trusted as it is now; its .halter/ is used until it changes (it can never grant permissions)\n`,
    );
    return EXIT.answered;
  },
};

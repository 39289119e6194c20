/** `halter acp`: speaks ACP on standard input and output, for editors. Standard output carries the protocol alone. */

import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { createAcpAgent } from '../../acp/agent.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { openHalter } from '../open-halter.ts';
import { createEnding } from '../run/ending.ts';
import { readVersion } from '../version.ts';

export const acpCommand: CommandCode = {
  async execute({ flags, io }) {
    const ending = createEnding(io, undefined);
    const agent = createAcpAgent({
      version: readVersion(),
      open: (folder, additional) =>
        openHalter({
          flags: { ...flags, directory: folder, 'add-dir': [...(flags['add-dir'] ?? []), ...additional] },
          io,
          onAsk: 'wait',
          signal: ending.signal,
        }),
    });
    const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(io.stdin) as ReadableStream<Uint8Array>;
    const connection = agent.app.connect(ndJsonStream(output, input));
    ending.signal.addEventListener('abort', () => connection.close(), { once: true });
    // The editor closed the pipe, or a signal came.
    await connection.closed;
    await agent.close();
    ending.release();
    return ending.reason() === 'interrupted' ? EXIT.interrupted : EXIT.answered;
  },
};

/** `halter acp`: speaks ACP on standard input and output, for editors. Standard output carries the protocol alone. */

import { realpath } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { createAcpAgent } from '../../acp/agent.ts';
import type { EditorConsents } from '../../acp/editor-servers.ts';
import { startDigest } from '../../agent/mcp/server-files.ts';
import type { ServerDefinition } from '../../mcp/server-definition.ts';
import { createConsentFile } from '../../storage/mcp-files.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { createEnding } from '../run/ending.ts';
import { pathsOf } from '../settings.ts';
import { readVersion } from '../version.ts';

export const acpCommand: CommandCode = {
  async execute({ flags, io }) {
    const ending = createEnding(io, undefined);
    const agent = createAcpAgent({
      version: readVersion(),
      consents: consentsOf(io, flags.yolo === true),
      open: (folder, additional, servers) =>
        openHalter({
          flags: { ...flags, directory: folder, 'add-dir': [...(flags['add-dir'] ?? []), ...additional] },
          io,
          onAsk: 'wait',
          mcp: { definitions: servers, askInSessions: true },
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
    // An editor that is gone may take its end of one pipe away before the other: that is its end, and no signal.
    return ending.reason() === 'interrupted' && io.stdout.gone?.aborted !== true ? EXIT.interrupted : EXIT.answered;
  },
};

/** Bound to the folder and to all that would be started. */
const consentsOf = (io: Io, everything: boolean): EditorConsents => {
  const file = createConsentFile(pathsOf(io).config);
  const place = (folder: string): Promise<string> => realpath(folder).catch(() => folder);
  const digestIn = async (folder: string, server: ServerDefinition): Promise<string> =>
    startDigest(server, { roots: [await place(folder)], environment: io.env });
  return {
    has: async (folder, server) =>
      everything || file.has(await place(folder), server.name, await digestIn(folder, server)),
    async add(folder, server) {
      const kept = await file.add(await place(folder), server.name, await digestIn(folder, server));
      if (!kept.ok) io.stderr.write(`halter: ${kept.error.message}\n`);
    },
  };
};

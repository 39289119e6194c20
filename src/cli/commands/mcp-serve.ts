/** `halter mcp`: halter's tools for other programs, MCP on standard input and output. Those carry the protocol alone. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serveRenewed } from '../../agent/mcp/serve-renewed.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import { createToolServer } from '../../mcp/tool-server.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { createEnding } from '../run/ending.ts';
import { reportFailure } from '../settings.ts';
import { readVersion } from '../version.ts';

export const mcpCommand: CommandCode = {
  async execute({ flags, io }) {
    const ending = createEnding(io, undefined);
    // Its own tools are served, so no other servers are needed.
    const open = () => openHalter({ fixedMode: true, flags, io, signal: ending.signal, mcp: { files: false } });
    const opened = await open();
    if (!opened.ok) {
      ending.release();
      return reportFailure(opened.error, io);
    }
    const served = await serveRenewed(opened.value, {
      version: readVersion(),
      reopen: () => open().catch(asFailure),
      onProblem: (message) => io.stderr.write(`halter: ${message}\n`),
    });
    const over = new Promise<void>((resolve) => {
      ending.signal.addEventListener('abort', () => resolve(), { once: true });
      io.stdin.once('end', resolve);
      io.stdin.once('close', resolve);
    });
    const handle = serveStdio(() => createToolServer(served.options));
    await over;
    await handle.close();
    await served.close();
    ending.release();
    return ending.reason() === 'interrupted' ? EXIT.interrupted : EXIT.answered;
  },
};

/** Settings of now that do not go with the flags of then. */
const asFailure = (error: unknown): Outcome<never> => {
  if (error instanceof UsageError) return failure('validation_failed', error.message);
  throw error;
};

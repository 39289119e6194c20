/** `halter mcp`: halter's tools for other programs, MCP on standard input and output. Those carry the protocol alone. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../../mcp/tool-server.ts';
import { servedTools } from '../../runtime/mcp/serve.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { openHalter } from '../open-halter.ts';
import { createEnding } from '../run/ending.ts';
import { reportFailure } from '../settings.ts';
import { readVersion } from '../version.ts';

export const mcpCommand: CommandCode = {
  async execute({ flags, io }) {
    const ending = createEnding(io, undefined);
    // Its own tools are served, so no other servers are needed.
    const opened = await openHalter({ flags, io, signal: ending.signal, mcp: { files: false } });
    if (!opened.ok) {
      ending.release();
      return reportFailure(opened.error, io);
    }
    const halter = opened.value;
    const served = servedTools(halter, readVersion());
    const over = new Promise<void>((resolve) => {
      ending.signal.addEventListener('abort', () => resolve(), { once: true });
      io.stdin.once('end', resolve);
      io.stdin.once('close', resolve);
    });
    const handle = serveStdio(() => createToolServer(served));
    await over;
    await handle.close();
    await halter.close();
    ending.release();
    return ending.reason() === 'interrupted' ? EXIT.interrupted : EXIT.answered;
  },
};

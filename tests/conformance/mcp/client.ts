/** halter as a client of the server that the official suite names: connects, lists, and calls every tool once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHalter } from '../../../src/server/open-halter.ts';

const url = process.argv[2] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'halter-mcp-suite-'));
const halter = await openHalter({
  folder,
  environment: { HOME: folder, PATH: process.env['PATH'] ?? '' },
  sandbox: false,
  allow: ['mcp__*'],
  mcp: {
    servers: { mcpServers: { suite: { url } } },
    // The person fills nothing in, so that the defaults of the form count.
    ask: () => ({ action: 'accept', content: {} }),
  },
});
await halter.mcp.open();
const samples: Readonly<Record<string, number>> = { a: 5, b: 3 };
for (const { name, parameters } of halter.tools) {
  if (!name.startsWith('mcp__')) continue;
  const names = Object.keys((parameters['properties'] ?? {}) as object);
  const args = Object.fromEntries(names.filter((key) => key in samples).map((key) => [key, samples[key]]));
  process.stdout.write(`${JSON.stringify({ name, result: await halter.executeTool(name, args) })}\n`);
}
await halter.close();
rmSync(folder, { recursive: true, force: true });

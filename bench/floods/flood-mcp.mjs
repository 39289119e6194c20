/** An MCP server on its pipes whose one tool answers with more than anybody asked for. */
import { createInterface } from 'node:readline';

const [kind = 'result', bytes = '1000'] = process.argv.slice(2);
const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
const say = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const block = 'x'.repeat(256 * 1024);

const flood = async (id) => {
  const total = Number(bytes);
  if (kind === 'result')
    await write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`);
  for (let sent = 0; sent < total; sent += block.length) {
    if (kind === 'errors') await new Promise((resolve) => process.stderr.write(block, resolve));
    else if (kind === 'lines') await write(`${block}\n`);
    else await write(block);
  }
  if (kind === 'result') await write('"}]}}\n');
  else await say({ id, result: { content: [{ type: 'text', text: 'done' }] } });
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    await say({
      id,
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'flood', version: '1' } },
    });
  } else if (method === 'tools/list') {
    await say({
      id,
      result: { tools: [{ name: 'pour', description: 'Pours.', inputSchema: { type: 'object', properties: {} } }] },
    });
  } else if (method === 'tools/call') await flood(id);
  else await say({ id, result: {} });
}

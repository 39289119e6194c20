/**
 * An MCP server that answers with texts, so that each number stands there as it was written: on its pipes, or with a port as
 * JSON or as a stream of events. What it was called with it writes down, letter by letter.
 */
import fs from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [, , scriptFile, heardFile, kind] = process.argv;
const { result, tool } = JSON.parse(fs.readFileSync(scriptFile, 'utf8'));

const answerTo = (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return undefined;
  const answer = (text) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
  if (method === 'initialize')
    return answer(
      JSON.stringify({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'written', version: '1.0.0' },
      }),
    );
  if (method === 'tools/list') return answer(JSON.stringify({ tools: [tool] }));
  if (method === 'resources/list') return answer('{"resources":[{"uri":"x://y","name":"y"}]}');
  if (method === 'resources/read') return answer(result);
  if (method === 'tools/call') {
    fs.appendFileSync(heardFile, `${line}\n`);
    return answer(result);
  }
  return answer('{}');
};

if (kind === 'pipes') {
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = answerTo(line);
    if (answer !== undefined) process.stdout.write(`${answer.replaceAll('\n', ' ')}\n`);
  }
} else {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST') return response.writeHead(405).end();
    const answer = answerTo(body);
    if (answer === undefined) return response.writeHead(202).end();
    const isStream = kind === 'stream';
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? `event: message\ndata: ${answer.replaceAll('\n', ' ')}\n\n` : answer);
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

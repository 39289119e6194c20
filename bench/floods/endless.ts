/** Things that never stop: a body, a line, a stream. Sent as fast as they are read, and no faster. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const MB = 1024 * 1024;

/** Writes `piece` until so many bytes went out or nobody listens any more. */
export const pour = async (response: ServerResponse, piece: string, bytes: number): Promise<void> => {
  // Written some hundred kilobytes at a time: a system call for each word would make the sender the slow one.
  const block = Buffer.from(piece.repeat(Math.max(1, Math.ceil((256 * 1024) / piece.length))));
  for (let sent = 0; sent < bytes && !response.destroyed; sent += block.length) {
    if (response.write(block)) continue;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.once('drain', go).once('close', go);
    });
  }
};

export type Served = { url: string; close(): void };

export const serve = async (
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => Promise<void>,
): Promise<Served> => {
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    await answer(request, body, response);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const sse = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export const say = (text: string): string => sse({ content: text });
export const think = (text: string): string => sse({ reasoning_content: text });
export const argue = (text: string): string => sse({ tool_calls: [{ index: 0, function: { arguments: text } }] });
export const call = (name: string, args: object): string =>
  sse({
    tool_calls: [
      { index: 0, id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args).slice(0, -1) } },
    ],
  });
export const END = `${sse({}, 'stop')}data: [DONE]\n\n`;
export const END_CALLS = `${argue('}')}${sse({}, 'tool_calls')}data: [DONE]\n\n`;

/** What a model answers: whole, or piece by piece without end. */
export type Answer = string | ((response: ServerResponse) => Promise<void>);

/** A model server in OpenAI's protocol: one answer after the other, then "Done." for ever. */
export const serveModel = async (answers: readonly Answer[], other?: Answer): Promise<Served> => {
  let number = 0;
  const served = await serve(async (request, _body, response) => {
    const isChat = request.url?.endsWith('/chat/completions') === true;
    const answer = isChat ? (answers[number++] ?? `${say('Done.')}${END}`) : (other ?? '{"data":[{"id":"m"}]}');
    response.writeHead(200, { 'content-type': isChat ? 'text/event-stream' : 'application/json' });
    if (typeof answer === 'string') response.write(answer);
    else await answer(response);
  });
  return { ...served, url: `${served.url}/v1` };
};

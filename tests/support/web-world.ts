/** The real port for tools, whose connections all go to one server of the test. Any name is somewhere on the internet. */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { Tool } from '../../src/core/tool.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { WEB_SETTINGS, type WebSettings } from '../../src/core/web-settings.ts';
import type { DialTarget } from '../../src/io/network/routes.ts';
import { createNetwork } from '../../src/io/network.ts';
import { scratchFolder } from './scratch.ts';
import { callTool, createTestContext } from './tool-context.ts';

export type WebWorld = {
  root: string;
  dialled: DialTarget[];
  reported: string[];
  call(tool: Tool, args: JsonObject, signal?: AbortSignal): Promise<ToolResult>;
};

export const webWorld = async (listener: RequestListener, settings: Partial<WebSettings> = {}): Promise<WebWorld> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const dialled: DialTarget[] = [];
  const network = createNetwork({
    resolve: async () => [{ address: '93.184.216.34', family: 4 }],
    dial(target) {
      dialled.push(target);
      return connect(port, '127.0.0.1');
    },
  });
  const root = scratchFolder();
  const context = await createTestContext({ root });
  const reported: string[] = [];
  onTestFinished(() => {
    context.close();
    network.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    root: context.workspace.root,
    dialled,
    reported,
    call: (tool, args, signal) =>
      callTool(
        tool,
        args,
        {
          ...context,
          network: network.guarded({ allowPrivate: [] }),
          config: { [WEB_SETTINGS]: { offline: false, ...settings } as unknown as JsonValue },
          report: (text) => void reported.push(text),
        },
        signal,
      ),
  };
};

export type Route = (body: string, url: URL) => JsonValue | { status: number; body: JsonValue } | Buffer | undefined;

/** A server that speaks JSON: `METHOD /path` → its answer; what is not there is 404. Every request is noted. */
export const jsonRoutes = (routes: Record<string, Route>) => {
  const requests: { route: string; url: URL; body: string; headers: Record<string, unknown> }[] = [];
  const listener: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://server.test');
    const route = `${request.method} ${url.pathname}`;
    let body = '';
    for await (const piece of request) body += String(piece);
    requests.push({ route, url, body, headers: request.headers });
    const answer = routes[route]?.(body, url);
    if (answer === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}');
    } else if (Buffer.isBuffer(answer)) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(answer);
    } else {
      const { status, body: said } =
        typeof answer === 'object' && answer !== null && 'status' in answer && 'body' in answer
          ? (answer as { status: number; body: JsonValue })
          : { status: 200, body: answer };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    }
  };
  return { listener, requests };
};

/** A picture of one colour, as small as the format allows: what matters is its header. */
export const pngBytes = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(33);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled } from '../../tests/support/assembled.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { asRequester } from '../io/requester.ts';
import { detectSandbox } from './index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
const serve = async (text: string): Promise<number> => {
  const server = createServer((request, response) => response.end(`${text} ${request.headers.host}\n`));
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
};

describe('commands that may reach some hosts', () => {
  let works = false;
  beforeAll(async () => {
    works = (await detectSandbox()).kind === 'bubblewrap';
  });

  it('reach these and no others, by no other way', { timeout: 30_000 }, async (test) => {
    verifies('L11', 'S40');
    if (!works) test.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    const port = await serve('hello from');
    const other = await serve('not this one');
    const seen: unknown[] = [];
    const halter = await assembled({
      folder: scratchFolder(),
      environment: { HOME: scratchFolder(), PATH: process.env['PATH'] },
      platform: process.platform,
      yolo: true,
      allowHosts: [`localhost:${port}`, `127.0.0.1:${port}`],
      allowPrivate: [`127.0.0.1:${port}`, `127.0.0.1:${other}`],
      onConnection: (record) => seen.push(`${record.host}:${record.port} ${record.result}`),
    });
    expect(halter.sandbox).toBe(`bubblewrap, network to localhost:${port}, 127.0.0.1:${port} only`);
    const bash = async (command: string): Promise<string> => {
      const { data, error_message } = await halter.executeTool('bash', { command });
      return `${data} ${error_message ?? ''}`;
    };
    const here = `http://127.0.0.1:${port}/`;
    const through = (url: string): string =>
      `"${process.execPath}" -e 'const u=new URL(process.env.HTTP_PROXY);require("http").get({host:u.hostname,port:u.port,path:"${url}",headers:{host:"x"}},(r)=>{r.on("data",(d)=>console.log(r.statusCode,String(d)));})'`;
    expect(await bash(through(here))).toContain(`200 hello from 127.0.0.1:${port}`);
    expect(await bash(through(`http://127.0.0.1:${other}/`))).toContain('is not among the hosts');
    // Allowed as a host of commands, but private, and not allowed as that.
    expect(await bash(through(`http://localhost:${port}/`))).toContain('403');
    expect(await bash(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`)).not.toContain('connected\n');
    expect(seen).toContain(`127.0.0.1:${port} connected`);
    expect(seen).toContain(`127.0.0.1:${other} blocked`);
    await halter.close();
  });

  it('are noted with the command that tried to reach one, a refused one too', { timeout: 30_000 }, async (test) => {
    verifies('L11', 'S40');
    if (!works) test.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    const seen: unknown[] = [];
    const halter = await assembled({
      folder: scratchFolder(),
      environment: { HOME: scratchFolder(), PATH: process.env['PATH'] },
      platform: process.platform,
      yolo: true,
      allowHosts: ['allowed.example'],
      onConnection: ({ session, who, call, host, result }) => seen.push({ session, who, call, host, result }),
    });
    const asks = (host: string): string =>
      `"${process.execPath}" -e 'const u=new URL(process.env.HTTP_PROXY);require("http").get({host:u.hostname,port:u.port,path:"http://${host}/",headers:{host:"x"}},(r)=>r.resume())'`;
    const bashFor = (session: string, host: string) =>
      asRequester({ session, call: `call of ${session}` }, () => halter.executeTool('bash', { command: asks(host) }));
    await Promise.all([bashFor('a', 'one.example'), bashFor('b', 'two.example')]);
    const noted = (session: string, host: string) => ({
      session,
      who: 'bash',
      call: `call of ${session}`,
      host,
      result: 'blocked',
    });
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([noted('a', 'one.example'), noted('b', 'two.example')]));
    await halter.close();
  });
});

/**
 * Commands that may reach some hosts have no network but a listener of their own, on the loopback of their own network
 * namespace. It is opened inside, before the command begins, and handed out to halter, which answers there as a proxy. So
 * no program forwards anything, and no socket with a path is needed.
 */
import path from 'node:path';

/** Runs inside in front of the command, then becomes it. What it is told comes from halter alone. */
const LISTEN = `
const [program, ...words] = process.argv.slice(1);
const server = require('node:net').createServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  process.once('message', () => {
    const env = { ...process.env };
    delete env.NODE_CHANNEL_FD;
    delete env.NODE_CHANNEL_SERIALIZATION_MODE;
    const proxy = 'http://127.0.0.1:' + port;
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']) env[name] = proxy;
    env.no_proxy = env.NO_PROXY = 'localhost,127.0.0.1,::1';
    env.NODE_USE_ENV_PROXY = '1';
    process.execve(program, [program, ...words], env);
  });
  process.send('listening', server);
});
`;

/** `command` with such a listener; undefined where this Node is no program that could open it. */
export const listenInside = (command: readonly string[]): string[] | undefined =>
  path.isAbsolute(command[0] ?? '') ? [process.execPath, '--no-warnings', '-e', LISTEN, '--', ...command] : undefined;

/** The descriptor of the channel to halter, as `child_process` numbers it. */
export const CHANNEL = 3;

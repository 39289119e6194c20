/** Opens an address in the person's browser, on their word alone. No shell sees the address. */
import { spawn } from 'node:child_process';
import type { Io } from './io.ts';

const opener = (platform: NodeJS.Platform): readonly [string, ...string[]] =>
  platform === 'darwin' ? ['open'] : platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];

export const openInBrowser = (url: string, io: Pick<Io, 'env' | 'stderr'>): void => {
  const [command, ...args] = opener(process.platform);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, env: { ...io.env } });
  child.on('error', () => io.stderr.write('halter: no browser could be opened; open the address above yourself\n'));
  child.unref();
};

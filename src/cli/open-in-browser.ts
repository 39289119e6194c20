/** Opens an address in the person's browser, on their word alone. No shell sees the address. */
import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { desktopEnvironment } from '../io/processes.ts';
import type { Io } from './io.ts';

const opener = (platform: NodeJS.Platform): readonly [string, ...string[]] =>
  platform === 'darwin' ? ['open'] : platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];

const start = (address: string, { env }: Pick<Io, 'env'>): Promise<boolean> =>
  new Promise((resolve) => {
    const [command, ...args] = opener(process.platform);
    const child = spawn(command, [...args, address], {
      stdio: 'ignore',
      detached: true,
      env: desktopEnvironment(env),
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });

/** False where the system has nothing that opens it, and for what is no address of the web: that would start programs. */
export const openInBrowser = async (url: string, io: Pick<Io, 'env'>): Promise<boolean> =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && (await start(url, io));

/** A page that halter wrote itself, by its path. Nothing that came from elsewhere may be given here. */
export const openOwnPage = (path: string, io: Pick<Io, 'env'>): Promise<boolean> => start(pathToFileURL(path).href, io);

/** The same, with a word on standard error where it cannot be. */
export const openOrSay = async (url: string, io: Pick<Io, 'env' | 'stderr'>): Promise<void> => {
  if (!(await openInBrowser(url, io)))
    io.stderr.write('halter: no browser could be opened; open the address above yourself\n');
};

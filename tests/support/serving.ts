/** `halter serve` as a process of its own: the address that it prints, and requests with its token. */
import { type Running, type RunOptions, startHalter } from './halter-process.ts';

export type Serving = Running & {
  /** As printed, with the token in it unless that was given. */
  line: string;
  /** The address without the token and without a path. */
  base: string;
  token: string;
  /** A request with the token; with a body it is sent as JSON. */
  call(method: string, path: string, body?: object): Promise<Response>;
};

/** What a running `halter serve` printed, and requests to it. */
export const reached = async (running: Running, given = ''): Promise<Serving> => {
  let line = '';
  await new Promise<void>((resolve, reject) => {
    running.child.stdout?.on('data', (text: string) => {
      line += text;
      if (line.includes('\n')) resolve();
    });
    running.finished.then(({ err }) => reject(new Error(`halter serve ended:\n${err}`)), reject);
  });
  const { origin, searchParams } = new URL(line.trim());
  const token = searchParams.get('token') ?? given;
  return {
    ...running,
    line,
    base: origin,
    token,
    call: (method, path, body) =>
      fetch(`${origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
  };
};

export const serving = (args: readonly string[] = [], options: RunOptions = {}): Promise<Serving> =>
  reached(startHalter(['serve', '--port', '0', ...args], options), options.env?.['HALTER_TOKEN']);

/** Starts one of the bench's processes and speaks to it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const TOKEN = 'a-token-of-the-bench';

export type Part = { child: ChildProcess; port: number; ask<T>(question: string): Promise<T> };

export const start = async (role: string, ...args: string[]): Promise<Part> => {
  const child = fork(new URL('./parts.ts', import.meta.url), [role, ...args], { execArgv: ['--expose-gc'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    child,
    port,
    async ask(question) {
      child.send(question);
      const [answer] = await once(child, 'message');
      return answer as never;
    },
  };
};

export const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
export const post = (port: number, path: string, body: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

/** `halter serve` as a process of its own, as a person starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cleanEnvironment } from '../../support/halter-process.ts';
import { MAIN } from '../../support/program.ts';

export type Served = {
  /** With the token in it. */
  url: string;
  /** Ends it by this signal, and comes back when it is gone. */
  close(signal?: NodeJS.Signals): Promise<void>;
};

const untilUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: string): void => {
      said += chunk;
      const url = /http:\/\/\S+\?token=\S+/.exec(said)?.[0];
      if (url) resolve(url);
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    child.once('close', () => reject(new Error(`halter serve ended:\n${said}`)));
  });

export const serve = async (
  modelUrl: string,
  folder: string,
  home: string,
  flags: readonly string[] = [],
  port = 0,
  provider: 'openai' | 'ollama' = 'openai',
): Promise<Served> => {
  const model = ['--provider', provider, '--base-url', modelUrl, '-m', 'test-model'];
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', String(port), ...model, ...flags], {
    cwd: folder,
    env: cleanEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await untilUrl(child);
  return {
    url,
    async close(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill(signal);
      await ended;
    },
  };
};

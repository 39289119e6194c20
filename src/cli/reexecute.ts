// Started under an old Node: goes on under the one that came with the packages. Written in what Node 12.20 can read.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const NEEDED_MAJOR = 24;
const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SIGNAL_NUMBERS: { [name: string]: number } = { SIGKILL: 9, SIGSEGV: 11 };
/** Also where the signal comes before the child has learned to take it. */
const INTERRUPTED_EXIT = 130;

const findNode = (): string | undefined => {
  const windows = process.platform === 'win32';
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const file = join(folder, 'bin', windows ? 'node.exe' : 'node');
    return existsSync(file) ? file : undefined;
  } catch (_error) {
    return undefined;
  }
};

const giveUp = (): void => {
  process.stderr.write(
    `halter: the program needs Node ${NEEDED_MAJOR} or newer, and this is ${process.version}. ` +
      'Install it from https://nodejs.org and start halter again.\n' +
      'halter: the library needs Node 20.19: `import "halter"` works with this one where it is not older.\n',
  );
  process.exit(1);
};

/** The channel is how the child learns that this process is gone, even by KILL (see parent-watch.ts). */
export const main = (): void => {
  const node = findNode();
  // The mark keeps a package that holds the wrong Node from starting itself for ever.
  if (node === undefined || process.env['HALTER_REEXECUTED'] !== undefined) {
    giveUp();
    return;
  }
  const child = spawn(node, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: Object.assign({}, process.env, { HALTER_REEXECUTED: '1' }),
  });
  SIGNALS.forEach((signal) => {
    process.on(signal, () => {
      child.kill(signal);
    });
  });
  child.on('error', giveUp);
  child.on('exit', (code, signal) => {
    if (code !== null) process.exit(code);
    if (signal && SIGNALS.indexOf(signal) !== -1) process.exit(INTERRUPTED_EXIT);
    process.exit(128 + ((signal && SIGNAL_NUMBERS[signal]) || 0));
  });
};

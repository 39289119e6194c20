/** A folder in which a line that should not run leaves a CANARY, and a sandbox that runs lines there. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const BUBBLEWRAP = '/usr/bin/bwrap';
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8' };

/** A repository with a change in it, scripts that leave the mark, and what the lines of the catalogue name. */
export { fillShellFolder as makeScene } from '../../conformance/attacks/shell-folder.ts';

/**
 * Runs each line in the folder, in one sandbox, and says which of them left or changed a file. A line gets a second;
 * what it leaves running ends with the sandbox. Each line runs in bash as the tool runs it.
 */
export const runLines = (folder: string, lines: readonly string[]): Set<number> => {
  // A NUL ends a line: no command can hold one.
  const list = path.join(path.dirname(folder), 'lines');
  fs.writeFileSync(list, lines.map((line) => `${line}\0`).join(''));
  const script = `
    before=$(find . -path ./.git -prune -o -printf '%p %s %m\\n' | sort)
    number=0
    while IFS= read -r -d '' line; do
      timeout -s KILL 1 bash -c -- "$line" </dev/null >/dev/null 2>&1
      after=$(find . -path ./.git -prune -o -printf '%p %s %m\\n' | sort)
      if [ "$before" != "$after" ]; then
        echo "$number"
        rm -rf CANARY
        before=$(find . -path ./.git -prune -o -printf '%p %s %m\\n' | sort)
      fi
      number=$((number + 1))
    done < ${list}
    echo end
  `;
  const flags =
    '--die-with-parent --new-session --unshare-pid --unshare-net --unshare-ipc --ro-bind / / --dev /dev --proc /proc'.split(
      ' ',
    );
  const mounts = ['--tmpfs', '/tmp', '--bind', folder, folder, '--ro-bind', list, list, '--chdir', folder];
  const result = spawnSync(BUBBLEWRAP, [...flags, ...mounts, '--', '/bin/bash', '-c', script], {
    env: ENVIRONMENT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const words = result.stdout.split('\n').filter((word) => word !== '');
  if (words.pop() !== 'end') throw new Error(`the sandbox ended early: ${result.stderr}`);
  return new Set(words.map(Number));
};

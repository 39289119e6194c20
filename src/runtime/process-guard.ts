/**
 * A tiny process that outlives halter by a moment. It reads from a pipe which groups of processes are running; when the
 * pipe ends – because halter ended, was hung up on, or was killed – it ends those groups. Nothing else can do this:
 * a process that gets SIGKILL runs no code of its own, and Node offers no parent-death signal.
 *
 * It is a shell script because that starts in a millisecond and costs 1 MB, where a second Node would cost forty.
 */
import { type ChildProcess, spawn } from 'node:child_process';

/**
 * A child that left its group (setsid, daemons) is found by a mark in its environment, where the system has /proc.
 * The second scan catches what was started while the first was under way.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT
mark=$1; grace=$2; groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
end() {
  found=
  for group in $groups; do kill -s "$1" -- "-$group" && found=1; done
  if [ -d /proc/self ]; then
    for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      kill -s "$1" -- "\${pid%/environ}" && found=1
    done
  fi
} 2>/dev/null
end TERM
[ -n "$found" ] || exit 0
sleep "$grace"
end KILL
end KILL
`;

export type ProcessGuard = {
  /** Starts the guard where it does not run; `add` does so too, but a child should not have to wait for it. */
  start(): void;
  add(group: number): void;
  remove(group: number): void;
  /** Ends the guard, and with it every group that is still on its list. */
  close(): void;
};

export type ProcessGuardOptions = {
  /** `NAME=value` as it stands in the environment of every child, or the start of it. */
  mark: string;
  killGraceMs: number;
};

/** Starts nothing until the first child is due; starts again where the guard itself was ended. */
export const createProcessGuard = (options: ProcessGuardOptions): ProcessGuard => {
  const groups = new Set<number>();
  let guard: ChildProcess | undefined;

  const start = (): ChildProcess => {
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'halter-guard', options.mark, String(options.killGraceMs / 1000)], {
      // Its own session: a hang-up of the terminal must not reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    });
    const forget = () => {
      if (guard === child) guard = undefined;
    };
    child.on('error', forget);
    child.on('exit', forget);
    child.stdin?.on('error', forget);
    // Neither the guard nor its pipe may keep halter alive.
    child.unref();
    (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
    return child;
  };
  const ensure = (): ChildProcess => {
    if (guard === undefined) {
      guard = start();
      // A guard that was ended from outside is followed by one that knows what it knew.
      for (const group of groups) guard.stdin?.write(`+ ${group}\n`);
    }
    return guard;
  };

  return {
    start: () => void ensure(),
    add: (group) => {
      const running = ensure();
      groups.add(group);
      running.stdin?.write(`+ ${group}\n`);
    },
    remove: (group) => {
      groups.delete(group);
      guard?.stdin?.write(`- ${group}\n`);
    },
    close: () => {
      groups.clear();
      guard?.stdin?.end();
      guard = undefined;
    },
  };
};

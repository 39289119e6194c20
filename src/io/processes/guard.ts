/**
 * A tiny process that outlives halter by a moment. It reads from a pipe which groups of processes are running; when the
 * pipe ends – because halter ended, was hung up on, or was killed – it ends those groups. Nothing else can do this:
 * a process that gets SIGKILL runs no code of its own, and Node offers no parent-death signal.
 *
 * It is a shell script because that starts in a millisecond and costs 1 MB, where a second Node would cost forty.
 */
import { type ChildProcess, spawn } from 'node:child_process';

/**
 * A child that left its group (setsid, daemons) is found by a mark in its environment, and one that was started with an
 * empty environment by its descent, where the system has /proc. Both are looked for before anybody is ended, since an
 * orphan descends from nobody. The later scans catch what was started while the first was under way.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT
mark=$1; grace=$2; groups=' '; found=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
    =) found="$found$group " ;;
  esac
done
look() {
  [ -d /proc/self ] || return
  for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    found="$found\${pid%/environ} "
  done
  grew=yes
  while [ -n "$grew" ]; do
    grew=
    for file in /proc/[0-9]*/stat; do
      read -r line < "$file" || continue
      pid=\${file#/proc/}; pid=\${pid%/stat}
      case $found in *" $pid "*) continue ;; esac
      set -- \${line##*) }
      case $1 in Z) continue ;; esac
      case $groups$found in
        *" $2 "*) ;;
        *) case $groups in *" $3 "*) ;; *) continue ;; esac ;;
      esac
      found="$found$pid "; grew=yes
    done
  done
} 2>/dev/null
end() {
  some=
  for group in $groups; do kill -s "$1" -- "-$group" && some=yes; done
  for pid in $found; do kill -s "$1" -- "$pid" && some=yes; done
} 2>/dev/null
look
end TERM
[ -n "$some" ] || exit 0
sleep "$grace"
look
end KILL
look
end KILL
`;

export type ProcessGuard = {
  /** Starts the guard where it does not run; `add` does so too, but a child should not have to wait for it. */
  start(): void;
  add(group: number): void;
  remove(group: number): void;
  /** One process that has no group of its own, with what it starts. */
  follow(pid: number): void;
  /** Ends the guard, and with it every group that is still on its list. */
  close(): void;
  /** Ends the guard alone. */
  dismiss(): void;
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
    follow: (pid) => {
      ensure().stdin?.write(`= ${pid}\n`);
    },
    close: () => {
      groups.clear();
      guard?.stdin?.end();
      guard = undefined;
    },
    dismiss: () => {
      groups.clear();
      guard?.kill('SIGKILL');
      guard = undefined;
    },
  };
};

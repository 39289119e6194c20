/**
 * Bubblewrap's flags for a policy (L11). The whole system is read-only; the workspace is put over it writable; what is
 * protected is put over that, read-only again. A folder that holds something protected is a mount of its own, since a
 * folder can be renamed together with the mounts inside it, but a mount cannot.
 */
import { lstatSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SANDBOX_LIMITS } from './limits.ts';
import { holdPlace, isPlaceholder, leavePlace } from './placeholders.ts';
import type { SandboxPolicy } from './policy.ts';

type Mount = { path: string; flags: readonly string[] };

/** What of a repository decides what git runs. Its objects, index and references stay writable, so that commits work. */
const GIT_SETTINGS = ['config', 'config.worktree', 'hooks', 'modules', 'worktrees', 'info', 'description'];
/** Folders of sockets: through them a process could ask others to do what it may not do itself. */
const SOCKETS = ['/run', '/var/run'];
const NEEDED_OF_RUN = ['/run/current-system', '/run/wrappers', '/run/opengl-driver'];
const NAME_SERVICE = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager', '/run/connman'];
/**
 * What root keeps inside, so that files of other owners in the workspace can be worked on. Everything that could undo
 * the mounts (SYS_ADMIN), go round them (DAC_READ_SEARCH) or reach devices (MKNOD) is gone.
 */
const ROOT_KEEPS = [
  'CAP_DAC_OVERRIDE',
  'CAP_CHOWN',
  'CAP_FOWNER',
  'CAP_FSETID',
  'CAP_SETUID',
  'CAP_SETGID',
  'CAP_KILL',
];
const NOT_INSIDE = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
];

/** The home folder is read-only, so what programs keep there is led to /tmp. */
const WRITABLE_PLACES: Readonly<Record<string, string>> = {
  TMPDIR: '/tmp',
  XDG_CACHE_HOME: '/tmp/.cache',
  XDG_STATE_HOME: '/tmp/.state',
  npm_config_cache: '/tmp/.cache/npm',
  npm_config_update_notifier: 'false',
  YARN_CACHE_FOLDER: '/tmp/.cache/yarn',
  PYTHON_HISTORY: '/tmp/.python_history',
};

/** A command that runs confined, and what is to be done once it has ended. */
export type Confined = { command: string[]; release(): void };

export const bubblewrapCommand = (program: string, command: readonly string[], policy: SandboxPolicy): Confined => {
  const { mounts, placeholders, unwanted } = mountsOf(policy);
  const root = process.getuid?.() === 0;
  const flags = [
    '--die-with-parent',
    '--new-session',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(policy.network ? [] : ['--unshare-net']),
    ...(root ? ['--cap-drop', 'ALL', ...ROOT_KEEPS.flatMap((name) => ['--cap-add', name])] : []),
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...mounts.flatMap(({ flags: each }) => each),
    ...NOT_INSIDE.flatMap((name) => ['--unsetenv', name]),
    ...Object.entries(WRITABLE_PLACES).flatMap(([name, place]) => ['--setenv', name, place]),
    '--chdir',
    policy.cwd ?? policy.workspace,
  ];
  let released = false;
  return {
    command: [program, ...flags, '--', ...command],
    release: () => {
      if (released) return;
      released = true;
      for (const folder of placeholders) leavePlace(folder);
      for (const file of unwanted) rmSync(file, { recursive: true, force: true });
    },
  };
};

const mountsOf = (policy: SandboxPolicy): { mounts: Mount[]; placeholders: string[]; unwanted: string[] } => {
  const writable = [policy.workspace, ...(policy.writable ?? [])].filter(
    (folder) => folder !== '/' && kindOf(folder) === 'folder',
  );
  const isWritable = (file: string): boolean => writable.some((folder) => isInside(folder, file));
  const mounts = new Map<string, Mount>();
  const placeholders: string[] = [];
  const unwanted: string[] = [];
  const put = (at: string, ...flags: string[]): void => void mounts.set(at, { path: at, flags });

  for (const folder of ['/tmp', '/var/tmp']) if (kindOf(folder) === 'folder') put(folder, '--tmpfs', folder);
  if (policy.temporary !== undefined) put('/tmp', '--bind', policy.temporary, '/tmp');
  for (const folder of SOCKETS) if (kindOf(folder) === 'folder') put(folder, '--tmpfs', folder);
  for (const folder of [...NEEDED_OF_RUN, ...(policy.network ? NAME_SERVICE : [])]) {
    if (kindOf(folder) !== undefined) put(folder, '--ro-bind', folder, folder);
  }
  for (const folder of writable) put(folder, '--bind', folder, folder);

  const protect = (file: string): void => {
    if (!isWritable(file) || mounts.size > SANDBOX_LIMITS.protectedPaths) return;
    const parents = foldersBetween(writable, file);
    const missing = parents.find(isMissing);
    const kind = missing === undefined && !isMissing(file) ? kindOf(file) : undefined;
    for (const folder of parents) {
      if (folder === missing) break;
      if (!mounts.has(folder)) put(folder, '--bind', folder, folder);
    }
    const target = missing ?? file;
    if (mounts.get(target)?.flags[0] === '--ro-bind') return;
    if (kind === 'file' || kind === 'folder') put(target, '--ro-bind', target, target);
    else if (kind === 'link') protectTarget(target);
    else if (kind === undefined) {
      // Nothing can be made where a read-only folder stands.
      if (placeholders.includes(target) || !holdPlace(target)) return;
      put(target, '--tmpfs', target, '--remount-ro', target);
      placeholders.push(target);
    }
  };
  /** No mount can stand on a link itself; what it leads to is protected where that can be written to. */
  const protectTarget = (link: string): void => {
    try {
      const target = realpathSync.native(link);
      if (isWritable(target)) put(target, '--ro-bind', target, target);
    } catch {
      // It leads nowhere.
    }
  };
  for (const file of policy.protected) {
    if (
      path.basename(file) === '.git' &&
      kindOf(file) === 'folder' &&
      !isPlaceholder(file) &&
      policy.gitReadOnly !== true
    ) {
      for (const name of GIT_SETTINGS)
        if (name === 'hooks' || kindOf(path.join(file, name)) !== undefined) protect(path.join(file, name));
      // It would lead git to settings elsewhere, and git fails where a folder stands in its place.
      const common = path.join(file, 'commondir');
      if (isWritable(common) && kindOf(common) === undefined) unwanted.push(common);
      else protect(common);
    } else protect(file);
  }
  for (const file of policy.hidden) {
    const kind = kindOf(file);
    if (kind === 'folder') put(file, '--tmpfs', file, '--remount-ro', file);
    else if (kind === 'file') put(file, '--ro-bind', '/dev/null', file);
  }
  // What lies deeper comes later, over what it lies in.
  const depth = (mount: Mount): number => mount.path.split('/').length;
  return { mounts: [...mounts.values()].sort((a, b) => depth(a) - depth(b)), placeholders, unwanted };
};

const isInside = (folder: string, file: string): boolean => file.startsWith(`${folder}/`);

/** Folders below a writable one that lead to the file, from the top. */
const foldersBetween = (writable: readonly string[], file: string): string[] => {
  const top = writable.filter((folder) => isInside(folder, file)).sort((a, b) => b.length - a.length)[0] as string;
  const parts = path
    .relative(top, path.dirname(file))
    .split('/')
    .filter((part) => part !== '');
  return parts.map((_, index) => path.join(top, ...parts.slice(0, index + 1)));
};

const isMissing = (file: string): boolean => kindOf(file) === undefined || isPlaceholder(file);

/** A link is neither: a mount would land on what it leads to. */
const kindOf = (file: string): 'file' | 'folder' | 'link' | undefined => {
  try {
    const stat = lstatSync(file);
    return stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'file';
  } catch {
    return undefined;
  }
};

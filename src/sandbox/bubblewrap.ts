/**
 * Bubblewrap's flags for a policy (L11). The whole system is read-only; the workspace is put over it writable; what is
 * protected is put over that, read-only again. A folder that holds something protected is a mount of its own, since a
 * folder can be renamed together with the mounts inside it, but a mount cannot.
 */
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { seenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import type { SandboxPolicy } from './policy.ts';

type Mount = { path: string; flags: readonly string[] };

/** What of a repository decides what git runs. Its objects, index and references stay writable, so that commits work. */
const GIT_SETTINGS = ['config', 'config.worktree', 'hooks', 'modules', 'worktrees', 'info', 'commondir', 'description'];
/** Folders of sockets: through them a process could ask others to do what it may not do itself. */
const SOCKETS = ['/run', '/var/run'];
/** Folders that are a command's own inside. */
const PRIVATE = ['/tmp', '/var/tmp'];
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

/** Parts of /proc that reach further than the command's own processes. */
const PROC_READ_ONLY = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi'];
const PROC_HIDDEN = ['/proc/kcore', '/proc/keys', '/proc/key-users', '/proc/timer_list', '/proc/sched_debug'];
/** The descriptor that the filter of system calls is read from. */
export const FILTER_DESCRIPTOR = 9;

export const bubblewrapCommand = (program: string, command: readonly string[], policy: SandboxPolicy): string[] => {
  const root = process.getuid?.() === 0;
  const flags = [
    '--die-with-parent',
    '--new-session',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(policy.network ? [] : ['--unshare-net']),
    ...(root ? ['--cap-drop', 'ALL', ...ROOT_KEEPS.flatMap((name) => ['--cap-add', name])] : ownUser(policy)),
    ...(policy.filtered ? ['--seccomp', String(FILTER_DESCRIPTOR)] : []),
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...PROC_READ_ONLY.flatMap((file) => ['--ro-bind-try', file, file]),
    ...PROC_HIDDEN.flatMap((file) => (kindOf(file) === 'file' ? ['--ro-bind-try', '/dev/null', file] : [])),
    ...mountsOf(policy).flatMap(({ flags: each }) => each),
    ...NOT_INSIDE.flatMap((name) => ['--unsetenv', name]),
    ...Object.entries({ ...WRITABLE_PLACES, ...policy.variables }).flatMap(([name, place]) => [
      '--setenv',
      name,
      place,
    ]),
    '--chdir',
    policy.cwd ?? policy.workspace,
  ];
  return [program, ...flags, '--', ...command];
};

/** An ordinary user stays who they are, and can make no user namespace in which they would be root. */
const ownUser = ({ nestedUsers }: SandboxPolicy): string[] => [
  '--unshare-user',
  ...['--uid', String(process.getuid?.() ?? 0), '--gid', String(process.getgid?.() ?? 0)],
  ...(nestedUsers ? [] : ['--disable-userns']),
];

const mountsOf = (policy: SandboxPolicy): Mount[] => {
  const writable = [policy.workspace, ...(policy.writable ?? [])].filter(
    (folder) => folder !== '/' && kindOf(folder) === 'folder',
  );
  // Over a layer nothing has to be protected: what is written there is judged before it counts.
  const layers = new Map((policy.layers ?? []).map((layer) => [layer.root, seenFolder(layer)]));
  const guarded = writable.filter((folder) => !layers.has(folder));
  const isGuarded = (file: string): boolean => guarded.some((folder) => isInside(folder, file));
  const mounts = new Map<string, Mount>();
  const put = (at: string, ...flags: string[]): void => void mounts.set(at, { path: at, flags });

  for (const folder of PRIVATE) if (kindOf(folder) === 'folder') put(folder, '--tmpfs', folder);
  if (policy.temporary !== undefined) put('/tmp', '--bind', policy.temporary, '/tmp');
  for (const folder of SOCKETS) if (kindOf(folder) === 'folder') put(folder, '--tmpfs', folder);
  for (const folder of [...NEEDED_OF_RUN, ...(policy.network ? NAME_SERVICE : [])]) {
    if (kindOf(folder) !== undefined) put(folder, '--ro-bind', folder, folder);
  }
  for (const file of policy.programs ?? []) {
    const isReplaced = [...PRIVATE, ...SOCKETS].some((folder) => isInside(folder, file));
    const isThere = kindOf(file) === 'file' && !writable.some((folder) => isInside(folder, file));
    if (isReplaced && isThere) put(file, '--ro-bind', file, file);
  }
  const views = [...(policy.outside ?? []), ...(policy.home ? [policy.home] : [])];
  for (const { folder } of views) put(folder, '--tmpfs', folder);
  // What holds keys is not shown by being named.
  const isKept = (file: string): boolean => policy.hidden.some((each) => each === file || isInside(each, file));
  const shown = views.flatMap((view) => view.shown).filter((file) => !isKept(file));
  for (const file of shown) put(file, '--ro-bind-try', file, file);
  const replaced = [...PRIVATE, ...SOCKETS, ...views.map(({ folder }) => folder)];
  for (const folder of policy.readable ?? []) {
    const isWritable = writable.some((each) => each === folder || isInside(each, folder));
    const isReplaced = replaced.some((each) => isInside(each, folder));
    if (isReplaced && !isWritable && !isKept(folder)) put(folder, '--ro-bind', folder, folder);
  }
  for (const file of policy.sockets ?? []) put(file, '--ro-bind', '/dev/null', file);
  for (const folder of writable) put(folder, '--bind', layers.get(folder) ?? folder, folder);

  /** A folder that holds something protected is a mount of its own, since a mount cannot be renamed. */
  const protect = (file: string): void => {
    const kind = kindOf(file);
    if (kind === undefined || !isGuarded(file) || mounts.size > SANDBOX_LIMITS.protectedPaths) return;
    for (const folder of foldersBetween(guarded, file)) if (!mounts.has(folder)) put(folder, '--bind', folder, folder);
    if (kind !== 'link') put(file, '--ro-bind', file, file);
    else protectTarget(file);
  };
  /** No mount can stand on a link itself; what it leads to is protected where that can be written to. */
  const protectTarget = (link: string): void => {
    try {
      const target = realpathSync.native(link);
      if (isGuarded(target)) put(target, '--ro-bind', target, target);
    } catch {
      // It leads nowhere.
    }
  };
  for (const file of policy.protected) {
    const isRepository = path.basename(file) === '.git' && kindOf(file) === 'folder' && policy.gitReadOnly !== true;
    if (isRepository) for (const name of GIT_SETTINGS) protect(path.join(file, name));
    else protect(file);
  }
  const isSeen = (file: string): boolean =>
    !views.some(({ folder }) => isInside(folder, file)) ||
    [...shown, ...writable].some((each) => each === file || isInside(each, file));
  for (const file of policy.hidden) {
    const kind = isSeen(file) ? kindOf(file) : undefined;
    if (kind === 'folder') put(file, '--tmpfs', file, '--remount-ro', file);
    else if (kind === 'file') put(file, '--ro-bind', '/dev/null', file);
  }
  for (const file of policy.denied ?? []) {
    const isReplaced = [...PRIVATE, ...SOCKETS].some((folder) => isInside(folder, file));
    if (!isReplaced && isSeen(file) && kindOf(file) === 'file') put(file, '--ro-bind', '/dev/null', file);
  }
  // What lies deeper comes later, over what it lies in.
  const depth = (mount: Mount): number => mount.path.split('/').length;
  const sorted = [...mounts.values()].sort((a, b) => depth(a) - depth(b));
  // Only when every place in it has been made.
  const closed = views.map(({ folder }) => ({ path: folder, flags: ['--remount-ro', folder] }));
  return [...sorted, ...closed];
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

/** A link is neither: a mount would land on what it leads to. */
const kindOf = (file: string): 'file' | 'folder' | 'link' | undefined => {
  try {
    const stat = lstatSync(file);
    return stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'file';
  } catch {
    return undefined;
  }
};

/** E4: how busy the machine is. */

import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import { ok } from '../core/tool-result.ts';
import { loadPackage } from '../disk/load-package.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { refuse } from './support/refuse.ts';

type Disk = { mount: string; size: number; used: number; use: number };

/** The disk that holds the workspace: the longest mount point that it lies below. */
const diskOf = (root: string, disks: readonly Disk[]): Disk | undefined =>
  disks
    .filter(({ mount }) => root === mount || root.startsWith(mount.endsWith('/') ? mount : `${mount}/`))
    .sort((left, right) => right.mount.length - left.mount.length)[0] ?? disks[0];

const percent = (value: number): number => Math.min(100, Math.max(0, Math.round(value * 10) / 10));
const gigabytes = (bytes: number): number => Math.round(bytes / 1e8) / 10;

const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });

export const systemStats = builtIn({
  name: 'system_stats',
  description: 'CPU, memory and disk use of this machine, in percent.',
  risk: 'safe',
  effects: 'none',
  polling: true,
  dispensable: true,
  parameters: { type: 'object', properties: {} },
  async run(_args, context) {
    const loaded = await loadPackage(OUTSIDE_PACKAGES.system, () => import('systeminformation'));
    if (!loaded.ok) return refuse(loaded.error);
    const { currentLoad, fsSize, mem } = loaded.value;
    // Load is what happened between two looks; the first one looks back to the start of the machine.
    await currentLoad();
    const [memory, disks] = await Promise.all([mem(), fsSize(), wait(TOOL_LIMITS.statsIntervalMs, context.signal)]);
    const load = await currentLoad();
    const disk = diskOf(context.workspace.root, disks);
    return ok({
      cpu_percent: percent(load.currentLoad),
      memory_percent: percent(((memory.total - memory.available) / memory.total) * 100),
      ...(disk === undefined ? {} : { disk_percent: percent(disk.use) }),
      cpu_cores: load.cpus.length,
      memory_total_gb: gigabytes(memory.total),
      memory_available_gb: gigabytes(memory.available),
      ...(disk === undefined
        ? {}
        : { disk_mount: disk.mount, disk_total_gb: gigabytes(disk.size), disk_used_gb: gigabytes(disk.used) }),
    });
  },
});

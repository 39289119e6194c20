import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { webWorld } from '../../tests/support/web-world.ts';
import { systemStats } from './system-stats.ts';

it('system_stats tells CPU, memory and disk in percent', async () => {
  verifies('E4');
  const { call } = await webWorld(() => {});
  const result = await call(systemStats, {});
  const stats = JSON.parse(result.data ?? '') as Record<string, number>;
  for (const name of ['cpu_percent', 'memory_percent', 'disk_percent']) {
    expect(stats[name], name).toBeGreaterThanOrEqual(0);
    expect(stats[name], name).toBeLessThanOrEqual(100);
  }
  expect(stats['memory_percent']).toBeGreaterThan(0);
  expect(systemStats).toMatchObject({ risk: 'safe', polling: true });
});

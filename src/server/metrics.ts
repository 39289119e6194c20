/** The figures of a process as text: what was counted, and what is the case now. */
import type { Agent } from '../agent/create-agent.ts';
import { withoutSecrets } from '../agent/telemetry/agent-metrics.ts';
import { METRICS_TYPES, Metrics, metricsFormat, metricsText } from '../agent/telemetry/metrics.ts';
import type { PlaceCount } from '../core/model-places.ts';
import type { QueueDepth } from '../core/storage-port.ts';

export type MetricsParts = {
  halter: Pick<Agent, 'metrics' | 'queue' | 'storage'>;
  version: string;
  uptimeSeconds: number;
  /** Of a process that knows it itself. */
  depth?(): Promise<QueueDepth>;
  /** More that is the case now: name, help and value. */
  gauges: readonly (readonly [name: string, help: string, value: number])[];
};

export const answerMetrics = async (request: Request, parts: MetricsParts): Promise<Response> => {
  const format = metricsFormat(request.headers.get('accept'));
  const now = new Metrics();
  const single = (name: string, help: string, value: number): void => now.gauge(name, help, () => [{ value }]);
  now.gauge('halter_build_info', 'The version of this process.', () => [
    { labels: { version: parts.version }, value: 1 },
  ]);
  single('halter_uptime_seconds', 'Seconds since the process started its work.', parts.uptimeSeconds);
  for (const [name, help, value] of parts.gauges) single(name, help, value);
  const { rss, heapUsed } = process.memoryUsage();
  single('process_resident_memory_bytes', 'Resident memory.', rss);
  single('nodejs_heap_used_bytes', 'Heap in use.', heapUsed);
  await addShared(now, parts);
  const text = metricsText(format, [parts.halter.metrics, now]);
  return new Response(text, { headers: { 'content-type': METRICS_TYPES[format] } });
};

/** What all processes of a database share; each of them says it. What cannot be asked now is left out. */
const addShared = async (now: Metrics, { halter, depth: own }: MetricsParts): Promise<void> => {
  const { jobs, ping, placeCounts } = halter.storage;
  if (ping === undefined) return;
  const ask = own ?? halter.queue?.depth;
  const isThere = (await ping()).ok;
  now.gauge('halter_database_up', 'Whether the database answers.', () => [{ value: Number(isThere) }]);
  if (!isThere) return;
  const [depth, failed, counts] = await Promise.all([ask?.().catch(() => undefined), jobs?.failed(), placeCounts?.()]);
  if (depth) addDepth(now, depth);
  if (failed?.ok) {
    now.gauge('halter_failed_jobs', 'Messages that workers died with.', () => [{ value: failed.value.length }]);
  }
  if (counts?.ok) addPlaces(now, counts.value);
};

const addDepth = (now: Metrics, { waiting, running, oldestWaitingMs, unserved }: QueueDepth): void => {
  now.gauge('halter_queue_jobs', 'Jobs in the queue of the workers.', () => [
    { labels: { state: 'waiting' }, value: waiting },
    { labels: { state: 'running' }, value: running },
  ]);
  now.gauge('halter_queue_oldest_waiting_seconds', 'How long the oldest job has waited.', () => [
    { value: oldestWaitingMs / 1_000 },
  ]);
  now.gauge('halter_queue_unserved_jobs', 'Waiting jobs of folders that no worker works for.', () => [
    { value: unserved.reduce((sum, { jobs }) => sum + jobs, 0) },
  ]);
};

const addPlaces = (now: Metrics, counts: readonly PlaceCount[]): void =>
  now.gauge('halter_model_places', 'Requests at each model server, and those that wait for one.', () =>
    counts.flatMap(({ server, running, waiting }) => [
      { labels: { endpoint: withoutSecrets(server), state: 'running' }, value: running },
      { labels: { endpoint: withoutSecrets(server), state: 'waiting' }, value: waiting },
    ]),
  );

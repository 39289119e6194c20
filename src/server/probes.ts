/** What a worker answers over HTTP: whether it is there, whether it can do its work, and its figures. Nothing else. */
import { createReadiness, type ReadinessParts } from '../agent/readiness.ts';
import type { QueueDepth } from '../core/storage-port.ts';
import { ApiError } from './api-error.ts';
import { createGuard } from './guard.ts';
import { answerMetrics } from './metrics.ts';
import { withHeaders } from './respond.ts';
import { json } from './route.ts';

export type ProbesOptions = {
  halter: ReadinessParts['halter'] & Parameters<typeof answerMetrics>[1]['halter'];
  depth(): Promise<QueueDepth>;
  /** Conversations that run in this process now. */
  running(): number;
  version: string;
  /** Asked of `/metrics`; undefined: whoever reaches it may read. */
  token: string | undefined;
  /** Names that mean this process in the Host header, besides those of the loopback interface. */
  hosts: readonly string[];
  anyAddress: boolean;
};

export const createProbes = (options: ProbesOptions): ((request: Request) => Promise<Response>) => {
  const { halter, depth, running, token, version, hosts, anyAddress } = options;
  const began = performance.now();
  const guard = createGuard({ token: token ?? '', hosts, anyAddress });
  const readiness = createReadiness({ halter, depth });
  const answer = async (request: Request): Promise<Response> => {
    if (request.method !== 'GET') {
      throw new ApiError(405, 'method_not_allowed', 'This route takes GET.', { allow: 'GET' });
    }
    switch (new URL(request.url).pathname) {
      case '/healthz':
        return json({ status: 'ok' });
      case '/readyz': {
        const { ready, checks } = await readiness();
        return json({ status: ready ? 'ready' : 'not_ready', checks }, ready ? 200 : 503);
      }
      case '/metrics':
        if (token !== undefined) guard.checkToken(request);
        return answerMetrics(request, {
          halter,
          version,
          depth,
          uptimeSeconds: (performance.now() - began) / 1_000,
          gauges: [['halter_conversations_running', 'Conversations that this worker runs.', running()]],
        });
      default:
        throw new ApiError(404, 'not_found', 'A worker has /healthz, /readyz and /metrics.');
    }
  };
  return async (request) => {
    try {
      guard.checkOrigin(request);
      return withHeaders(await answer(request), request, guard);
    } catch (error) {
      const told =
        error instanceof ApiError ? error : new ApiError(500, 'internal_error', 'This is a defect of halter.');
      return withHeaders(json(told.body(), told.status, told.headers), request, guard);
    }
  };
};

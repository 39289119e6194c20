/** Whether an agent can do its work now: what it keeps its sessions in, the queue of its workers, and its model server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueDepth } from '../core/storage-port.ts';
import type { Agent } from './create-agent.ts';
import { AGENT_LIMITS } from './limits.ts';

/** `unused`: nothing of the kind is used here, or nobody needed it yet. */
export type PartState = 'ok' | 'unused' | 'failed';
export type Readiness = { ready: boolean; checks: Readonly<Record<'database' | 'queue' | 'model', PartState>> };

export type ReadinessParts = {
  halter: Pick<Agent, 'storage' | 'models' | 'looksOn' | 'queue'>;
  /** Of a process that knows it itself. */
  depth?(): Promise<QueueDepth>;
};

const UNUSED: PartState = 'unused';

/** Asked again and again by whoever balances load, it looks at most once in a while. */
export const createReadiness = ({ halter, depth }: ReadinessParts): (() => Promise<Readiness>) => {
  let known: { at: number; readiness: Promise<Readiness> } | undefined;
  const look = async (): Promise<Readiness> => {
    const ask = depth ?? halter.queue?.depth;
    const { ping } = halter.storage;
    const [database, queue, model] = await Promise.all([
      ping === undefined ? UNUSED : stateOf(async () => (await ping()).ok),
      ask === undefined ? UNUSED : stateOf(async () => (await ask()).waiting >= 0),
      // Workers ask the model, and not who hands them the work.
      halter.looksOn ? UNUSED : modelState(halter),
    ]);
    const checks: Readiness['checks'] = { database, queue, model };
    return { ready: !Object.values(checks).includes('failed'), checks };
  };
  return () => {
    const now = performance.now();
    if (known === undefined || now - known.at > AGENT_LIMITS.readinessKeptMs) known = { at: now, readiness: look() };
    return known.readiness;
  };
};

const modelState = ({ models }: ReadinessParts['halter']): Promise<PartState> | PartState => {
  const answers = models.answers();
  return answers === undefined ? 'unused' : stateOf(async () => (await answers).ok);
};

const stateOf = async (look: () => Promise<boolean>): Promise<PartState> => {
  const late = new AbortController();
  try {
    const isThere = await Promise.race([
      look(),
      sleep(AGENT_LIMITS.readinessMs, false, { signal: late.signal, ref: false }),
    ]);
    return isThere ? 'ok' : 'failed';
  } catch {
    return 'failed';
  } finally {
    late.abort();
  }
};

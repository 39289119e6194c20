/**
 * The servers of a pool: which of them answer, and how much each has to do. One that failed is left alone until it
 * answers a question that costs nothing; one that has requests out and stops answering is taken for gone.
 */

import type { ModelProvider } from '../../core/model-port.ts';
import { PROVIDER_LIMITS } from '../limits.ts';

export type Member = {
  readonly name: string;
  readonly provider: ModelProvider;
  isUp(): boolean;
  /** A request goes to it; undefined where it is down. `gone` aborts when the server is found not to answer. */
  take(): { gone: AbortSignal; giveBack(): void } | undefined;
  /** A request failed in a way that says that the server is not there. */
  failed(): void;
  answered(): void;
};

export type MembersOptions = {
  providers: readonly ModelProvider[];
  probeMs?: number;
  /** A server went or came back. */
  onChange(): void;
};

export const createMembers = (options: MembersOptions): { all: readonly Member[]; close(): void } => {
  const { providers, probeMs = PROVIDER_LIMITS.poolProbeMs } = options;
  const members = providers.map((provider) => createMember(provider, options.onChange));
  let timer: NodeJS.Timeout | undefined;
  const closing = new AbortController();
  const look = async (): Promise<void> => {
    timer = undefined;
    await Promise.all(members.filter(({ needsLook }) => needsLook()).map(({ look: ask }) => ask(closing.signal)));
    watch();
  };
  /** Asks only while there is a reason to: a server is down, or has work. */
  const watch = (): void => {
    if (timer !== undefined || closing.signal.aborted || !members.some(({ needsLook }) => needsLook())) return;
    timer = setTimeout(() => void look(), probeMs);
    timer.unref();
  };
  for (const member of members) member.onWork = watch;
  return {
    all: members,
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
};

type Watched = Member & { onWork: () => void; needsLook(): boolean; look(signal: AbortSignal): Promise<void> };

const createMember = (provider: ModelProvider, onChange: () => void): Watched => {
  const out = new Set<AbortController>();
  let up = true;
  let misses = 0;
  const rise = (): void => {
    misses = 0;
    if (up) return;
    up = true;
    onChange();
  };
  const fall = (): void => {
    if (!up) return;
    up = false;
    for (const request of out) request.abort();
    onChange();
  };
  const member: Watched = {
    name: provider.endpoint,
    provider,
    onWork: () => {},
    isUp: () => up,
    take() {
      if (!up) return undefined;
      const request = new AbortController();
      out.add(request);
      member.onWork();
      return {
        gone: request.signal,
        giveBack: () => void out.delete(request),
      };
    },
    failed() {
      misses = PROVIDER_LIMITS.poolMisses;
      fall();
      member.onWork();
    },
    answered: rise,
    needsLook: () => !up || out.size > 0,
    async look(signal) {
      const asked = await provider.models(
        AbortSignal.any([signal, AbortSignal.timeout(PROVIDER_LIMITS.poolProbeTimeoutMs)]),
      );
      if (signal.aborted) return;
      // It answers, whatever it says: only silence and refused connections are its absence.
      if (asked.ok || !ABSENT.has(asked.error.code)) {
        rise();
        return;
      }
      misses += 1;
      if (misses >= PROVIDER_LIMITS.poolMisses) fall();
    },
  };
  return member;
};

const ABSENT: ReadonlySet<string> = new Set([
  'unreachable',
  'timeout',
  'disconnected',
  'cancelled',
  'rate_limited',
  'server_error',
]);

/** A server that says that it loads its model: the request waits until it is done, and says so. */
import type { ModelPart } from '../core/model-port.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { isLoading } from './model-errors.ts';
import { defaultSleep, type ProviderOptions } from './provider-options.ts';

type Waiting = {
  /** Answers with 503 for as long as the model is loaded. */
  url: string;
  headers: Record<string, string>;
  emit(part: ModelPart): void;
  signal: AbortSignal;
};

/** Whether the request is worth another try, as the refusal says that came first. */
export const waitUntilReady = (
  { network, sleep = defaultSleep }: Pick<ProviderOptions, 'network' | 'sleep'>,
  { url, headers, emit, signal }: Waiting,
) => {
  let poll = 0;
  let pauseMs: number | undefined;
  return async (status: number, body: string): Promise<boolean> => {
    if (!isLoading(status, body)) return false;
    // Many servers list their models while they load one: then only the request itself tells.
    if (pauseMs !== undefined && poll < PROVIDER_LIMITS.modelLoadingPolls) {
      pauseMs = Math.min(2 * pauseMs, PROVIDER_LIMITS.modelLoadingPollMsMax);
      // A longer pause stands for several looks: the limit is one of time.
      poll += pauseMs / PROVIDER_LIMITS.modelLoadingPollMs;
      emit({ type: 'loading', message: 'The server is still loading the model.' });
      await sleep(pauseMs, signal);
      return !signal.aborted;
    }
    for (; poll < PROVIDER_LIMITS.modelLoadingPolls && !signal.aborted; poll += 1) {
      emit({ type: 'loading', message: 'The server is loading the model.' });
      await sleep(PROVIDER_LIMITS.modelLoadingPollMs, signal);
      const result = await network.request({
        method: 'GET',
        url,
        headers,
        signal,
        connectTimeoutMs: PROVIDER_LIMITS.modelConnectTimeoutMs,
        firstByteTimeoutMs: PROVIDER_LIMITS.modelInformationTimeoutMs,
        maxResponseBytes: PROVIDER_LIMITS.modelInformationBytes,
      });
      if (!result.ok) return false;
      await result.value.text();
      if (result.value.status === 200) {
        pauseMs = PROVIDER_LIMITS.modelLoadingPollMs;
        return true;
      }
      if (result.value.status !== 503) return false;
    }
    return false;
  };
};

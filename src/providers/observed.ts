/** A provider that tells of each request when it is over: where it went, how long it took, and what came of it. */
import type { ModelProvider, RequestFigures } from '../core/model-port.ts';
import type { Clock } from '../core/ports.ts';

export const observedProvider = (
  provider: ModelProvider,
  clock: Pick<Clock, 'monotonic'>,
  onRequest: (figures: RequestFigures) => void,
): ModelProvider => ({
  ...provider,
  async stream(request, emit, signal) {
    const began = clock.monotonic();
    const since = (): number => (clock.monotonic() - began) / 1_000;
    let firstSeconds: number | undefined;
    const outcome = await provider.stream(
      request,
      (part) => {
        if (part.type.endsWith('_delta')) firstSeconds ??= since();
        emit(part);
      },
      signal,
    );
    const { endpoint } = provider;
    onRequest({
      endpoint,
      seconds: since(),
      ...(firstSeconds === undefined ? {} : { firstSeconds }),
      outcome: outcome.ok ? 'ok' : outcome.error.code,
      ...(outcome.ok && outcome.answer.usage ? { usage: outcome.answer.usage } : {}),
    });
    return outcome;
  },
});

/** One server that takes so many requests at a time: what is more waits for its turn, and hears where it stands. */
import { type ModelPlaces, type Place, type PlaceRequest, queueWords } from '../core/model-places.ts';
import type { ModelError, ModelPart, ModelProvider } from '../core/model-port.ts';
import type { Failure, Outcome } from '../core/outcome.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { cancelledError } from './model-errors.ts';
import { conversationKey } from './pool/affinity.ts';

type Asked = Pick<PlaceRequest, 'servers' | 'conversation' | 'signal'>;

/** Undefined: no server is left, or nobody wants the answer any more. */
export const waitForPlace = async (
  places: ModelPlaces,
  asked: Asked,
  emit: (part: ModelPart) => void,
): Promise<Outcome<Place | undefined, ModelError>> => {
  let hasWaited = false;
  const taken = await places.take({
    ...asked,
    onWaiting(before) {
      hasWaited = true;
      emit({ type: 'loading', message: queueWords(before), queue_position: before + 1 });
    },
  });
  if (!taken.ok) return { ok: false, error: noPlaceError(taken.error) };
  // What is read of the prompt begins now.
  if (hasWaited && taken.value) emit({ type: 'loading', message: 'asking the model', queue_position: 0 });
  return taken;
};

export const limitedProvider = (provider: ModelProvider, places: ModelPlaces): ModelProvider => ({
  ...provider,
  async stream(request, emit, signal) {
    const asked = {
      servers: () => [provider.endpoint],
      conversation: String(conversationKey(request.messages)),
      signal,
    };
    const place = await waitForPlace(places, asked, emit);
    if (!place.ok) return { ok: false, error: place.error, partial: false };
    if (place.value === undefined) return { ok: false, error: cancelledError(), partial: false };
    try {
      return await provider.stream(request, emit, signal);
    } finally {
      place.value.giveBack();
    }
  },
});

const noPlaceError = ({ reason, message }: Failure): ModelError =>
  reason === 'too_busy'
    ? {
        code: 'rate_limited',
        status: 429,
        retry_after_seconds: PROVIDER_LIMITS.fullQueueRetryS,
        message: `The model server is busy, and there is no place in its queue: ${message}.`,
        hint: 'Add a server to the pool, allow more requests at a time (setting models.max_requests), or let fewer conversations run at a time.',
      }
    : { code: 'server_error', message: `The queue of the model server cannot be reached: ${message}.` };

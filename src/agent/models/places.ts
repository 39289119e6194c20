/** Who may send a request to a model server now: of all processes that share a database, or of this agent alone. */
import type { ModelPlaces } from '../../core/model-places.ts';
import { currentRequester } from '../../io/requester.ts';
import { createPlaces } from '../../providers/index.ts';
import { PROVIDER_LIMITS } from '../../providers/limits.ts';
import type { Storage } from '../../storage/storage.ts';

/** Undefined: nobody set a limit, and nobody else sends requests. A pool then counts its own. */
export const placesOf = (
  maxRequests: number | undefined,
  storage: Pick<Storage, 'places'>,
): ModelPlaces | undefined => {
  const shared = storage.places?.(maxRequests ?? PROVIDER_LIMITS.poolRequestsPerServer);
  const places = shared ?? (maxRequests === undefined ? undefined : createPlaces(maxRequests));
  return places && bySession(places);
};

/** Turns are counted by session, where there is one. */
const bySession = (places: ModelPlaces): ModelPlaces => ({
  changed: () => places.changed(),
  counts: () => places.counts(),
  take: (request) => places.take({ ...request, conversation: currentRequester().session ?? request.conversation }),
});

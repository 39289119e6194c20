import type { App } from '../app-context.tsx';
import type { Answer } from '../state/api.ts';
import { tellKept } from '../state/kept-changes.ts';
import { keptQueue } from '../state/kept-queue.ts';

/** Deletes a session. Of the one that is shown it is known what was said in it, so what waited there comes back as not sent. */
export const removeSession = async (
  { api, sessionId, store, openSession }: Pick<App, 'api' | 'sessionId' | 'store' | 'openSession'>,
  id: string,
): Promise<Answer<unknown>> => {
  const isShown = sessionId === id;
  const { view, connection } = (isShown ? store?.snapshot() : undefined) ?? {};
  if (isShown) openSession(undefined);
  const answer = await api.remove(id);
  if (answer.ok && view && connection === 'live' && keptQueue().release(id, view.log)) tellKept();
  return answer;
};

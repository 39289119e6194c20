import type { App } from '../app-context.tsx';
import { carryDraft } from '../composer/carry-draft.ts';
import type { Answer } from '../state/api.ts';
import { tellKept } from '../state/kept-changes.ts';
import { keptQueue } from '../state/kept-queue.ts';

/**
 * Deletes a session. Of the one that is shown it is known what was said in it, so what waited there comes back as not sent; what
 * was typed goes where a new one begins.
 */
export const removeSession = async (
  { api, sessionId, store, openSession }: Pick<App, 'api' | 'sessionId' | 'store' | 'openSession'>,
  id: string,
): Promise<Answer<unknown>> => {
  const isShown = sessionId === id;
  const { view, connection } = (isShown ? store?.snapshot() : undefined) ?? {};
  if (isShown) {
    carryDraft(id, undefined);
    openSession(undefined);
  }
  const answer = await api.remove(id);
  if (answer.ok && view && connection === 'live' && keptQueue().release(id, view.log)) tellKept();
  return answer;
};

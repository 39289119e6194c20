/** The session that the next message goes to: the one that is shown, or a new one, begun once it is needed. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Api } from '../state/api.ts';

export type NewSession = {
  /** The model that it begins with, where the person chose one. */
  model: string | undefined;
  chooseModel(model: string): void;
  /** Files that come before the first message begin it early. */
  begin(): Promise<Answer<{ id: string }>>;
};

export const useNewSession = (api: Api, sessionId: string | undefined): NewSession => {
  const [model, setModel] = useState<string>();
  const begun = useRef<Promise<Answer<{ id: string }>>>(undefined);
  // Whoever goes elsewhere leaves nothing behind.
  useEffect(() => {
    if (sessionId === undefined) return;
    const left = begun.current;
    begun.current = undefined;
    void left?.then((made) => {
      if (made.ok && made.value.id !== sessionId) void api.remove(made.value.id);
    });
  }, [api, sessionId]);
  // Nor does a page that is closed; its answer is not waited for.
  useEffect(() => {
    const onLeave = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) return;
      void begun.current?.then((made) => {
        if (made.ok) api.removeLeaving(made.value.id);
      });
    };
    window.addEventListener('pagehide', onLeave);
    return () => window.removeEventListener('pagehide', onLeave);
  }, [api]);
  const begin = useCallback(async (): Promise<Answer<{ id: string }>> => {
    if (sessionId !== undefined) return { ok: true, value: { id: sessionId } };
    const making = begun.current ?? api.create(model);
    begun.current = making;
    const made = await making;
    if (!made.ok) begun.current = undefined;
    return made;
  }, [api, sessionId, model]);
  const chooseModel = useCallback(
    (chosen: string): void => {
      setModel(chosen);
      void begun.current?.then((made) => {
        if (made.ok) void api.command(made.value.id, { type: 'change_model', model: chosen });
      });
    },
    [api],
  );
  return { model, chooseModel, begin };
};

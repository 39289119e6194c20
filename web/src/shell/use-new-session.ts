/** The session that the next message goes to: the one that is shown, or a new one, begun once it is needed. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { OwnSettings } from '../../../src/core/own-settings.ts';
import { isMode, type Mode } from '../../../src/core/policy/modes.ts';
import type { Answer, Api } from '../state/api.ts';
import { inTab } from '../state/browser-store.ts';

export type NewSession = {
  /** The model that it begins with, where the person chose one. */
  model: string | undefined;
  chooseModel(model: string): void;
  /** How often it asks, where the person chose that. */
  mode: Mode | undefined;
  chooseMode(mode: Mode): void;
  /** What is set for it; undefined: nothing was. */
  settings: OwnSettings | undefined;
  /** Why a session that was begun already does not take them. */
  chooseSettings(settings: OwnSettings): Promise<string | undefined>;
  /** Files that come before the first message begin it early. */
  begin(): Promise<Answer<{ id: string }>>;
  /** The one that was begun early, also before this page was loaded again. */
  begunId(): string | undefined;
  /** It is gone. */
  forget(): void;
};

const BEGUN = 'halter begun';
const MODEL = 'halter model';
const MODE = 'halter mode';
const SETTINGS = 'halter settings';
const keptSettings = (): OwnSettings | undefined => {
  try {
    return JSON.parse(inTab.get(SETTINGS) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};
const keptMode = (): Mode | undefined => {
  const kept = inTab.get(MODE);
  return isMode(kept) ? kept : undefined;
};

const begunBefore = (): Promise<Answer<{ id: string }>> | undefined => {
  const id = inTab.get(BEGUN);
  return id === null ? undefined : Promise.resolve({ ok: true, value: { id } });
};

export const useNewSession = (api: Api, sessionId: string | undefined): NewSession => {
  const [model, setModel] = useState(() => inTab.get(MODEL) ?? undefined);
  const [mode, setMode] = useState(keptMode);
  const [settings, setSettings] = useState(keptSettings);
  const begun = useRef<Promise<Answer<{ id: string }>>>(begunBefore());
  // Whoever goes elsewhere leaves nothing behind.
  useEffect(() => {
    if (sessionId === undefined) return;
    const left = begun.current;
    begun.current = undefined;
    inTab.remove(BEGUN);
    void left?.then((made) => {
      if (!made.ok) return;
      // A message that is on its way to it may come in a moment.
      if (made.value.id !== sessionId) api.removeLeaving(made.value.id);
      else {
        // They were for this one, which keeps them.
        setSettings(undefined);
        inTab.remove(SETTINGS);
        // A yes to everything least of all is for a session that nobody thought of.
        setMode(undefined);
        inTab.remove(MODE);
      }
    });
  }, [api, sessionId]);
  // Nor does a page that is closed; its answer is not waited for. One that is only loaded again comes back for it.
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
    const making = begun.current ?? api.create(model, settings);
    begun.current = making;
    const made = await making;
    if (!made.ok) begun.current = undefined;
    // Whoever went elsewhere meanwhile has left it behind.
    else if (begun.current === making) inTab.set(BEGUN, made.value.id);
    return made;
  }, [api, sessionId, model, settings]);
  const chooseModel = useCallback(
    (chosen: string): void => {
      setModel(chosen);
      inTab.set(MODEL, chosen);
      void begun.current?.then((made) => {
        if (made.ok) void api.command(made.value.id, { type: 'change_model', model: chosen });
      });
    },
    [api],
  );
  const chooseMode = useCallback((chosen: Mode): void => {
    setMode(chosen);
    inTab.set(MODE, chosen);
  }, []);
  const chooseSettings = useCallback(
    async (chosen: OwnSettings): Promise<string | undefined> => {
      setSettings(chosen);
      inTab.set(SETTINGS, JSON.stringify(chosen));
      const made = await begun.current;
      if (!made?.ok) return undefined;
      const answer = await api.command(made.value.id, { type: 'change_settings', settings: chosen });
      return answer.ok ? undefined : answer.message;
    },
    [api],
  );
  const begunId = useCallback(() => inTab.get(BEGUN) ?? undefined, []);
  const forget = useCallback(() => {
    begun.current = undefined;
    inTab.remove(BEGUN);
  }, []);
  return useMemo(
    () => ({ model, chooseModel, mode, chooseMode, settings, chooseSettings, begin, begunId, forget }),
    [model, chooseModel, mode, chooseMode, settings, chooseSettings, begin, begunId, forget],
  );
};

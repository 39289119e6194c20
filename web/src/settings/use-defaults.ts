/** What every new session begins with, kept by halter in the person's settings. */
import { useCallback, useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import type { Defaults, ToldDefaults } from '../state/api.ts';

export type ShownDefaults = {
  /** Undefined until halter told them. */
  told: ToldDefaults | undefined;
  problem: string | undefined;
  change(settings: Defaults): Promise<boolean>;
};

export const useDefaults = (): ShownDefaults => {
  const { api, loadAgain } = useApp();
  const [told, setTold] = useState<ToldDefaults>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    void api.defaults().then((answer) => {
      if (answer.ok) setTold(answer.value);
      else setProblem(answer.message);
    });
  }, [api]);
  const change = useCallback(
    async (settings: Defaults): Promise<boolean> => {
      const answer = await api.changeDefaults(settings);
      setProblem(answer.ok ? undefined : answer.message);
      if (!answer.ok) return false;
      setTold(answer.value);
      // The empty page shows what a session will have.
      loadAgain();
      return true;
    },
    [api, loadAgain],
  );
  return { told, problem, change };
};

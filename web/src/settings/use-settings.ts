/** The settings of the session that is shown, or of the next one where none is. */
import { useCallback, useState } from 'react';
import type { OwnSettings } from '../../../src/core/own-settings.ts';
import { useApp, useSnapshot } from '../app-context.tsx';

export type ShownSettings = {
  settings: OwnSettings;
  /** A session is shown; else they are for the next one. */
  isOfSession: boolean;
  /** A run goes on, and they cannot be changed. */
  isRunning: boolean;
  problem: string | undefined;
  /** All of them. Whether they were taken. */
  change(settings: OwnSettings): Promise<boolean>;
};

export const useSettings = (): ShownSettings => {
  const { api, sessionId, newSession } = useApp();
  const { view } = useSnapshot();
  const [problem, setProblem] = useState<string>();
  const { chooseSettings } = newSession;
  const change = useCallback(
    async (settings: OwnSettings): Promise<boolean> => {
      const answer =
        sessionId === undefined
          ? await chooseSettings(settings)
          : await api
              .command(sessionId, { type: 'change_settings', settings })
              .then((told) => (told.ok ? undefined : told.message));
      setProblem(answer);
      return answer === undefined;
    },
    [api, sessionId, chooseSettings],
  );
  return {
    settings: sessionId === undefined ? (newSession.settings ?? {}) : view.settings,
    isOfSession: sessionId !== undefined,
    isRunning: view.running,
    problem,
    change,
  };
};

/** Tells a person who looks elsewhere what happens in their sessions, in the way that they chose. */
import { useEffect, useRef } from 'react';
import type { SessionRow, SessionState } from '../state/api.ts';
import { alertChoice, canNotify, playSound } from './alert-choice.ts';
import { alertsBetween } from './alerts.ts';
import { onNotificationClick, showNotification } from './show-notification.ts';

type Sessions = {
  activity: ReadonlyMap<string, SessionState>;
  sessions: readonly SessionRow[];
  openSession(id: string | undefined): void;
};

export const useAlerts = ({ activity, sessions, openSession }: Sessions): void => {
  const before = useRef(activity);
  const titles = useRef(sessions);
  titles.current = sessions;
  useEffect(() => onNotificationClick(openSession), [openSession]);
  useEffect(() => {
    const alerts = alertsBetween(before.current, activity);
    before.current = activity;
    const isAway = document.hidden || !document.hasFocus();
    const choice = alertChoice();
    if (alerts.length === 0 || !isAway || choice === undefined || choice === 'off') return;
    playSound();
    if (choice !== 'notify' || !canNotify() || Notification.permission !== 'granted') return;
    for (const alert of alerts) {
      const title = titles.current.find(({ id }) => id === alert.sessionId)?.title || 'A session';
      void showNotification(alert, title, openSession).catch(() => undefined);
    }
  }, [activity, openSession]);
};

/** A notification of the system that leads to its session. Browsers of phones show them by a service worker only. */
import type { Alert } from './alerts.ts';

const WORKER = '/service-worker.js';
const ICON = '/icon-192.png';

/** Once it can show something; undefined where there is none. */
export const readyWorker = async (): Promise<ServiceWorkerRegistration | undefined> => {
  if (!('serviceWorker' in navigator)) return undefined;
  try {
    await navigator.serviceWorker.register(WORKER);
    return await navigator.serviceWorker.ready;
  } catch {
    return undefined;
  }
};

export const showNotification = async (
  { sessionId, kind, tag, text }: Alert,
  title: string,
  onOpen: (sessionId: string) => void,
): Promise<void> => {
  const options: NotificationOptions = { body: text, tag, icon: ICON, data: { sessionId } };
  const heading = kind === 'waits' ? `${title} waits for you` : `${title} is done`;
  const registered = await readyWorker();
  if (registered !== undefined) {
    await registered.showNotification(heading, options);
    return;
  }
  const shown = new Notification(heading, options);
  shown.onclick = () => {
    window.focus();
    onOpen(sessionId);
    shown.close();
  };
};

/** A click on one of the worker's notifications, told to the page. */
export const onNotificationClick = (onOpen: (sessionId: string) => void): (() => void) => {
  if (!('serviceWorker' in navigator)) return () => {};
  const hear = ({ data }: MessageEvent): void => {
    const id = (data as { openSession?: unknown } | undefined)?.openSession;
    if (typeof id === 'string') onOpen(id);
  };
  navigator.serviceWorker.addEventListener('message', hear);
  return () => navigator.serviceWorker.removeEventListener('message', hear);
};

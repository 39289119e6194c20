// Shows notifications and brings the person to their session. It handles no request: pages and files come from halter.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('notificationclick', (event) => {
  const { sessionId } = event.notification.data ?? {};
  event.notification.close();
  if (!/^[\w-]+$/.test(sessionId ?? '')) return;
  const open = async () => {
    const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const page = pages.find(({ visibilityState }) => visibilityState === 'visible') ?? pages[0];
    if (page === undefined) return self.clients.openWindow(`/#/s/${sessionId}`);
    page.postMessage({ openSession: sessionId });
    return page.focus();
  };
  event.waitUntil(open());
});

import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadMarkdown } from './markdown/late-markdown.tsx';
import { watchRoom } from './parts/room.ts';
import { sharedToken } from './share/shared-token.ts';
import { applyTheme } from './shell/theme-button.tsx';
import { createApi } from './state/api.ts';
import { browserLink } from './state/link.ts';
import { holdsToken, keyedFetch, takePageKey, takeToken } from './state/page-key.ts';
import './styles.css';

applyTheme();
watchRoom();
takePageKey();
takeToken();
const link = browserLink();
/** What nobody answers, and what is not let in, says that the connection is to be looked at. */
const send: typeof fetch = async (...request) => {
  try {
    const answer = await keyedFetch(...request);
    if (answer.ok) link.entered();
    else if (answer.status === 401) void link.check();
    return answer;
  } catch (error) {
    void link.check();
    throw error;
  }
};
const shared = sharedToken(window.location.hash);
// A link that is pasted into this page's address does not load it anew by itself.
window.addEventListener('hashchange', () => {
  const { hash } = window.location;
  if (sharedToken(hash) !== shared || holdsToken(hash)) window.location.reload();
});
const root = document.getElementById('app');
const SharedPage = lazy(() => import('./share/shared-page.tsx').then((all) => ({ default: all.SharedPage })));
if (root !== null) {
  createRoot(root).render(
    shared === undefined ? (
      <App api={createApi(send)} link={link} />
    ) : (
      <Suspense>
        <SharedPage token={shared} />
      </Suspense>
    ),
  );
}
loadMarkdown();

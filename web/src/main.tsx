import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadMarkdown } from './markdown/late-markdown.tsx';
import { applyTheme } from './shell/theme-button.tsx';
import { createApi } from './state/api.ts';
import { browserLink } from './state/link.ts';
import { keyedFetch, takePageKey } from './state/page-key.ts';
import './styles.css';

applyTheme();
takePageKey();
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
const root = document.getElementById('app');
if (root) createRoot(root).render(<App api={createApi(send)} link={link} />);
loadMarkdown();

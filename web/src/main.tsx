import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './shell/theme-button.tsx';
import { createApi } from './state/api.ts';
import './styles.css';

applyTheme();
const root = document.getElementById('app');
if (root) createRoot(root).render(<App api={createApi((...request) => fetch(...request))} />);

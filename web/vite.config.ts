/** The web app's build: into dist/web, which `halter serve` hands out. */
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Of each font of mathematics the form that all browsers of today read; the two older ones are larger. */
const newestFonts = {
  name: 'newest-fonts',
  enforce: 'pre',
  transform: (code: string, id: string) =>
    /katex(?:\.min)?\.css/.test(id) ? code.replaceAll(/,url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)/g, '') : undefined,
} as const;

export default defineConfig({
  root: at('.'),
  publicDir: at('public'),
  plugins: [newestFonts, react(), tailwindcss()],
  worker: { format: 'es' },
  build: {
    outDir: at('../dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // Nothing inline: the page's policy allows neither inline scripts nor data URLs as scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

/** The web app's build: into dist/web, which `halter serve` hands out. */
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  publicDir: at('public'),
  plugins: [react(), tailwindcss()],
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

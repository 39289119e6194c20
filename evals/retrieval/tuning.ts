/** The packages that search was set on: none of them is reported, and none of those reported is here. */
import type { Package } from './packages.ts';

const of = (language: Package['language'], versions: Record<string, string>): Package[] =>
  Object.entries(versions).map(([name, version]) => ({ language, name, version }));

/** Weights are fitted on these. */
export const FITTED: readonly Package[] = [
  ...of('TypeScript', {
    ethers: '6.13.2',
    tone: '15.0.4',
    'prosemirror-view': '1.33.0',
    '@solana/web3.js': '1.95.0',
    cheerio: '1.0.0',
  }),
  ...of('Python', { werkzeug: '3.0.3', nltk: '3.8.1', rich: '13.7.1' }),
  ...of('Go', {
    'github.com/urfave/cli/v2': 'v2.27.0',
    'github.com/labstack/echo/v4': 'v4.12.0',
    'go.uber.org/zap': 'v1.27.0',
  }),
];

/** And looked at on these, so that what only suits the others shows. */
export const CHECKED: readonly Package[] = [
  ...of('TypeScript', {
    viem: '2.21.0',
    'prosemirror-model': '1.22.0',
    'apache-arrow': '16.1.0',
    '@tiptap/core': '2.5.0',
  }),
  ...of('Python', { boltons: '24.0.0', dask: '2024.7.0', httpx: '0.27.0' }),
  ...of('Go', { 'github.com/hashicorp/consul/api': 'v1.29.0', 'github.com/go-git/go-git/v5': 'v5.12.0' }),
];

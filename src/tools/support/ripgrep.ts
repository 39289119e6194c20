/** The program that searches, loaded when first needed: a file made of a whole program by a bundler cannot hold it. */
import type { Outcome } from '../../core/outcome.ts';
import { loadOptional } from '../../disk/optional-package.ts';

type Ripgrep = { rgPath: string };
const VERSION = '1.18.0';

export const loadRipgrep = (
  load: () => Promise<Ripgrep> = () => import('@vscode/ripgrep'),
): Promise<Outcome<Ripgrep>> =>
  loadOptional(load, {
    package: '@vscode/ripgrep',
    notInstalled: `The search needs ripgrep, which is not installed beside this program. Install it with \`npm install @vscode/ripgrep@${VERSION}\`.`,
    name: 'ripgrep (@vscode/ripgrep)',
  });

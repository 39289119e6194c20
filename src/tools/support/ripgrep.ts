/** The program that searches, loaded when first needed: a file made of a whole program by a bundler cannot hold it. */
import type { Outcome } from '../../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../../core/outside-packages.ts';
import { loadPackage } from '../../disk/load-package.ts';

type Ripgrep = { rgPath: string };

export const loadRipgrep = (
  load: () => Promise<Ripgrep> = () => import('@vscode/ripgrep'),
): Promise<Outcome<Ripgrep>> => loadPackage(OUTSIDE_PACKAGES.ripgrep, load);

/** What stands round a command line that rules are tried on: an empty folder, of which nothing is known. */
import type { ShellSurroundings } from '../../src/agent/permissions/shell-rules.ts';

/** An absolute path and one that climbs lead outside; every other word is itself. */
const LEADS_OUTSIDE = /^\/|(?:^|\/)\.\.(?:\/|$)/;

export const BARE_SURROUNDINGS: ShellSurroundings = {
  leadsTo: (_, word) => (LEADS_OUTSIDE.test(word) ? undefined : word),
  repositoryPrograms: () => [],
  carriesNothing: () => false,
  serverStartedFrom: () => undefined,
  home: '/nobody',
  isOutside: () => false,
  repositoryOf: () => undefined,
  repositoryWrite: () => undefined,
  expand: () => [],
  secretBelow: () => undefined,
  linksBelow: () => ({ places: [] }),
  leftOutOf: () => () => false,
  isA: () => false,
  tokenAt: () => undefined,
  gitTokens: () => [],
  atOnce: (work) => work(),
};

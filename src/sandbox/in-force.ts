/** Which parts of the sandbox are in force on this machine, for a folder: for a person who wants to know what holds. */

import { NO_STARTED_FILES } from '../core/policy/started-files.ts';
import type { SandboxState } from './detect.ts';
import { createLayering } from './layering.ts';
import { groupReason } from './other-groups.ts';
import { OwnPlaces } from './own-places.ts';

/** `missing`: why it is not in force, and what holds instead. */
export type SandboxPart = { name: string; missing?: string };

export const partsInForce = async (
  state: Extract<SandboxState, { kind: 'bubblewrap' }>,
  { root, home, cache, network }: { root: string; home: string; cache: string; network: boolean },
): Promise<SandboxPart[]> => {
  const places = new OwnPlaces(cache);
  try {
    const layering = createLayering({
      roots: [root],
      home,
      places,
      keptVersions: `${cache}/kept`,
      startedFiles: () => NO_STARTED_FILES,
      isNetworked: false,
    });
    const layers = await layering.open();
    await layering.settle(layers);
    const needed = state.start === undefined ? 'unshare, bash and mount are not all installed' : undefined;
    const filter =
      needed === undefined && places.filter({ unixSockets: !network }) === undefined
        ? `no filter for ${process.arch}`
        : needed;
    const layerless =
      'each command asks, only protected files that exist are read-only, and what a command writes counts at once';
    return [
      { name: 'own files, processes and messages' },
      network ? { name: 'own network', missing: 'the network is allowed' } : { name: 'own network' },
      layers.length > 0
        ? { name: 'changes judged before they count' }
        : {
            name: 'changes judged before they count',
            missing: `no layer can be made over this folder${groupReason(root)}; ${layerless}`,
          },
      part('system calls filtered', filter),
      part('inherited descriptors closed', needed),
      // Bubblewrap forbids them to an ordinary user, the filter to root.
      part('no user namespaces inside', state.nestedUsers === true || process.getuid?.() === 0 ? filter : undefined),
    ];
  } finally {
    places.close();
  }
};

const part = (name: string, missing: string | undefined): SandboxPart =>
  missing === undefined ? { name } : { name, missing };

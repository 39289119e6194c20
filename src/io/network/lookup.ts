/** How names become addresses: the system's way, this machine alone, or what was judged before. */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopbackAddress } from './address.ts';
import type { ResolveName } from './guard.ts';

export const systemResolve: ResolveName = (hostname) =>
  process.getBuiltinModule('node:dns/promises').lookup(hostname, { all: true });

/** In offline mode a name counts as this machine only when it resolves to this machine. */
export const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  process.getBuiltinModule('node:dns').lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const own = addresses.filter((entry) => isLoopbackAddress(entry.address));
    const first = own[0];
    if (!first) return callback(Object.assign(new Error('not this machine'), { code: 'ENOTFOUND' }), []);
    if (options.all) callback(null, own);
    else callback(null, first.address, first.family);
  });
};

/** Only what was judged can be connected to, whatever the name means a moment later. */
export const pinned =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };

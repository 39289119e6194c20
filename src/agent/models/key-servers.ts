/** Which servers a key is for. It is sent to no other: whoever gets a key can use it. */
import type { ModelError } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { addressesOf } from '../../providers/addresses.ts';

/** The key of a model server, read where a server is talked to that it is for. */
export type ModelKey = {
  read(): Promise<Outcome<string | undefined, ModelError>>;
  /** Addresses. Undefined: the server that is opened now, whichever it is. Empty: none. */
  servers: readonly string[] | undefined;
};

/** A server is told by its scheme, host and port. What is no address is nobody's. */
const originOf = (address: string): string | undefined => {
  const url = URL.parse(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.origin : undefined;
};

/** Every server behind `url` has to be one of `servers`. */
export const isForServer = (servers: readonly string[], url: string): boolean => {
  const known = new Set(servers.flatMap(addressesOf).map(originOf));
  known.delete(undefined);
  const asked = addressesOf(url);
  return asked.length > 0 && asked.every((address) => known.has(originOf(address)));
};

/** What a provider is given of the key for the server at `url`. */
export const keyForServer = async (
  key: ModelKey,
  url: string | undefined,
): Promise<Outcome<{ apiKey?: string | undefined; keyIsFor?: readonly string[] | undefined }, ModelError>> => {
  const { servers } = key;
  if (servers !== undefined && (url === undefined || !isForServer(servers, url))) return succeed({ keyIsFor: servers });
  const read = await key.read();
  return read.ok ? succeed({ apiKey: read.value }) : read;
};

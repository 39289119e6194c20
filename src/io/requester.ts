/**
 * For whom a connection is made or a program started: which session, and whether its model, a tool or halter itself. Providers and libraries
 * between the one who asks and the port need not pass it on, so it travels with the work itself.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type Requester = {
  session?: string;
  /** `model`, or the name of a tool; absent for halter's own business: probing servers, fetching a model. */
  who?: string;
  /** The call of the model that it is for. */
  call?: string;
  /** A mode alone let the call pass: what it starts sees nothing outside of the folder. */
  byMode?: boolean;
};

const storage = new AsyncLocalStorage<Requester>();

/** Everything that `work` starts counts as this requester's; what is not named stays as it was. */
export const asRequester = <T>(requester: Requester, work: () => T): T =>
  storage.run({ ...storage.getStore(), ...requester }, work);

export const currentRequester = (): Requester => storage.getStore() ?? {};

/** `halter/server`: what `index.ts` has, and its functions look at their arguments first. */
import type { Agent } from '../agent/create-agent.ts';
import { checkedCall, options } from '../core/checked-call.ts';
import {
  callback,
  filled,
  flag,
  fromOne,
  record,
  recordOf,
  text,
  texts,
  wholeIn,
  withMethods,
} from '../core/option-kinds.ts';
import type { Outcome } from '../core/outcome.ts';
import * as server from './index.ts';

const HALTER = withMethods('what openHalter() gave', 'close');
const PORT = wholeIn('a port: a whole number from 0 to 65535', 0, 65_535);
export const createApp = checkedCall(
  'createApp',
  {
    options: options({
      halter: HALTER,
      token: filled,
      'version?': text,
      'hosts?': texts,
      'anyAddress?': flag,
      'tls?': flag,
      'trustsProxy?': flag,
      'port?': callback,
      'invitation?': callback,
      'loading?': callback,
      'retrieve?': callback,
      'mounts?': recordOf(callback),
      'resume?': callback,
      'settings?': withMethods('an object with read and set', 'read', 'set'),
      'modelKey?': withMethods('an object with tell and set', 'tell', 'set'),
      'mcpLogins?': withMethods('an object with isKept, logIn and forget', 'isKept', 'logIn', 'forget'),
      'onRequest?': callback,
      'onGateway?': callback,
      'onDefect?': callback,
    }),
  },
  server.createApp,
);
export const createProbes = checkedCall(
  'createProbes',
  {
    options: options({
      halter: withMethods('what openHalter() gave'),
      depth: callback,
      running: callback,
      version: text,
      'token?': filled,
      hosts: texts,
      'anyAddress?': flag,
    }),
  },
  server.createProbes,
);

const TIMEOUTS = options({ headersMs: fromOne, requestMs: fromOne, checkMs: fromOne, 'stalledMs?': fromOne });
const listenChecked = checkedCall(
  'listen',
  {
    app: callback,
    options: options({
      'tls?': options({ cert: filled, key: filled }),
      'trustedProxies?': texts,
      host: filled,
      port: PORT,
      'portFlag?': text,
      'ownProcess?': flag,
      'timeouts?': TIMEOUTS,
    }),
  },
  server.listen,
);
/** Asynchronous, so it rejects. */
export const listen = async (...given: Parameters<typeof server.listen>): Promise<Outcome<server.Listening>> =>
  listenChecked(...given);

/** Its options are checked where an agent is made. */
const openChecked = checkedCall('openHalter', { options: record }, server.openHalter);
export const openHalter = async (...given: Parameters<typeof server.openHalter>): Promise<Agent> =>
  openChecked(...given);

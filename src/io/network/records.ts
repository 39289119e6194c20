/** What is told of every attempt to reach another side, and of what went over the connection. */

import type { HttpFailure, HttpRequest } from '../../core/ports.ts';
import { currentRequester, type Requester } from '../requester.ts';

/** One attempt to reach another side; the connection log is a list of these. */
export type ConnectionRecord = Requester & {
  /** Counts within this port. */
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  method: HttpRequest['method'];
  scheme: 'http' | 'https';
  host: string;
  port: number;
  /** The address that was reached: the proxy's, where there is one. */
  address?: string;
  /** It went through the proxy of the environment. */
  proxied: boolean;
  /** An open connection was used again. */
  reused: boolean;
  result: 'connected' | HttpFailure['kind'];
  /** Why, where it was refused. */
  reason?: string;
};

/** What went over a connection for one request, headers and encryption included. */
export type TransferRecord = { id: number; sent: number; received: number };

export const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);

type Details = { address?: string; reused?: boolean; reason?: string };
/** Told once; what comes later is not. */
export type TellConnection = (result: ConnectionRecord['result'], details?: Details) => void;
export type Attempt = { id: number; tell: TellConnection };

export type RecordPorts = { now(): number; onConnection: ((record: ConnectionRecord) => void) | undefined };

/** Numbers the attempts of one port, and tells how each of them went. */
export const createRecorder = ({ now, onConnection }: RecordPorts) => {
  let count = 0;
  return (request: HttpRequest, url: URL, proxied: boolean): Attempt => {
    const requester = currentRequester();
    count += 1;
    const id = count;
    let isTold = false;
    const tell: TellConnection = (result, { address, reused = false, reason } = {}) => {
      if (isTold) return;
      isTold = true;
      onConnection?.({
        ...requester,
        id,
        at: now(),
        method: request.method,
        scheme: url.protocol === 'https:' ? 'https' : 'http',
        host: url.hostname,
        port: portOf(url),
        address,
        proxied,
        reused,
        result,
        reason,
      });
    };
    return { id, tell };
  };
};

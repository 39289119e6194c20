/** From the ports to the ledger: what is noted of each connection and of each command that a model wrote. */
import { randomBytes } from 'node:crypto';
import type { Processes } from '../../core/ports.ts';
import type { ConnectionRecord, NetworkOptions } from '../../io/network.ts';
import { currentRequester } from '../../io/requester.ts';
import type { EgressFile, EgressVerdict } from '../../storage/egress-file.ts';
import { AGENT_LIMITS } from '../limits.ts';

const NOT_TRIED: ReadonlySet<ConnectionRecord['result']> = new Set(['blocked', 'invalid_url']);

const verdictOf = (result: ConnectionRecord['result']): EgressVerdict =>
  result === 'connected' ? 'connected' : NOT_TRIED.has(result) ? 'refused' : 'failed';

/** Hooks for the network port. Host and port are noted, never the rest of an address: a path may hold a secret. */
export const noteConnections = (
  file: EgressFile,
  onConnection?: (record: ConnectionRecord) => void,
): Required<Pick<NetworkOptions, 'onConnection' | 'onTransfer'>> => {
  const run = `${process.pid}-${randomBytes(4).toString('hex')}`;
  return {
    onConnection(record) {
      onConnection?.(record);
      const { id, at, session, call, who = 'halter', method, scheme, port, address, proxied, reused, reason } = record;
      const verdict = verdictOf(record.result);
      file.append({
        type: 'connection',
        id,
        run,
        at,
        session,
        call,
        who,
        method,
        scheme,
        host: record.host.slice(0, AGENT_LIMITS.egressHostCharacters),
        port,
        address,
        ...(proxied ? { proxied } : {}),
        ...(reused ? { reused } : {}),
        verdict,
        ...(verdict === 'connected' || reason === undefined
          ? {}
          : { reason: reason.slice(0, AGENT_LIMITS.egressReasonCharacters) }),
      });
    },
    onTransfer: ({ id, sent, received }) => file.append({ type: 'transfer', id, run, sent, received }),
  };
};

/** What a command itself connects to is not seen here; that it ran, and whether it had a network, is. */
export const noteCommands = (
  processes: Processes,
  file: EgressFile,
  options: { isSandboxed(): boolean; now(): number },
): Processes => {
  const note = (confined: boolean | undefined): void => {
    // What halter runs for itself is not the model's.
    if (!confined) return;
    const { session, call, who = 'halter' } = currentRequester();
    file.append({
      type: 'command',
      at: options.now(),
      session,
      call,
      who,
      network: options.isSandboxed() ? 'none' : 'not_seen',
    });
  };
  const { open } = processes;
  return {
    run(request) {
      note(request.confined);
      return processes.run(request);
    },
    ...(open === undefined
      ? {}
      : {
          open(request) {
            note(request.confined);
            return open(request);
          },
        }),
  };
};

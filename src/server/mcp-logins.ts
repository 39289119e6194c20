/** Logins to MCP servers that a person began on the page: where they are to go, and how it ended. */
import { failure, type Outcome, succeed } from '../core/outcome.ts';

/** How a person is let in; the program that serves knows where logins are kept. */
export type McpLoginPorts = {
  /** Whether one is kept for this server. */
  isKept(name: string): Promise<boolean>;
  /** Comes back when it is over. `open` sends the person there; `typed` takes the address that their browser ended at. */
  logIn(
    name: string,
    steps: { open(address: URL): void; typed(take: (address: string) => boolean): void; signal: AbortSignal },
  ): Promise<Outcome<void>>;
  forget(name: string): Promise<Outcome<void>>;
};

type LoginState = { address?: string; problem?: string; kept: boolean };

export type McpLogins = {
  state(name: string): Promise<LoginState>;
  /** Comes back when it is known where the person has to go, or that it failed. */
  begin(name: string): Promise<Outcome<void>>;
  /** What the browser ended at, where it is on another machine. */
  returned(name: string, address: string): Outcome<void>;
  forget(name: string): Promise<Outcome<void>>;
};

type Pending = { address?: string; take?: (address: string) => boolean; over: AbortController };

/** `onDone` is told when halter is let in. */
export const createMcpLogins = (
  ports: McpLoginPorts,
  onDone: (name: string) => Promise<void>,
  ending: AbortSignal,
): McpLogins => {
  const pending = new Map<string, Pending>();
  const problems = new Map<string, string>();
  return {
    async state(name) {
      const address = pending.get(name)?.address;
      const problem = problems.get(name);
      return {
        kept: await ports.isKept(name),
        address,
        problem,
      };
    },
    begin(name) {
      // One more click begins anew: the person may have closed the other page.
      pending.get(name)?.over.abort();
      problems.delete(name);
      const login: Pending = { over: new AbortController() };
      pending.set(name, login);
      return new Promise((resolve) => {
        const finish = async (done: Outcome<void>): Promise<void> => {
          if (pending.get(name) !== login) return resolve(done);
          // A page looks again as long as a login is under way, and it is until the server stands otherwise.
          if (done.ok) await onDone(name);
          else problems.set(name, done.error.message);
          if (pending.get(name) === login) pending.delete(name);
          resolve(done);
        };
        void ports
          .logIn(name, {
            signal: AbortSignal.any([login.over.signal, ending]),
            open(address) {
              login.address = address.href;
              resolve(succeed(undefined));
            },
            typed(take) {
              login.take = take;
            },
          })
          .then(finish);
      });
    },
    returned(name, address) {
      const take = pending.get(name)?.take;
      if (take === undefined) return failure('not_found', 'No login is under way here.');
      return take(address)
        ? succeed(undefined)
        : failure('validation_failed', 'That is not the address that the login ends at.');
    },
    async forget(name) {
      pending.get(name)?.over.abort();
      problems.delete(name);
      return ports.forget(name);
    },
  };
};

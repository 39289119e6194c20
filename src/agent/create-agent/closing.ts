/** What an agent opened, to be closed the last first. One part that cannot be closed keeps no other part open. */
import { closeAll } from '../close-all.ts';

export type Closing = {
  /** `name` is what a warning calls the part. */
  add(name: string, close: () => void | Promise<void>): void;
  /** Never rejects: what could not be closed is a warning. A second call does nothing. */
  close(): Promise<void>;
};

export const createClosing = (onWarning: (code: string, message: string) => void): Closing => {
  const parts: [string, () => void | Promise<void>][] = [];
  return {
    add: (name, close) => void parts.push([name, close]),
    async close() {
      for (const problem of await closeAll(parts.splice(0).reverse())) onWarning('close_failed', problem);
    },
  };
};

import type { Outcome } from '../core/outcome.ts';

export type ToldModelKey = {
  from: 'none' | 'here' | 'file' | 'variable' | 'command';
  /** Of the file or the variable. */
  name?: string;
  /** The address of the server that the key which was set here is for. */
  for?: string;
  /** The address of the server that a key would be for which is set now. */
  server?: string;
  /** A key that is set here would count: no other goes before it, and there is a server that it would be for. */
  is_settable: boolean;
};

/** The person's key for their model server. It goes in and never comes out. */
export type ModelKeyPort = {
  tell(): Promise<Outcome<ToldModelKey>>;
  /** For the server that halter goes by now, and for no other. `undefined` removes it. */
  set(key: string | undefined): Promise<Outcome<void>>;
};

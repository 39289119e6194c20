import type { Outcome } from '../core/outcome.ts';

export type ToldModelKey = {
  from: 'none' | 'here' | 'file' | 'variable' | 'command';
  /** Of the file or the variable. */
  name?: string;
  /** A key that is set here would count. */
  is_settable: boolean;
};

/** The person's key for their model server. It goes in and never comes out. */
export type ModelKeyPort = {
  tell(): Promise<Outcome<ToldModelKey>>;
  /** `undefined` removes it. */
  set(key: string | undefined): Promise<Outcome<void>>;
};

/** What is kept of a login to a server. */
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import type { ServerDefinition } from './server-definition.ts';

export type HttpServer = ServerDefinition & { kind: 'http' };

/** It counts for the address it was made for, and for no other. */
export type Login = {
  url: string;
  tokens?: StoredOAuthTokens;
  client?: StoredOAuthClientInformation;
  redirect_url?: string;
  /** What the server wanted more than was granted: asked for at the next login. */
  wanted_scope?: string;
};

export type LoginStore = {
  read(): Promise<Login | undefined>;
  write(login: Login | undefined): Promise<void>;
};

export const isLoginFor = (login: Login | undefined, { url }: HttpServer): login is Login => login?.url === url;

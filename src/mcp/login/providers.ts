/**
 * OAuth for servers on HTTP. The flow is the protocol's own package's; this is what it asks of its client: who halter is,
 * where tokens are kept, and where a person is sent. Every request goes through the one port.
 */
import {
  ClientCredentialsProvider,
  computeScopeUnion,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  PrivateKeyJwtProvider,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { HttpServer, Login, LoginStore } from '../login-record.ts';
import type { OAuthSettings } from '../server-definition.ts';
import { webAddress } from '../server-requests.ts';

/** The person has to log in (again): nobody is sent anywhere by a run. */
export class LoginNeeded extends Error {}

const clientOf = ({ client_id, client_secret, issuer }: OAuthSettings): StoredOAuthClientInformation | undefined =>
  client_id === undefined
    ? undefined
    : {
        client_id,
        ...(client_secret === undefined ? {} : { client_secret }),
        ...(issuer === undefined ? {} : { issuer }),
      };

const metadataOf = (redirectUrl: string, { scope }: OAuthSettings): OAuthClientMetadata => ({
  client_name: 'halter',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  application_type: 'native',
  ...(scope === undefined ? {} : { scope }),
});

/**
 * An authorization server has to call itself what it was asked as. Some of the older ones do not; a person who knows one
 * names it in `oauth.issuer`, and then it has to be exactly that, told by a server of that very origin: any other could
 * say so too.
 */
export const isIssuerNamed = ({ oauth }: HttpServer): boolean =>
  oauth?.issuer !== undefined && oauth.grant_type !== 'client_credentials';

export const checkIssuer = (found: OAuthDiscoveryState, { issuer }: OAuthSettings): void => {
  if (issuer === undefined) return;
  const { authorizationServerUrl: asked, authorizationServerMetadata: metadata } = found;
  const isItsOwn = URL.canParse(issuer) && new URL(asked).origin === new URL(issuer).origin;
  if (isItsOwn && (metadata === undefined || metadata.issuer === issuer)) return;
  throw new Error(
    `its authorization server is ${metadata?.issuer ?? asked} at ${asked}, and not ${issuer} as the settings say`,
  );
};

/** Halter itself logs in; no person is needed, and nothing is kept. */
export const machineProvider = ({ oauth = {} }: HttpServer): OAuthClientProvider | undefined => {
  const { grant_type, client_id = '', client_secret, private_key, algorithm = 'ES256', scope, issuer } = oauth;
  if (grant_type !== 'client_credentials') return undefined;
  const common = {
    clientId: client_id,
    clientName: 'halter',
    ...(scope === undefined ? {} : { scope }),
    ...(issuer === undefined ? {} : { expectedIssuer: issuer }),
  };
  return private_key === undefined
    ? new ClientCredentialsProvider({ ...common, clientSecret: client_secret ?? '' })
    : new PrivateKeyJwtProvider({ ...common, privateKey: private_key, algorithm });
};

/** Uses and renews what a login brought. What only a person can do is `LoginNeeded`. */
export const keptProvider = (server: HttpServer, store: LoginStore): OAuthClientProvider => {
  const { oauth = {} } = server;
  const change = async (changed: Partial<Login>): Promise<void> =>
    store.write({ ...(await store.read()), url: server.url, ...changed });
  return {
    redirectUrl: 'http://127.0.0.1/',
    clientMetadata: metadataOf('http://127.0.0.1/', oauth),
    clientInformation: async () => clientOf(oauth) ?? (await store.read())?.client,
    tokens: async () => (await store.read())?.tokens,
    saveTokens: (tokens) => change({ tokens }),
    saveDiscoveryState: (state) => checkIssuer(state, oauth),
    async redirectToAuthorization(address) {
      const wanted = address.searchParams.get('scope');
      if (wanted !== null) await change({ wanted_scope: wanted });
      throw new LoginNeeded();
    },
    saveCodeVerifier: () => {},
    codeVerifier: () => {
      throw new LoginNeeded();
    },
    async invalidateCredentials(what) {
      if (what !== 'tokens' && what !== 'all') return;
      const { tokens: _tokens, ...rest } = (await store.read()) ?? { url: server.url };
      await store.write(rest);
    },
  };
};

export type FreshLogin = {
  provider: OAuthClientProvider;
  /** What it came to, to be kept. */
  login(): Login;
};

export type Redirect = {
  url: string;
  /** What comes back has to carry it. */
  state: string;
  /** Sends the person there. */
  open(address: URL): void;
};

/** A login from its beginning: nothing of an earlier one is used, and nothing is kept before it succeeds. */
export const freshLogin = (server: HttpServer, before: Login | undefined, redirect: Redirect): FreshLogin => {
  const { oauth = {} } = server;
  const made: Login = { url: server.url, redirect_url: redirect.url };
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  let client = clientOf(oauth);
  return {
    login: () => made,
    provider: {
      redirectUrl: redirect.url,
      clientMetadata: metadataOf(redirect.url, oauth),
      ...(oauth.client_metadata_url === undefined ? {} : { clientMetadataUrl: oauth.client_metadata_url }),
      state: () => redirect.state,
      clientInformation: () => client,
      saveClientInformation(information) {
        client = information;
        made.client = information;
      },
      tokens: () => made.tokens,
      saveTokens(tokens) {
        made.tokens = tokens;
      },
      redirectToAuthorization(address) {
        const scope = computeScopeUnion(address.searchParams.get('scope') ?? undefined, before?.wanted_scope);
        if (scope !== undefined) address.searchParams.set('scope', scope);
        if (webAddress(address.href) === undefined) throw new Error('its login page has no address of the web');
        redirect.open(address);
      },
      saveCodeVerifier(given) {
        verifier = given;
      },
      codeVerifier: () => verifier,
      saveDiscoveryState(state) {
        checkIssuer(state, oauth);
        discovery = state;
      },
      discoveryState: () => discovery,
    },
  };
};

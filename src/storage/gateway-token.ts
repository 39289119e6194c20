/** The token that clients with written settings use. `halter serve` takes it where nothing else is given. */
import { randomBytes } from 'node:crypto';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { jsonFile } from './mcp-files.ts';

const TOKEN_BYTES = 32;
/** Shorter ones could be guessed. */
export const TOKEN = /^[\w-]{32,}$/;

export type GatewayToken = {
  /** Undefined where no client was connected yet. */
  read(): Promise<Outcome<string | undefined>>;
  /** The one that is there, or a new one that is kept nowhere yet. */
  propose(): Promise<Outcome<string>>;
  /** Keeps the proposed one. Fails where another halter made one in between. */
  keep(token: string): Promise<Outcome<void>>;
};

/** Beside the person's settings, readable by nobody else. */
export const createGatewayToken = (configFolder: string): GatewayToken => {
  const file = jsonFile(configFolder, 'gateway-token.json', 'clients that were connected would be refused');
  const read = async (): Promise<Outcome<string | undefined>> => {
    const kept = await file.read();
    if (!kept.ok) return kept;
    const { token } = kept.value;
    if (token === undefined) return succeed(undefined);
    if (typeof token === 'string' && TOKEN.test(token)) return succeed(token);
    return failure('validation_failed', `${file.path} holds no token; delete it and connect the clients again`);
  };
  return {
    read,
    async propose() {
      const kept = await read();
      return kept.ok ? succeed(kept.value ?? randomBytes(TOKEN_BYTES).toString('base64url')) : kept;
    },
    async keep(token) {
      let there = token;
      const changed = await file.change((content) => {
        if (typeof content['token'] !== 'string') return { version: 1, token };
        there = content['token'];
        return content;
      });
      if (!changed.ok || there === token) return changed;
      return failure('io_error', `another halter wrote ${file.path} at the same time. Nothing was written; try again`);
    },
  };
};

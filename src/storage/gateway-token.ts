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
  /** Makes one where there is none. */
  ensure(): Promise<Outcome<string>>;
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
    async ensure() {
      const kept = await read();
      if (!kept.ok) return kept;
      if (kept.value !== undefined) return succeed(kept.value);
      let token = randomBytes(TOKEN_BYTES).toString('base64url');
      const changed = await file.change((content) => {
        // Another halter may have made one in between.
        if (typeof content['token'] !== 'string') return { version: 1, token };
        token = content['token'];
        return content;
      });
      return changed.ok ? succeed(token) : changed;
    },
  };
};

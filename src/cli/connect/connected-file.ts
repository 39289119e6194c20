/** What `halter connect` wrote, so that `--remove` can put it back. Holds the settings as they were: for the person only. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { jsonFile } from '../../storage/mcp-files.ts';

export type Connected = {
  file: string;
  /** The whole text; null where there was no file. */
  before: string | null;
  /** SHA-256 of what was written, as hex. */
  written: string;
  /** Of the gateway that was written. */
  url: string;
  /** The token and the window that were written. Absent in the notes of earlier versions. */
  token?: string;
  context_tokens?: number;
  /** Who could read the file, where that was changed. */
  mode?: number;
};

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const createConnectedFile = (configFolder: string) => {
  const file = jsonFile(configFolder, 'connected-clients.json', 'nothing can be taken back');
  return {
    async read(client: string): Promise<Outcome<Connected | undefined>> {
      const kept = await file.read();
      return kept.ok ? succeed(parse((kept.value['clients'] as JsonObject | undefined)?.[client])) : kept;
    },
    /** Undefined forgets the client. */
    write: (client: string, connected: Connected | undefined): Promise<Outcome<void>> =>
      file.change((content) => {
        const { [client]: _, ...others } = (content['clients'] ?? {}) as JsonObject;
        return { version: 1, clients: connected === undefined ? others : { ...others, [client]: connected } };
      }),
  };
};

const parse = (value: unknown): Connected | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { file, before, written, url, token, context_tokens, mode } = value as Record<string, unknown>;
  const isWhole = typeof file === 'string' && typeof written === 'string' && typeof url === 'string';
  if (!isWhole || (before !== null && typeof before !== 'string')) return undefined;
  return {
    file,
    before,
    written,
    url,
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof context_tokens === 'number' ? { context_tokens } : {}),
    ...(typeof mode === 'number' ? { mode } : {}),
  };
};

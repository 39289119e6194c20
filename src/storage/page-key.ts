/** By what a page that is open knows its halter again after a restart. Beside logins: nobody else may read it. */
import { randomBytes } from 'node:crypto';
import { asSentence } from '../core/error-text.ts';
import type { JsonObject } from '../core/json.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { jsonFile } from './mcp-files.ts';

const KEY_BYTES = 32;
const CONSEQUENCE = 'pages are not known again after a restart';

/** The key of this person's halters, made when it is first needed and anew when it is old. */
export const readPageKey = async (configFolder: string, now: number): Promise<Outcome<Uint8Array>> => {
  const file = jsonFile(configFolder, 'page-key.json', CONSEQUENCE);
  const kept = await file.read();
  if (!kept.ok) return kept;
  const known = keyIn(kept.value, now);
  if (known !== undefined) return succeed(known);
  let key: Uint8Array = randomBytes(KEY_BYTES);
  const changed = await file.change((content) => {
    // Another halter may have made one in between.
    const there = keyIn(content, now);
    if (there === undefined) return { version: 1, key: Buffer.from(key).toString('base64url'), made_at: now };
    key = there;
    return content;
  });
  if (changed.ok) return succeed(key);
  const { error_type, message, reason } = changed.error;
  return failure(error_type, `${asSentence(message)} Until then ${CONSEQUENCE}.`, reason);
};

const keyIn = ({ key, made_at }: JsonObject, now: number): Uint8Array | undefined => {
  if (typeof key !== 'string' || typeof made_at !== 'number') return undefined;
  const bytes = Buffer.from(key, 'base64url');
  const isYoung = made_at <= now && now - made_at < STORAGE_LIMITS.pageKeyMs;
  return isYoung && bytes.byteLength === KEY_BYTES ? bytes : undefined;
};

/** The key of the model server, typed by the person and kept where `api_key_file` names it. No one reads it back from here. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { diskFailure } from '../disk/disk-failure.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { STORAGE_LIMITS } from './limits.ts';

/** Beside `config.json`, which names it by this name alone. */
export const MODEL_KEY_FILE = 'model-key';

/** A key is one line without blanks. */
export const readTypedKey = (key: string): Outcome<string> => {
  const trimmed = key.trim();
  if (trimmed === '') return failure('validation_failed', 'The key is empty.');
  // A header of a request can hold nothing else.
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    return failure('validation_failed', 'A key is made of letters, digits and signs, without blanks and line breaks.');
  if (trimmed.length > STORAGE_LIMITS.apiKeyBytes) return failure('validation_failed', 'This is too long to be a key.');
  return succeed(trimmed);
};

/** Only the person can read it. */
export const writeModelKey = (configFolder: string, key: string): Promise<Outcome<void>> =>
  writeFileAtomically(join(configFolder, MODEL_KEY_FILE), `${key}\n`);

export const removeModelKey = async (configFolder: string): Promise<Outcome<void>> => {
  try {
    await rm(join(configFolder, MODEL_KEY_FILE), { force: true });
    return succeed(undefined);
  } catch (error) {
    return diskFailure('The key cannot be removed', error);
  }
};

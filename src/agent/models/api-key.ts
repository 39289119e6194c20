/** The key of a model server: from the environment, a file that only the person can read, or a program such as a keychain's. */

import type { ModelError } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Processes } from '../../core/ports.ts';
import { plainOrQuoted } from '../../core/quoted-name.ts';
import { readKeyFile } from '../../storage/key-file.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type ApiKeyOptions = {
  /** The key itself; then nothing is read. */
  apiKey?: string;
  /** The name of an environment variable. */
  apiKeyEnv?: string;
  apiKeyFile?: string;
  /** A command line whose first line of output is the key. */
  apiKeyCommand?: string;
  environment: Readonly<Record<string, string | undefined>>;
};

export const readApiKey = async (
  options: ApiKeyOptions,
  processes: Processes,
): Promise<Outcome<string | undefined, ModelError>> => {
  if (options.apiKey !== undefined) return succeed(options.apiKey);
  const { apiKeyEnv, apiKeyFile, apiKeyCommand, environment } = options;
  if (apiKeyEnv !== undefined) {
    const key = Object.hasOwn(environment, apiKeyEnv) ? environment[apiKeyEnv] : undefined;
    return key === undefined ? refused(`The environment has no variable ${plainOrQuoted(apiKeyEnv)}.`) : succeed(key);
  }
  if (apiKeyFile !== undefined) {
    const read = await readKeyFile(apiKeyFile);
    return read.ok ? read : refused(read.error.message);
  }
  return apiKeyCommand === undefined ? succeed(undefined) : keyFrom(apiKeyCommand, processes);
};

/** What it prints is a secret, so no message repeats it. */
const keyFrom = async (command: string, processes: Processes): Promise<Outcome<string, ModelError>> => {
  const ran = await processes.run({
    command: ['/bin/sh', '-c', command],
    timeoutMs: AGENT_LIMITS.apiKeyCommandMs,
    signal: new AbortController().signal,
    maxOutputBytes: STORAGE_LIMITS.apiKeyBytes,
  });
  if (!ran.ok) return refused(`api_key_command could not be run: ${ran.error.message}`);
  if (ran.value.timedOut)
    return refused(`api_key_command gave no key within ${AGENT_LIMITS.apiKeyCommandMs / 1000} s.`);
  if (ran.value.exitCode !== 0) return refused(`api_key_command ended with exit code ${ran.value.exitCode}.`);
  const key = ran.value.stdout.split('\n', 1)[0]?.trim() ?? '';
  return key === '' ? refused('api_key_command printed nothing.') : succeed(key);
};

const refused = (message: string): { ok: false; error: ModelError } => ({
  ok: false,
  error: { code: 'unauthorized', message },
});

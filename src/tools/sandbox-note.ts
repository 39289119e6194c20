/** Why a command may have failed in the sandbox although there is nothing wrong with it. */
import type { ProcessResult } from '../core/ports.ts';

const NO_NETWORK =
  /could not resolve|couldn'?t resolve|name resolution|resolve host|name or service not known|nodename nor servname|network is unreachable|no route to host|ENOTFOUND|EAI_AGAIN|ENETUNREACH|failed to establish a new connection|no such host|dial tcp|connection refused|ECONNREFUSED|failed to (?:fetch|download)|offline/i;
const READ_ONLY = /read-only file system|EROFS|errno 30/i;
const NOT_ALLOWED = /operation not permitted|permission denied|EPERM|EACCES/i;
const NO_REPOSITORY =
  /\.git: (?:read-only|file exists|permission)|cannot (?:mkdir|copy).*\.git|\.git\/(?:config|hooks)/i;

/** A sentence for the model and the person; empty where the sandbox has nothing to do with it. */
export const sandboxNote = ({ sandbox, output }: Pick<ProcessResult, 'sandbox' | 'output'>): string => {
  if (sandbox === undefined) return '';
  const end = output.slice(-LOOKED_AT);
  const reasons: string[] = [];
  if (!sandbox.network && NO_NETWORK.test(end)) {
    reasons.push('there is no network (the person can allow it with --allow-network)');
  }
  if (NO_REPOSITORY.test(end))
    reasons.push(
      "the settings and hooks of .git are read-only, and no new one can be made in the workspace's own folder",
    );
  else if (READ_ONLY.test(end)) {
    reasons.push(
      'only the workspace and /tmp are writable, and in the workspace not .halter, .git/hooks and settings of editors and shells',
    );
  } else if (reasons.length === 0 && NOT_ALLOWED.test(end)) {
    reasons.push('keys and other processes cannot be reached');
  }
  return reasons.length === 0
    ? ''
    : `. It ran in a sandbox: ${reasons.join('; ')}. Do not try to get round it; say what is needed`;
};
const LOOKED_AT = 8_192;

/** Why a command may have failed in the sandbox although there is nothing wrong with it. */
import type { ProcessResult } from '../core/ports.ts';
import { readableOutput } from './output-text.ts';

const NO_NETWORK =
  /could not resolve|couldn'?t resolve|name resolution|resolve host|name or service not known|nodename nor servname|network is unreachable|no route to host|ENOTFOUND|EAI_AGAIN|ENETUNREACH|failed to establish a new connection|no such host|dial tcp|connection refused|ECONNREFUSED|failed to (?:fetch|download)|offline/i;
const READ_ONLY = /read-only file system|EROFS|errno 30/i;
const NOT_ALLOWED = /operation not permitted|permission denied|EPERM|EACCES/i;
/** A sentence for the model and the person; empty where the sandbox has nothing to do with it. */
export const sandboxNote = ({ sandbox, output }: Pick<ProcessResult, 'sandbox' | 'output'>): string => {
  if (sandbox === undefined) return '';
  const end = output.slice(-LOOKED_AT);
  const reasons: string[] = [];
  if (!sandbox.network && NO_NETWORK.test(end)) {
    reasons.push('there is no network (the person can allow it with --allow-network)');
  }
  if (READ_ONLY.test(end)) {
    reasons.push('only the workspace and /tmp are writable');
  } else if (reasons.length === 0 && NOT_ALLOWED.test(end)) {
    reasons.push('keys and other processes cannot be reached');
  }
  return reasons.length === 0
    ? ''
    : `. It ran in a sandbox: ${reasons.join('; ')}. Do not try to get round it; say what is needed`;
};
const LOOKED_AT = 8_192;

/** Installed packages bring such files along; nobody opens them as a project. */
const OF_PACKAGES = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;
const NAMED = 10;

/** What a person said yes to. */
export const keptNote = ({ sandbox }: Pick<ProcessResult, 'sandbox'>): string => {
  const kept = sandbox?.kept ?? [];
  return kept.length === 0 ? '' : `[Kept, since a person allowed it: ${kept.map(readableOutput).join(', ')}]\n`;
};

/** What was taken back of what a command did; `isFailure` unless all of it came with installed packages. */
export const takenBackNote = ({ sandbox }: Pick<ProcessResult, 'sandbox'>): { text: string; isFailure: boolean } => {
  const withheld = sandbox?.withheld ?? [];
  const others = withheld.filter(({ path }) => !OF_PACKAGES.test(path));
  const shown = [...others, ...withheld.filter(({ path }) => OF_PACKAGES.test(path))].slice(0, NAMED);
  if (shown.length === 0) return { text: '', isFailure: false };
  const rest = withheld.length - shown.length;
  const list = shown.map(({ path, reason }) => `${readableOutput(path)} (${reason})`).join('; ');
  const more = rest === 0 ? '' : `; and ${rest} more`;
  const text = `Taken back, since it decides what runs later outside of the sandbox: ${list}${more}. Everything else the command did was kept. Do not try to get round it; a person can make such a change, and write_file asks for it where it may`;
  return { text, isFailure: others.length > 0 };
};

/**
 * What helps to find a defect, with nothing in it that is the person's own: no word of a conversation, no path below
 * the home folder by its name, no value of the environment, no part of an address that can hold a secret.
 */
import { arch, cpus, release, totalmem } from 'node:os';
import type { Event } from '../../core/events.ts';
import type { SessionStore } from '../../core/storage-port.ts';
import type { Config } from '../../storage/config-file.ts';
import type { Io } from '../io.ts';
import type { Check } from './check.ts';

/** Settings that hold words of the person's, or a password. */
const PRIVATE_KEYS: readonly string[] = ['append_system_prompt', 'database'];
const TELLING_VARIABLES =
  /^(?:HALTER_|OLLAMA_|XDG_|NODE_|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy|SSL_CERT|LANG|TERM|NO_COLOR)/;
const SESSIONS = 3;

/** `http://user:secret@host/path?key=1` → `http://host/path`; the home folder → `~`. */
export const redact = (text: string, home: string | undefined): string => {
  const withoutHome = home ? text.replaceAll(home, '~') : text;
  return withoutHome.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@]*@)?([^\s?#]*)(?:[?#]\S*)?/gi, '$1$2');
};

const redactedConfig = (config: Config, home: string | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      PRIVATE_KEYS.includes(key) ? '(set)' : typeof value === 'string' ? redact(value, home) : value,
    ]),
  );

/** How a session went, told by names and numbers alone. */
export const outlineOf = (events: readonly Event[]): object => {
  const counts: Record<string, number> = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  const failures = events.flatMap((event) => {
    if (event.type === 'model_failed') return [event.code];
    if (event.type === 'run_stopped') return [event.name];
    if (event.type !== 'tool_finished' && event.type !== 'arguments_rejected') return [];
    return event.result.success ? [] : [event.result.error_type];
  });
  return { events: counts, failures };
};

export type BundleParts = {
  version: string;
  checks: readonly Check[];
  config: Config;
  sessions: SessionStore;
  io: Io;
};

export const createBundle = async ({ version, checks, config, sessions, io }: BundleParts): Promise<object> => {
  const home = io.env['HOME'] ?? io.env['USERPROFILE'];
  const latest = await sessions.list({ limit: SESSIONS });
  const outlines = await Promise.all(
    (latest.ok ? latest.value : []).map(async ({ id }) => {
      const read = await sessions.read(id);
      return read.ok
        ? { ...outlineOf(read.value.events), damaged_lines: read.value.warnings.length }
        : { unreadable: true };
    }),
  );
  return {
    halter: version,
    node: process.versions.node,
    system: {
      platform: process.platform,
      release: release(),
      arch: arch(),
      processors: cpus().length,
      memory_bytes: totalmem(),
    },
    checks: checks.map((check) => ({
      ...check,
      detail: redact(check.detail, home),
      ...(check.advice === undefined ? {} : { advice: redact(check.advice, home) }),
    })),
    config: redactedConfig(config, home),
    // Names alone: that a proxy is set may matter, where it is does not.
    environment: Object.keys(io.env)
      .filter((name) => TELLING_VARIABLES.test(name))
      .sort(),
    sessions: outlines,
  };
};

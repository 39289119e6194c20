/**
 * When a rule is not enough. A rule says what a person meant by it when they gave it; these are the cases in which that
 * cannot have been meant: a file that others obey, a secret, a shell without a sandbox, a stranger's text in between.
 */
import type { Event, Rule } from '../events.ts';
import type { JsonObject } from '../json.ts';
import { obeyedOverride, type PolicyOverride, type SourcedRule } from '../policy.ts';
import type { Tool } from '../tool.ts';
import { isNeverWritten, isObeyedPath, isSecretPath } from './sensitive-files.ts';

const PATH_ARGUMENT = /path|file|folder|director/i;

/** The words of a call that name files. */
const pathsOf = (tool: Pick<Tool, 'effects' | 'main_argument'>, args: JsonObject): string[] => {
  if (tool.effects !== 'read' && tool.effects !== 'write') return [];
  return Object.entries(args).flatMap(([name, value]) =>
    typeof value === 'string' && (PATH_ARGUMENT.test(name) || /path|file/.test(tool.main_argument ?? ''))
      ? [value]
      : [],
  );
};

/** The pattern itself names such a file: `write_file(.env)`, `read_file(keys/*.pem)`, and not `write_file(**)`. */
const spells =
  (isSuch: (path: string) => boolean) =>
  ({ pattern }: SourcedRule): boolean =>
    pattern !== undefined && isSuch(pattern.replace(/^=/, ''));

export const fileOverrides = (
  tool: Pick<Tool, 'name' | 'effects' | 'main_argument'>,
  args: JsonObject,
): PolicyOverride[] =>
  pathsOf(tool, args).flatMap((path): PolicyOverride[] => {
    const shown = JSON.stringify(path);
    if (tool.effects === 'write' && isNeverWritten(path)) return [];
    if (tool.effects === 'write' && isObeyedPath(path)) {
      return [obeyedOverride(`${shown} is obeyed by other programs of their own accord`, spells(isObeyedPath))];
    }
    if (!isSecretPath(path)) return [];
    return [{ because: `${shown} may hold secrets`, risk: 'high', counts: spells(isSecretPath) }];
  });

/** Without a sandbox a command can do whatever the person can, so a yes of another day is not enough. */
export const unsandboxedOverride = (): PolicyOverride => ({
  because: 'commands run unsandboxed here, and no remembered rule counts for that',
  counts: ({ source }) => source !== 'remembered',
});

/**
 * A stranger's tool is what its server says it is, and that can be another thing tomorrow: only a yes to what it is now
 * counts, and what the person wrote for this very run.
 */
export const identityOverride = (tool: Pick<Tool, 'name'>, identity: string): PolicyOverride => ({
  because: `${tool.name} is not what the yes to it was given to: its server, description or arguments are other ones`,
  counts: ({ source, bound_to }) => source === 'command line' || source === 'program' || bound_to === identity,
});

/** Content of strangers in the conversation, since the person spoke last. */
export type Taint = { since: number; sources: readonly string[] };

/**
 * Whether a stranger may be speaking through the model: a tool that brings content from the web, an MCP server or outside
 * the workspace has answered since the person's last message. A fold over the log, so that every surface sees the same.
 */
const createTaint = (): { add(event: Event): void; now(): Taint | undefined } => {
  const names = new Map<string, string>();
  const untrusted = new Set<string>();
  let taint: Taint | undefined;
  const forget = (): void => {
    names.clear();
    untrusted.clear();
    taint = undefined;
  };
  return {
    add(event) {
      if (event.type === 'user_message_added') forget();
      else if (event.type === 'assistant_message_added') {
        for (const { id, name } of event.message.tool_calls) names.set(id, name);
      } else if (event.type === 'policy_evaluated' && event.untrusted_content) untrusted.add(event.tool_call_id);
      else if (event.type === 'tool_finished' && untrusted.has(event.tool_call_id) && brings(event.result)) {
        const source = names.get(event.tool_call_id) ?? 'a tool';
        taint = { since: taint?.since ?? event.seq, sources: [...new Set([...(taint?.sources ?? []), source])] };
      }
    },
    now: () => taint,
  };
};

/** A call that was refused brought nothing; a failure of the other side may carry its words. */
const brings = ({
  success,
  data,
  error_type,
}: {
  success: boolean;
  data: string | null;
  error_type: string;
}): boolean => success || data !== null || error_type === 'io_error' || error_type === 'parse_error';

/**
 * What a stranger could make the model do: reach the network, run a command, write outside. A rule counts that was given
 * since, or that the person wrote for this very run and that says what exactly; a whole tool is not that.
 */
export const taintOverride = ({ sources }: Taint): PolicyOverride => ({
  because: `content from outside (${sources.join(', ')}) came in since you last spoke`,
  counts: ({ source, pattern, fresh }) => fresh === true || (source === 'command line' && pattern !== undefined),
});

/** Rules that were given for a session: those of an earlier life of it, or of a stranger's file, do not count. */
const isGrant = (event: Event, openedAt: number): event is Grant =>
  event.type === 'permission_resolved' &&
  event.rule !== undefined &&
  event.seq > openedAt &&
  (event.decision === 'session' || event.decision === 'remember');
type Grant = Event & { type: 'permission_resolved'; rule: Rule };

/** What of a conversation bears on whether a call may run. */
export type Standing = { taint: Taint | undefined; grants: readonly SourcedRule[] };

/** Follows a path (`activePath`) that grows, so that long sessions stay cheap. `openedAt`: the last event of before. */
export const followStanding = (openedAt: number): ((path: readonly Event[]) => Standing) => {
  let followed: readonly Event[] | undefined;
  let seen = 0;
  let taint = createTaint();
  let grants: Grant[] = [];
  return (path) => {
    if (path !== followed) {
      followed = path;
      seen = 0;
      taint = createTaint();
      grants = [];
    }
    for (; seen < path.length; seen += 1) {
      const event = path[seen] as Event;
      taint.add(event);
      if (isGrant(event, openedAt)) grants.push(event);
    }
    const now = taint.now();
    const isFresh = (grant: Grant): boolean => now !== undefined && grant.seq > now.since;
    return {
      taint: now,
      grants: grants.map((grant) => ({
        ...grant.rule,
        source: 'this session',
        ...(isFresh(grant) ? { fresh: true } : {}),
      })),
    };
  };
};

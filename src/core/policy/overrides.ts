/**
 * Policy overrides: cases in which a person is asked although a rule would let the call pass. They are: a file that other
 * programs execute automatically, a file with secrets, a shell without a sandbox, an MCP tool that changed, and untrusted
 * content in the conversation.
 */
import type { Event, Rule } from '../events.ts';
import type { JsonObject } from '../json.ts';
import { autoExecutedOverride, type PolicyOverride, type SourcedRule } from '../policy.ts';
import { createReader } from '../provenance/encodings.ts';
import { type Quotation, Quotations } from '../provenance/quotations.ts';
import { type ArgumentOrigin, type CallTrace, originText, Provenance, sourceText } from '../provenance.ts';
import { textsIn } from '../scalars.ts';
import type { Tool } from '../tool.ts';
import { bringsContent } from '../tool-result.ts';
import type { AutoloadedRow } from './autoloaded-files.ts';
import type { Mode } from './modes.ts';
import { askedUntilNamed, isAutoExecutedPath, isSecretPath } from './sensitive-files.ts';
import { isTokenFile } from './token-files.ts';

/** Longer texts name no file on any system. */
const PATH_CHARACTERS = 4096;

type PathTool = Pick<Tool, 'name' | 'effects' | 'path_arguments' | 'reads_only'>;

/** The paths in a call. Every text counts where the tool does not declare its path arguments. */
export const pathsOf = ({ effects, path_arguments }: PathTool, args: JsonObject): string[] => {
  if (effects === 'none' || effects === 'process') return [];
  const values = path_arguments === undefined ? Object.values(args) : path_arguments.map((name) => args[name]);
  return values.flatMap(textsIn).filter((text) => text.length <= PATH_CHARACTERS);
};

/** True for a tool that may write a file of any name: its arguments do not tell which one. */
export const writesAnywhere = ({ effects, path_arguments }: PathTool): boolean =>
  effects === 'write' && path_arguments === undefined;

/** The server of a network tool may write files too, unless the tool declares its paths. */
export const mayWrite = (tool: PathTool): boolean =>
  tool.effects === 'write' || (tool.effects === 'network' && tool.path_arguments === undefined);

/** True where the pattern itself names such a file: `write_file(.env)` does, `write_file(**)` does not. */
const spells =
  (isSuch: (path: string) => boolean) =>
  ({ pattern }: SourcedRule): boolean =>
    pattern !== undefined && isSuch(pattern.replace(/^=/, ''));

/** A server's tool that only reads may read what agents obey. */
const writes = (tool: PathTool): boolean => mayWrite(tool) && tool.reads_only !== true;

const AUTOLOADED: Readonly<Record<AutoloadedRow['does'], string>> = {
  runs: 'makes another program run',
  instructs: 'tells agents what to do',
  serves: 'names servers that agents start',
};

export const fileOverrides = (tool: PathTool, args: JsonObject): PolicyOverride[] =>
  pathsOf(tool, args).flatMap((path): PolicyOverride[] => {
    const shown = JSON.stringify(path);
    if (mayWrite(tool) && isAutoExecutedPath(path)) {
      return [
        autoExecutedOverride(`${shown} is run or read by other programs automatically`, spells(isAutoExecutedPath)),
      ];
    }
    const autoloaded = writes(tool) ? askedUntilNamed(path) : undefined;
    if (autoloaded !== undefined) {
      const counts = spells((pattern) => askedUntilNamed(pattern) === autoloaded);
      return [{ because: `${shown} ${AUTOLOADED[autoloaded.does]} (${autoloaded.of})`, risk: 'high', counts }];
    }
    if (!isSecretPath(path)) return [];
    return [{ because: `${shown} may hold secrets`, risk: 'high', counts: spells(isSecretPath) }];
  });

/** A file of settings in which a key stands now, as `tokenAt` says: it follows the rule of secrets. */
export const tokenOverrides = (
  tool: PathTool,
  args: JsonObject,
  tokenAt: (path: string) => string | undefined,
): PolicyOverride[] =>
  pathsOf(tool, args).flatMap((path): PolicyOverride[] => {
    const token = isTokenFile(path) && !isSecretPath(path) ? tokenAt(path) : undefined;
    if (token === undefined) return [];
    return [{ because: `${JSON.stringify(path)} holds a key in ${token}`, risk: 'high', counts: spells(isTokenFile) }];
  });

/** Scripts with letters that look like those of another one. */
const ALIKE = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];
const SCRIPT_NAMES = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee'];

/** The name in a path that mixes letters of scripts that look alike, with those scripts. */
const mixedName = (path: string): { name: string; scripts: string } | undefined => {
  if (/^[\0-\x7f]*$/.test(path)) return undefined;
  for (const name of path.split(/[\\/\s]+/)) {
    // The ending of a file is Latin everywhere.
    const stem = name.replace(/(?:\.[A-Za-z0-9]{1,8})+$/, '');
    const scripts = SCRIPT_NAMES.filter((_, index) => ALIKE[index]?.test(stem));
    if (scripts.length > 1) return { name, scripts: scripts.join(' and ') };
  }
  return undefined;
};

/** Marks a path that may pass for another one. A rule goes by its real letters, so it counts. */
export const mixedScriptOverrides = (texts: readonly string[]): PolicyOverride[] => {
  const mixed = texts.map(mixedName).find((found) => found !== undefined);
  if (mixed === undefined) return [];
  const because = `${JSON.stringify(mixed.name)} mixes ${mixed.scripts} letters and may look like another name`;
  return [{ because, risk: 'high', counts: () => true }];
};

/** A tool that does not declare its paths may write any file, so a remembered rule does not count. */
export const unknownPathsOverride = ({ name }: PathTool): PolicyOverride => ({
  because: `${name} does not declare which of its arguments are paths, so it may write any file`,
  counts: ({ source }) => source !== 'remembered',
});

/** Without a sandbox a command has all rights of the person, so a remembered rule does not count. */
export const unsandboxedOverride = (): PolicyOverride => ({
  because: 'commands run unsandboxed here, and no remembered rule counts for that',
  counts: ({ source }) => source !== 'remembered',
});

/** Where nothing judges what a command writes before it counts, a remembered rule does not count either. */
export const unheldOverride = (why: string): PolicyOverride => ({
  because: `${why}, and no remembered rule counts for that`,
  counts: ({ source }) => source !== 'remembered',
});

/**
 * An MCP server can change a tool at any time. A kept rule counts only for the definition that it was given to; a rule of
 * this run's flags always counts.
 */
export const identityOverride = (tool: Pick<Tool, 'name'>, identity: string): PolicyOverride => ({
  because: `${tool.name} is not what the yes to it was given to: its server, description or arguments are other ones`,
  counts: ({ source, bound_to }) => source === 'command line' || source === 'program' || bound_to === identity,
});

/** Untrusted content that came in since the person's last message. */
export type Taint = { since: number; sources: readonly string[] };

/**
 * Follows whether a tool brought content from the web, an MCP server or outside the workspace since the person's last
 * message. Such content may steer the model. Computed from the log, so that every surface has the same answer.
 */
const createTaint = (): { add(event: Event): void; now(): Taint | undefined; lastSince(): number | undefined } => {
  const names = new Map<string, string>();
  const untrusted = new Set<string>();
  let taint: Taint | undefined;
  let before: number | undefined;
  const forget = (): void => {
    names.clear();
    untrusted.clear();
    before = taint?.since ?? before;
    taint = undefined;
  };
  return {
    add(event) {
      if (event.type === 'user_message_added') {
        forget();
        const brought = typeof event.content === 'string' ? [] : event.content;
        const sources = brought.flatMap((part) =>
          part.type === 'text' && part.untrusted_content ? [part.shown ?? 'a message'] : [],
        );
        if (sources.length > 0) taint = { since: event.seq, sources };
      } else if (event.type === 'assistant_message_added') {
        for (const { id, name } of event.message.tool_calls) names.set(id, name);
      } else if (event.type === 'policy_evaluated' && event.untrusted_content) untrusted.add(event.tool_call_id);
      else if (event.type === 'tool_finished' && untrusted.has(event.tool_call_id) && bringsContent(event.result)) {
        const source = names.get(event.tool_call_id) ?? 'a tool';
        taint = { since: taint?.since ?? event.seq, sources: [...new Set([...(taint?.sources ?? []), source])] };
      }
    },
    now: () => taint,
    /** What came in then is still there after the person spoke again. */
    lastSince: () => taint?.since ?? before,
  };
};

/** Rules that count although untrusted content came in: given since, or for this run, and saying what exactly. */
const countsNevertheless = ({ source, pattern, fresh }: SourcedRule): boolean =>
  (fresh === true || source === 'command line' || source === 'program') && pattern !== undefined;

/**
 * After untrusted content, a call that reaches outside asks where a weighty value stands in untrusted content alone. Until
 * the person speaks again it asks also where a recipient stands nowhere, and where their words do not ask for the call.
 */
export const provenanceOverrides = (
  tool: Pick<Tool, 'name' | 'reads_only'>,
  trace: CallTrace | undefined,
  taint: Taint | undefined,
): PolicyOverride[] => {
  if (trace === undefined) return [];
  const ask = (because: string): PolicyOverride[] => [{ because, counts: countsNevertheless, about: 'provenance' }];
  if (trace.untrusted) return ask(originText(trace.untrusted));
  if (taint === undefined) return [];
  const since = `content from outside (${taint.sources.join(', ')}) came in since you last spoke`;
  if (trace.unknown) return ask(`${since}, and ${originText(trace.unknown)}`);
  if (trace.isRequested || tool.reads_only === true) return [];
  return ask(`${since}, and nothing that you wrote asks for ${tool.name}`);
};

/** What servers say of their tools is in every prompt: a value that only they name is nobody's, whoever spoke last. */
export const describedOverrides = (described: ArgumentOrigin | undefined): PolicyOverride[] =>
  described === undefined
    ? []
    : [{ because: originText(described), risk: 'high', counts: countsForQuoted(0), about: 'provenance' }];

/** A rule of this run's flags that says what exactly, or one that was given after the call had been read. */
const countsForQuoted =
  (readAt: number) =>
  ({ source, pattern, fresh, at }: SourcedRule): boolean =>
    pattern !== undefined &&
    (source === 'command line' ||
      source === 'program' ||
      (source === 'this session' && (at === undefined ? fresh === true : at >= readAt)));

/** A call that stands in what the model read is nobody's, whatever it stands in and wherever the model wrote it. */
export const quotedOverride = ({ name }: Pick<Tool, 'name'>, { source, at }: Quotation): PolicyOverride => ({
  because: `this call to ${name} stands word for word in ${sourceText(source)}, so the model may only quote it`,
  risk: 'high',
  counts: countsForQuoted(at),
  about: 'provenance',
});

/** A rule given in this session. Those in a session file that was opened again do not count. */
const isGrant = (event: Event, openedAt: number): event is Grant =>
  event.type === 'permission_resolved' &&
  event.rule !== undefined &&
  event.seq > openedAt &&
  (event.decision === 'session' || event.decision === 'remember');
type Grant = Event & { type: 'permission_resolved'; rule: Rule };

/** The state of a conversation that decides whether a call may run. */
export type Standing = {
  taint: Taint | undefined;
  grants: readonly SourcedRule[];
  /** The mode that was chosen in the conversation; absent: that of the rules. */
  mode?: Mode;
  /** The model that made the call is the starter, which may do less. */
  isStarter?: boolean;
  /** Whose words the values of a call are. */
  provenance: Pick<Provenance, 'trace' | 'asksFor' | 'describedIn'>;
  /** The calls that stand in what the model read. */
  quotations: Pick<Quotations, 'find'>;
};

/** Reads each event of a growing log once. A mode holds on every branch, so this follows the log and not a path of it. */
export const followMode = (): ((log: readonly Event[]) => Mode | undefined) => {
  let seen = 0;
  let mode: Mode | undefined;
  return (log) => {
    for (; seen < log.length; seen += 1) {
      const event = log[seen] as Event;
      if (event.type === 'mode_changed') mode = event.mode;
    }
    return mode;
  };
};

/** Reads each event of a growing path (`activePath`) once. `openedAt`: seq of the last event before the session was opened. */
export const followStanding = (openedAt: number): ((path: readonly Event[]) => Standing) => {
  let followed: readonly Event[] | undefined;
  let seen = 0;
  let taint = createTaint();
  let reader = createReader();
  let provenance = new Provenance(reader);
  let quotations = new Quotations(reader);
  let grants: Grant[] = [];
  return (path) => {
    if (path !== followed) {
      followed = path;
      seen = 0;
      taint = createTaint();
      reader = createReader();
      provenance = new Provenance(reader);
      quotations = new Quotations(reader);
      grants = [];
    }
    for (; seen < path.length; seen += 1) {
      const event = path[seen] as Event;
      taint.add(event);
      provenance.add(event);
      quotations.add(event);
      if (isGrant(event, openedAt)) grants.push(event);
    }
    const now = taint.now();
    const since = taint.lastSince();
    const isFresh = (grant: Grant): boolean => since !== undefined && grant.seq > since;
    return {
      taint: now,
      grants: grants.map((grant) => ({ ...grant.rule, source: 'this session', fresh: isFresh(grant), at: grant.at })),
      provenance,
      quotations,
    };
  };
};

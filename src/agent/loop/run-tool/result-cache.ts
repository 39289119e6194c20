/**
 * Results of tools that declare themselves pure, by arguments and by the hashes of the files they read. A hit is as good
 * as a run: each file is read and hashed again before the old result is given, and the conversation has seen it anew.
 */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { Workspace } from '../../../core/ports.ts';
import type { ModelContent } from '../../../core/tool/model-content.ts';
import type { Tool, ToolContext } from '../../../core/tool.ts';
import type { ToolResult } from '../../../core/tool-result.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { type RunToolOptions, runTool } from '../run-tool.ts';

type Dependency = { path: string; maxBytes: number; hash: string };
type Entry = {
  result: ToolResult;
  shown: ModelContent | undefined;
  isJson: boolean;
  files: Dependency[];
  seen: { path: string; hash: string }[];
};

export type ResultCache = {
  run(tool: Tool, args: JsonObject, options: RunToolOptions): Promise<ToolResult>;
};

export const createResultCache = (): ResultCache => {
  /** In order of last use, the oldest first. */
  const entries = new Map<string, Entry>();

  const find = async (key: string, options: RunToolOptions): Promise<ToolResult | undefined> => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    const { clock, workspace } = options.context;
    const started = clock.monotonic();
    for (const { path, maxBytes, hash } of entry.files) {
      const read = await workspace.readFile(path, { maxBytes, signal: options.signal });
      if (!read.ok || read.value.hash !== hash) return undefined;
    }
    for (const { path, hash } of entry.seen) workspace.markSeen(path, hash);
    entries.set(key, entry);
    if (entry.shown !== undefined) options.onModelContent?.(entry.shown);
    if (entry.isJson) options.onJson?.();
    const times = { execution_time_ms: Math.round(clock.monotonic() - started), timestamp: clock.now() };
    return { ...entry.result, metadata: { ...entry.result.metadata, ...times, cached: true } };
  };

  return {
    async run(tool, args, options) {
      const dropped = options.droppedArguments ?? [];
      if (!tool.pure || dropped.length > 0) return runTool(tool, args, options);
      const key = JSON.stringify([tool.name, options.long?.maxCharacters ?? 0, sorted(args)]);
      const known = await find(key, options);
      if (known !== undefined) return known;
      const watch = createWatch();
      const watched = {
        ...tool,
        run: (given: JsonObject, context: ToolContext) => tool.run(given, watch.over(context)),
      };
      let shown: ModelContent | undefined;
      let isJson = false;
      const result = await runTool(watched, args, {
        ...options,
        onModelContent(content) {
          shown = content;
          options.onModelContent?.(content);
        },
        onJson() {
          isJson = true;
          options.onJson?.();
        },
      });
      const worthKeeping =
        result.success && watch.filesOnly() && (result.data?.length ?? 0) <= AGENT_LIMITS.cachedResultCharacters;
      if (worthKeeping) {
        entries.set(key, { result, shown, isJson, files: watch.files, seen: watch.seen });
        const [oldest] = entries.keys();
        if (entries.size > AGENT_LIMITS.cachedResults && oldest !== undefined) entries.delete(oldest);
      }
      return result;
    },
  };
};

/** Parts of the context that a result may come from and still be known by its arguments and files. */
const STEADY: ReadonlySet<string> = new Set<keyof ToolContext>([
  'config',
  'keptResultBytes',
  'offers',
  'report',
  'resultCharacters',
  'signal',
]);

/** Notes what a run reads. What cannot be asked again by a hash (a folder, the network, the time) makes it unfit to keep. */
const createWatch = () => {
  const files: Dependency[] = [];
  const seen: Entry['seen'] = [];
  let other = false;

  const overFiles = (workspace: Workspace): Workspace => {
    const unfit = <A extends unknown[], R>(port: (...args: A) => R): ((...args: A) => R) => {
      return (...args) => {
        other = true;
        return port(...args);
      };
    };
    return {
      ...workspace,
      stat: unfit(workspace.stat),
      list: unfit(workspace.list),
      walk: unfit(workspace.walk),
      writeFile: unfit(workspace.writeFile),
      async readFile(path, settings) {
        const read = await workspace.readFile(path, settings);
        if (read.ok) files.push({ path, maxBytes: settings.maxBytes, hash: read.value.hash });
        else other = true;
        return read;
      },
      markSeen(path, hash) {
        seen.push({ path, hash });
        workspace.markSeen(path, hash);
      },
    };
  };
  const over = (context: ToolContext): ToolContext => {
    const open: ToolContext = { ...context, workspace: overFiles(context.workspace) };
    for (const key of Object.keys(context) as (keyof ToolContext)[]) {
      if (STEADY.has(key) || key === 'workspace') continue;
      const get = (): unknown => {
        other = true;
        return context[key];
      };
      Object.defineProperty(open, key, { enumerable: true, get });
    }
    return open;
  };
  return { over, files, seen, filesOnly: () => !other };
};

/** The same arguments in another order are the same arguments. */
const sorted = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
};

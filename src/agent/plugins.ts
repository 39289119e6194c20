/**
 * Plugins: modules of the person's own choice that add tools, dialects, providers and commands. They are code and run with
 * all rights, so they come from the person's own folder alone, by file or by a package that their settings name.
 */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CustomCommand, isCommandName } from '../core/custom-command.ts';
import { thrownText } from '../core/thrown-text.ts';
import { didYouMean } from '../core/tool/nearest-names.ts';
import type { Tool } from '../core/tool.ts';
import { unlessAborted } from '../core/unless-aborted.ts';
import { type DialectDefinition, dialectNames } from '../dialects/index.ts';
import { isProviderName } from '../providers/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { AGENT_LIMITS } from './limits.ts';
import type { OpenPluginProvider } from './models/open-provider.ts';
import { shareRunningPackage } from './plugins/running-package.ts';

/** What a plugin's module exports under the name `plugin`. */
export type Plugin = {
  name: string;
  /** Made by `defineTool` or `registerTool`. */
  tools?: readonly Tool[];
  /** Chosen by `dialect` in the settings. */
  dialects?: readonly DialectDefinition[];
  /** Chosen by `--model NAME/model`. */
  providers?: Readonly<Record<string, OpenPluginProvider>>;
  commands?: readonly Pick<CustomCommand, 'name' | 'description' | 'template'>[];
};

export type PluginParts = {
  tools: Tool[];
  dialects: DialectDefinition[];
  providers: Record<string, OpenPluginProvider>;
  commands: CustomCommand[];
};

export type LoadPluginsOptions = {
  /** `plugins` in the person's config folder: single files, and `node_modules` for packages. */
  folder: string;
  packages: readonly string[];
  onWarning(code: string, message: string): void;
  /** Nothing more is waited for. */
  signal?: AbortSignal | undefined;
  /** How long one may take. */
  loadMs?: number;
};

/** Never fails: a plugin that cannot be loaded, or a part of it that cannot be used, is named and left out. */
export const loadPlugins = async (options: LoadPluginsOptions): Promise<PluginParts> => {
  const parts: PluginParts = { tools: [], dialects: [], providers: {}, commands: [] };
  const warn = (message: string): void => options.onWarning('plugin', message);
  const { loadMs = AGENT_LIMITS.pluginLoadMs, signal } = options;
  const wait: Wait = { loadMs, signal, warn };
  const files = (await readdir(options.folder).catch(() => [])).filter((name) => /\.(?:m?js|m?ts)$/.test(name)).sort();
  if (files.length > 0 || options.packages.length > 0) shareRunningPackage();
  for (const file of files.slice(0, AGENT_LIMITS.plugins)) await load(join(options.folder, file), file, parts, wait);
  const { resolve } = createRequire(join(options.folder, 'package.json'));
  for (const name of options.packages) {
    try {
      await load(resolve(name), name, parts, wait);
    } catch {
      warn(`The plugin ${name} is not installed; \`npm install --prefix ${options.folder} ${name}\` installs it`);
    }
  }
  return parts;
};

type Wait = Pick<LoadPluginsOptions, 'signal'> & { loadMs: number; warn(message: string): void };

const load = async (path: string, name: string, parts: PluginParts, { loadMs, signal, warn }: Wait): Promise<void> => {
  if (signal?.aborted) return;
  let exported: unknown;
  // A module may await what never comes.
  const late = AbortSignal.timeout(loadMs);
  try {
    const module = await unlessAborted(
      import(pathToFileURL(path).href) as Promise<{ plugin?: unknown }>,
      signal ? AbortSignal.any([signal, late]) : late,
    );
    if (module === undefined) {
      if (!signal?.aborted)
        warn(`The plugin ${name} is left out: after ${loadMs / 1_000} s it still awaits something while it loads`);
      return;
    }
    exported = module.plugin;
  } catch (error) {
    warn(`The plugin ${name} cannot be loaded: ${thrownText(error)}`);
    return;
  }
  if (!isPlugin(exported)) {
    warn(`The plugin ${name} exports no \`plugin\` with a name`);
    return;
  }
  for (const field of Object.keys(exported).filter((one) => !FIELDS.includes(one)))
    warn(`The plugin ${exported.name}: the field ${field} is none of a plugin's.${didYouMean(field, FIELDS)}`);
  add(exported, parts, (what, why) => warn(`The plugin ${exported.name}: ${what} is left out, ${why}`));
};

const FIELDS: readonly string[] = Object.keys({
  name: true,
  tools: true,
  dialects: true,
  providers: true,
  commands: true,
} satisfies Record<keyof Plugin, true>);

const isPlugin = (value: unknown): value is Plugin =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Plugin>).name === 'string';

/** Nothing that is there already can be taken over: what the person allowed by its name stays what it was. */
const add = (plugin: Plugin, parts: PluginParts, leaveOut: (what: string, why: string) => void): void => {
  const taken = 'the name is taken';
  for (const tool of plugin.tools ?? []) {
    const known = [...BUILT_IN_TOOLS, ...parts.tools].some(({ name }) => name === tool?.name);
    if (typeof tool?.name !== 'string' || typeof tool.run !== 'function') {
      leaveOut('a tool', 'make it with defineTool');
    } else if (known) leaveOut(`the tool ${tool.name}`, taken);
    else parts.tools.push(tool);
  }
  for (const dialect of plugin.dialects ?? []) {
    const name = dialect?.format?.name;
    if (typeof name !== 'string') leaveOut('a dialect', 'it has no format with a name');
    else if ([...dialectNames(), ...parts.dialects.map(({ format }) => format.name)].includes(name)) {
      leaveOut(`the dialect ${name}`, taken);
    } else parts.dialects.push(dialect);
  }
  for (const [name, open] of Object.entries(plugin.providers ?? {})) {
    if (typeof open !== 'function') leaveOut(`the provider ${name}`, 'it is no function');
    else if (isProviderName(name) || Object.hasOwn(parts.providers, name)) leaveOut(`the provider ${name}`, taken);
    else parts.providers[name] = open;
  }
  for (const { name, description, template } of plugin.commands ?? []) {
    if (!isCommandName(name)) leaveOut(`the command ${name}`, 'a name is small letters, digits and -');
    else if (parts.commands.some((known) => known.name === name)) leaveOut(`the command ${name}`, taken);
    else parts.commands.push({ name, description, template, from: 'plugin' });
  }
};

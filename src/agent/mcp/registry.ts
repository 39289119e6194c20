/** A registry that tools can join: those of servers come when the servers are there. */
import type { ToolConfig } from '../../core/ports.ts';
import { absenceOf } from '../../core/tool/said-of-itself.ts';
import type { Tool } from '../../core/tool.ts';
import { createToolRegistry, type RegistryRules, type ToolRegistry } from '../loop/run-tool/tool-registry.ts';

export type GrowingRegistry = {
  registry: ToolRegistry;
  /** The same tools with settings of one session's own. */
  withSettings(settings: ToolConfig): ToolRegistry;
  setFurther(tools: readonly Tool[]): void;
  /** Others than those that it began with. */
  setOwn(tools: readonly Tool[]): void;
};

/** Those that cannot say whether they can be used are offered to nobody, and their author hears of it. */
const brokenIn = (tools: readonly Tool[], settings: ToolConfig): string[] =>
  tools.flatMap((tool) => {
    const absence = absenceOf(tool, settings);
    return absence?.isBroken ? [`${absence.reason.replace(/\.$/, '')}. ${tool.name} is not offered.`] : [];
  });

/** A session takes the lists as they are when it begins; a name finds its tool as it is now. */
export const growingRegistry = (
  own: readonly Tool[],
  config: ToolConfig,
  rules: RegistryRules = {},
  onWarning: (code: string, message: string) => void = () => {},
): GrowingRegistry => {
  const told = new Set<string>();
  let current = own;
  let joined: readonly Tool[] = [];
  let tools = own;
  const join = (): void => {
    const names = new Set(current.map(({ name }) => name));
    tools = [...current, ...joined.filter(({ name }) => !names.has(name))];
  };
  const made = (settings: ToolConfig): ToolRegistry => {
    for (const problem of brokenIn(tools, settings)) {
      if (!told.has(problem)) onWarning('tool', problem);
      told.add(problem);
    }
    return createToolRegistry(tools, settings, rules);
  };
  const registryWith = (settings: ToolConfig): ToolRegistry => {
    let registry = made(settings);
    let madeOf = tools;
    const now = (): ToolRegistry => {
      if (madeOf !== tools) registry = made(settings);
      madeOf = tools;
      return registry;
    };
    return {
      get tools() {
        return now().tools;
      },
      get schemas() {
        return now().schemas;
      },
      get callable() {
        return now().callable;
      },
      get: (name) => now().get(name),
      resolveName: (name) => now().resolveName(name),
      unknownText: (name, args) => now().unknownText(name, args),
    };
  };
  return {
    registry: registryWith(config),
    withSettings: (settings) => registryWith({ ...config, ...settings }),
    setFurther(further) {
      joined = further;
      join();
    },
    setOwn(others) {
      current = others;
      join();
    },
  };
};

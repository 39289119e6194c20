/** A registry that tools can join: those of servers come when the servers are there. */
import type { ToolConfig } from '../../core/ports.ts';
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

/** A session takes the lists as they are when it begins; a name finds its tool as it is now. */
export const growingRegistry = (
  own: readonly Tool[],
  config: ToolConfig,
  rules: RegistryRules = {},
): GrowingRegistry => {
  let current = own;
  let joined: readonly Tool[] = [];
  let tools = own;
  const join = (): void => {
    const names = new Set(current.map(({ name }) => name));
    tools = [...current, ...joined.filter(({ name }) => !names.has(name))];
  };
  const registryWith = (settings: ToolConfig): ToolRegistry => {
    let made = createToolRegistry(tools, settings, rules);
    let madeOf = tools;
    const now = (): ToolRegistry => {
      if (madeOf !== tools) made = createToolRegistry(tools, settings, rules);
      madeOf = tools;
      return made;
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

/** A registry that tools can join: those of servers come when the servers are there. */
import type { ToolConfig } from '../../core/ports.ts';
import type { Tool } from '../../core/tool.ts';
import { createToolRegistry, type ToolRegistry } from '../loop/run-tool/tool-registry.ts';

export type GrowingRegistry = {
  registry: ToolRegistry;
  /** The same tools with settings of one session's own. */
  withSettings(settings: ToolConfig): ToolRegistry;
  setFurther(tools: readonly Tool[]): void;
};

/** A session takes the lists as they are when it begins; a name finds its tool as it is now. */
export const growingRegistry = (own: readonly Tool[], config: ToolConfig): GrowingRegistry => {
  let tools = own;
  const names = new Set(own.map(({ name }) => name));
  const registryWith = (settings: ToolConfig): ToolRegistry => {
    let made = createToolRegistry(tools, settings);
    let madeOf = tools;
    const current = (): ToolRegistry => {
      if (madeOf !== tools) made = createToolRegistry(tools, settings);
      madeOf = tools;
      return made;
    };
    return {
      get tools() {
        return current().tools;
      },
      get schemas() {
        return current().schemas;
      },
      get callable() {
        return current().callable;
      },
      get: (name) => current().get(name),
      resolveName: (name) => current().resolveName(name),
      unknownText: (name) => current().unknownText(name),
    };
  };
  return {
    registry: registryWith(config),
    withSettings: (settings) => registryWith({ ...config, ...settings }),
    setFurther(further) {
      tools = [...own, ...further.filter(({ name }) => !names.has(name))];
    },
  };
};

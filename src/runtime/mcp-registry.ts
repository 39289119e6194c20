/** A registry that tools can join: those of servers come when the servers are there. */
import type { ToolConfig } from '../core/ports.ts';
import type { Tool } from '../core/tool.ts';
import { createToolRegistry, type ToolRegistry } from './tool-registry.ts';

export type GrowingRegistry = { registry: ToolRegistry; setFurther(tools: readonly Tool[]): void };

/** A session takes the lists as they are when it begins; a name finds its tool as it is now. */
export const growingRegistry = (own: readonly Tool[], config: ToolConfig): GrowingRegistry => {
  let current = createToolRegistry(own, config);
  const names = new Set(own.map(({ name }) => name));
  return {
    registry: {
      get tools() {
        return current.tools;
      },
      get schemas() {
        return current.schemas;
      },
      get callable() {
        return current.callable;
      },
      get: (name) => current.get(name),
      resolveName: (name) => current.resolveName(name),
      unknownText: (name) => current.unknownText(name),
    },
    setFurther(tools) {
      current = createToolRegistry([...own, ...tools.filter(({ name }) => !names.has(name))], config);
    },
  };
};

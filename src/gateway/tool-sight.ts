/** Models whose servers leave tools out of the prompt and say nothing: known until the process ends, as in a session. */
import { GATEWAY_LIMITS } from './limits.ts';

export type ToolSight = { isLeftOut(): boolean; learnLeftOut(): void };
export type ToolSights = { of(model: string): ToolSight };

export const createToolSights = (): ToolSights => {
  const leftOut = new Set<string>();
  return {
    of: (model) => ({
      isLeftOut: () => leftOut.has(model),
      learnLeftOut() {
        leftOut.add(model);
        const [oldest] = leftOut;
        if (leftOut.size > GATEWAY_LIMITS.keptModels && oldest !== undefined) leftOut.delete(oldest);
      },
    }),
  };
};

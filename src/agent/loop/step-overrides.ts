import type { Sampling } from '../../core/model-port.ts';

/** What holds for one request to the model, and for the calls that come of it. */
export type StepOverrides<Name extends string = string> = {
  /** Only these tools are on offer; a call of another one is refused. Empty: none is. */
  tools?: readonly Name[];
  /** Another model, by its name. The step after it has the conversation's own again. */
  model?: string;
  /** On top of the sampling that was set. */
  sampling?: Sampling;
};

/** Asked before each request; undefined: nothing is different. */
export type PrepareStep = () => StepOverrides | undefined | Promise<StepOverrides | undefined>;

import type { StepOverrides } from '../agent/loop/step-overrides.ts';
import type { Tool } from '../core/tool.ts';
import type { ParametersInput } from '../schema/index.ts';
import type { CallApproval } from './page-answers.ts';
import type { Step } from './run-chat.ts';

export type ChatOptions<T extends Tool = Tool, S extends ParametersInput = ParametersInput> = {
  /** Cancels the message; the chat then rejects with `AbortError`, and what came so far is its `partial`. */
  signal?: AbortSignal | undefined;
  /**
   * The shape of the answer: JSON Schema, Zod 4, or any Standard Schema that can say its JSON Schema. The result has the
   * value as `output`. An answer that does not fit is asked for again at most twice; then it is a `ModelFailure`.
   */
  schema?: S | undefined;
  /**
   * Ends the run after a step whose calls are done. Anything but true or false is an error of the chat. Default: the run
   * ends with an answer without calls.
   */
  stopWhen?: StepFunction<T, boolean> | undefined;
  /**
   * Asked before each request: other tools, another model (a name, or one of `roles`), other sampling for that step alone.
   * Default: nothing is different.
   */
  prepareStep?: StepFunction<T, StepOverrides<T['name'] | (string & {})> | undefined> | undefined;
  /**
   * Answers to the questions about the calls that `messages` of the harness ends with: what the page said. The message is
   * an empty list then, and the chat the first one of its harness. A call without a valid yes is not run, and the model is
   * told why. Needs `approvalSecret`.
   */
  approvals?: readonly CallApproval[] | undefined;
  /** Who answers this message: a name, or one of `roles`. Default: the harness's own model. */
  model?: string | undefined;
};

/** A method, so that one that takes the steps of some tools is taken where there are others besides. */
type StepFunction<T extends Tool, Answer> = { ask(step: Step<T>): Answer | Promise<Answer> }['ask'];

/** The pure core: runs in Node, Bun, Deno and a browser. */

export type { Effect } from './effects.ts';
export { ErrorCode, type ErrorCodeName, HalterError, ModelFailure } from './errors.ts';
export type * from './events.ts';
export type { ExecutorPhase } from './executor.ts';
export type * from './json.ts';
export { DEFAULT_LIMITS, LIMITS, type Limits } from './limits.ts';
export type * from './message.ts';
export type * from './model-port.ts';
export { createProjection } from './model-projection.ts';
export { type Failure, failure, type Outcome, succeed } from './outcome.ts';
export {
  evaluatePolicy,
  NO_RULES,
  type PolicyRules,
  parseRule,
  ruleText,
  type SourcedRule,
  suggestedRule,
} from './policy.ts';
export type * from './ports.ts';
export { findPreset, PRESETS, type Preset, presetNames } from './presets.ts';
export { callHistory, displayMessage, lastAnswer, projectForModel, projectForPerson } from './project.ts';
export { openQuestions, type ServerAnswer, type ServerQuestion } from './server-question.ts';
export { type Alternative, activePath, type BranchPoint, branches, givenTitle, pathAt } from './session-tree.ts';
export { initialState, type State } from './state.ts';
export { fold, type Step, step } from './step.ts';
export { sourcesLine, summarizeResult } from './summarize.ts';
export { composeSystemPrompt, type PromptSize, systemPrompt } from './system-prompt.ts';
export { defineTool, type ToolDefinition } from './tool/define-tool.ts';
export { type PositionalType, registerTool } from './tool/register-tool.ts';
export {
  type DefinedTool,
  type Preview,
  type Risk,
  type Tool,
  type ToolArguments,
  type ToolContext,
  type ToolEffects,
  type ToolSchema,
  type ToolValue,
  toolSchema,
} from './tool.ts';
export {
  createToolExecutor,
  type FinishedCall,
  type TickResult,
  type ToolExecutor,
  type ToolExecutorOptions,
} from './tool-executor.ts';
export { fail, ok, TOOL_ERROR_TYPES, type ToolErrorType, type ToolOutput, type ToolResult } from './tool-result.ts';
export { repairText, validateArguments } from './validate-arguments.ts';

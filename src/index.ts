/** halter as a library. `halter/dialects` and `halter/core` run in a browser too; `halter/testing` helps with tests. */

export type {
  AgentOptions,
  IoOptions,
  ModelOptions,
  PermissionOptions,
  PromptOptions,
  SearchOptions,
  StorageOptions,
  TelemetryOptions,
  ToolOptions,
  WorkspaceOptions,
} from './agent/create-agent/options.ts';
export type { PermissionQuestion } from './agent/loop/run-tool/execute-tool.ts';
export type { StepOverrides } from './agent/loop/step-overrides.ts';
export type { McpOptions } from './agent/mcp/mcp-options.ts';
export type { OpenPluginProvider, PluginProviderOptions } from './agent/models/open-provider.ts';
export type { Plugin } from './agent/plugins.ts';
export { ErrorCode, HalterError, ModelFailure, OpenFailure, RunStopped } from './core/errors.ts';
export type { Command, Event, PermissionDecision, Rule, SessionFace, SessionUpdate } from './core/events.ts';
export type { JsonObject, JsonSchema, JsonValue } from './core/json.ts';
export type { Limits } from './core/limits.ts';
export type {
  AssistantMessage,
  ContentPart,
  FinishReason,
  ModelMessage,
  Repair,
  ToolCall,
  ToolMessage,
  Usage,
  UserMessage,
} from './core/message.ts';
export type {
  ModelAnswer,
  ModelError,
  ModelErrorCode,
  ModelInfo,
  ModelOutcome,
  ModelPart,
  ModelProvider,
  ModelRequest,
  Sampling,
} from './core/model-port.ts';
export type { PermissionReply } from './core/permission-decision.ts';
export type { ServerAnswer, ServerQuestion } from './core/server-question.ts';
export { sourcesLine, summarizeResult } from './core/summarize.ts';
export { defineTool, type ToolDefinition } from './core/tool/define-tool.ts';
export { registerTool } from './core/tool/register-tool.ts';
export type { DefinedTool, Preview, Risk, Tool, ToolArguments, ToolContext, ToolValue } from './core/tool.ts';
export { fail, ok, type ToolErrorType, type ToolOutput, type ToolResult } from './core/tool-result.ts';
export type { Chat } from './harness/chat.ts';
export type { ChatEvent } from './harness/chat-events.ts';
export type { ChatOptions } from './harness/chat-options.ts';
export type { ChatFinish, ChatResult, PartialResult, ToolCallRecord } from './harness/chat-result.ts';
export { createHarness, type Harness } from './harness/create-harness.ts';
export type { HistoryMessage } from './harness/history.ts';
export type { HarnessOptions, McpServer } from './harness/options.ts';
export type { OtherMessage } from './harness/other-histories.ts';
export type { CallApproval } from './harness/page-answers.ts';
export type { OnPermission, PermissionRequest } from './harness/permission.ts';
export type { Step } from './harness/run-chat.ts';
export type { ConnectionRecord } from './io/network.ts';
export { BUILT_IN_TOOLS as builtinTools } from './tools/index.ts';

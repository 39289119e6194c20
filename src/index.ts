/** halter as a library. `halter/dialects` and `halter/core` run in a browser too; `halter/testing` helps with tests. */

export type { PermissionQuestion } from './agent/loop/run-tool/execute-tool.ts';
export { ErrorCode, HalterError, ModelFailure } from './core/errors.ts';
export type { Command, Event, PermissionDecision, Rule, SessionFace, SessionUpdate } from './core/events.ts';
export type { Limits } from './core/limits.ts';
export type { AssistantMessage, ContentPart, ModelMessage, ToolCall, Usage } from './core/message.ts';
export type { ModelProvider } from './core/model-port.ts';
export type { PermissionReply } from './core/permission-decision.ts';
export type { ServerAnswer, ServerQuestion } from './core/server-question.ts';
export { sourcesLine, summarizeResult } from './core/summarize.ts';
export { defineTool, registerTool, type ToolDefinition } from './core/tool/define-tool.ts';
export type { DefinedTool, Preview, Risk, Tool, ToolArguments, ToolContext, ToolValue } from './core/tool.ts';
export { fail, ok, type ToolErrorType, type ToolOutput, type ToolResult } from './core/tool-result.ts';
export type { Chat, ChatResult, OnPermission, ToolCallRecord } from './harness/chat.ts';
export { createHarness, type Harness } from './harness/create-harness.ts';
export type { HarnessOptions, McpServer } from './harness/options.ts';
export type { ConnectionRecord } from './io/network.ts';
export { BUILT_IN_TOOLS as builtinTools } from './tools/index.ts';

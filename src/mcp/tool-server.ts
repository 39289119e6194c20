/**
 * halter's tools for other programs: an MCP server over one function that runs a call. Validation, rules and runner are
 * those of every call, so the ToolResult that comes back here is the one that comes back anywhere.
 */

import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type JSONObject,
  type Tool as ListedTool,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../core/json.ts';
import { type PermissionReply, unknownDecision } from '../core/permission-decision.ts';
import { onlyReads, type Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { cleanText } from './clean-text.ts';
import { MCP_LIMITS } from './limits.ts';
import { type PromptSource, servePrompts } from './served-prompts.ts';
import { questionText, type ServedQuestion } from './served-question.ts';

export type ServedCall = {
  signal: AbortSignal;
  report(text: string): void;
  /** Absent: nobody can be asked. */
  ask?(question: ServedQuestion): Promise<PermissionReply>;
};

/** Which of the lists is another one now. */
export type ServedChange = { tools: boolean; prompts: boolean };

export type ToolServerOptions = {
  version: string;
  /** Those that can be used now. */
  tools(): Promise<readonly Tool[]>;
  execute(name: string, args: JsonObject, call: ServedCall): Promise<ToolResult>;
  prompts: PromptSource;
  /** Absent: the lists stay as they are. Gives back what ends the listening. */
  changes?(listener: (change: ServedChange) => void): () => void;
};

const listed = ({ name, description, parameters, effects, effects_implied, risk }: Tool): ListedTool => ({
  name,
  description,
  inputSchema: { type: 'object', ...(parameters as JSONObject) } as ListedTool['inputSchema'],
  annotations: {
    readOnlyHint: onlyReads({ effects, effects_implied }),
    destructiveHint: effects === 'write' || effects === 'process' || risk === 'high',
    openWorldHint: effects === 'network' || effects === 'process',
  },
});

const textOf = ({ success, data, error_message }: ToolResult): string =>
  success ? (data ?? '') : [error_message, data].filter((part) => part).join('\n');

const answered = (result: ToolResult): CallToolResult => ({
  content: [{ type: 'text', text: textOf(result) }],
  structuredContent: structuredClone(result) as unknown as Record<string, unknown>,
  isError: !result.success,
});

/** The key of the one question that a call may raise. */
const QUESTION = 'permission';

/** The answers of the form, in words of a person. A form that was declined holds none. */
const ANSWERS = ['allow once', 'deny'] as const;
const replyOf = (answer: unknown): PermissionReply => {
  if (answer === 'allow once') return { decision: 'allow_once' };
  if (answer === undefined || answer === 'deny') return { decision: 'deny' };
  return { decision: 'deny', reason: unknownDecision(answer, ANSWERS) };
};

const question = (name: string, args: JsonObject, asked: ServedQuestion): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: questionText(name, args, asked),
        requestedSchema: {
          type: 'object',
          properties: {
            decision: { type: 'string', title: 'Decision', enum: [...ANSWERS], default: 'deny' },
          },
          required: ['decision'],
        },
      }),
    },
  });

/** One for each connection. */
export const createToolServer = (options: ToolServerOptions): Server => {
  const list = options.changes ? { listChanged: true } : {};
  const server = new Server(
    { name: 'halter', version: options.version },
    { capabilities: { tools: list, prompts: list, completions: {}, logging: {} } },
  );
  const leave = options.changes?.(({ tools, prompts }) => {
    // A client that is gone, or not there yet, hears nothing: it asks for the lists when it comes.
    if (tools) server.sendToolListChanged().catch(() => {});
    if (prompts) server.sendPromptListChanged().catch(() => {});
  });
  if (leave) server.onclose = leave;
  /** As the client set it; what tools tell is `info`. */
  let isLogging = false;
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    isLogging = params.level === 'debug' || params.level === 'info';
    return {};
  });
  servePrompts(server, options.prompts);

  server.setRequestHandler('tools/list', async () => ({ tools: (await options.tools()).map(listed) }));

  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult | InputRequiredResult> => {
    const { name } = params;
    const args = (params.arguments ?? {}) as JsonObject;
    const { signal, inputResponses } = context.mcpReq;
    const progress = progressOf(context);
    const report = (text: string): void => {
      progress(text);
      if (isLogging) logOf(context, name, text);
    };
    const canAsk = server.getClientCapabilities()?.elicitation !== undefined;
    const said = inputResponses?.[QUESTION] === undefined ? undefined : acceptedContent(inputResponses, QUESTION);
    const isAnswered = inputResponses?.[QUESTION] !== undefined;
    let asked: ServedQuestion | undefined;
    const result = await options.execute(name, args, {
      signal,
      report,
      ...(canAsk
        ? {
            async ask(wanted) {
              if (isAnswered) return replyOf(said?.['decision']);
              asked = wanted;
              return { decision: 'deny' };
            },
          }
        : {}),
    });
    if (asked !== undefined) return question(name, args, asked);
    return answered(result);
  });
  return server;
};

/** For a client that set a level, what a tool tells while it runs is a line of its log too. */
const logOf = (context: ServerContext, logger: string, text: string): void => {
  const data = cleanText(text).text.slice(0, MCP_LIMITS.mcpErrorCharacters);
  context.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', logger, data } }).catch(() => {});
};

/** Where the client wants to hear of it, what a tool tells while it runs is progress. */
const progressOf = (context: ServerContext): ((text: string) => void) => {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (text) => {
    progress += 1;
    const message = cleanText(text).text.slice(0, MCP_LIMITS.mcpShownCharacters);
    const params = { progressToken, progress, message };
    // A client that is gone hears nothing, and that is no fault of the tool.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
};

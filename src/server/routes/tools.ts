/** L3: the tools, and one call of one of them, under the same validation, policy and runner as in the loop. */
import { offeredTools } from '../../agent/loop/run-tool/tool-registry.ts';
import { absenceOf } from '../../core/tool/said-of-itself.ts';
import { toolSchema } from '../../core/tool.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { ApiError } from '../api-error.ts';
import { defineRoute, json, type Route } from '../route.ts';
import { TOOL_RESULT } from '../schemas.ts';

export const TOOL_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/tools',
    summary: 'The tools, with schemas and risk',
    tag: 'tools',
    query: {
      form: { description: "`openai`: `tools` is a list as OpenAI's API takes it.", schema: { enum: ['openai'] } },
    },
    responses: {
      200: {
        description: 'The tools.',
        schema: {
          type: 'object',
          required: ['tools'],
          properties: {
            tools: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  type: { const: 'function', description: 'With `form=openai`.' },
                  function: { type: 'object', description: 'With `form=openai`: name, description and parameters.' },
                  name: { type: 'string' },
                  description: { type: 'string' },
                  parameters: { type: 'object' },
                  risk: { enum: ['safe', 'medium', 'high'] },
                  main_argument: { type: 'string', description: 'The argument that a one-line display shows.' },
                  unavailable: {
                    type: 'string',
                    description:
                      'Why it cannot be used with the settings there are; it is not offered to a model then.',
                  },
                },
              },
            },
          },
        },
      },
    },
    handle: async ({ server, query }) => {
      const form = query.get('form');
      if (form !== null && form !== 'openai') throw new ApiError(400, 'invalid_request', 'form must be openai.');
      await server.halter.mcp.open();
      const { config, tools, preset } = server.halter;
      if (form === 'openai') {
        return json({ tools: offeredTools(tools, config, preset?.offersAll).map(toolSchema) });
      }
      return json({
        tools: tools.map((tool) => {
          const { name, description, parameters, risk, main_argument } = tool;
          const unavailable = absenceOf(tool, config)?.reason;
          return { name, description, parameters, risk, main_argument, unavailable };
        }),
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tools/execute',
    summary: 'Run one tool',
    description:
      'The rules of permission apply as everywhere: what would have to be asked is refused with 403 and the reason `permission_required`.',
    tag: 'tools',
    body: {
      type: 'object',
      required: ['tool_name', 'arguments'],
      properties: {
        tool_name: { type: 'string', description: 'The name of the tool.' },
        arguments: {
          type: 'object',
          description: 'Its arguments, checked without coercion.',
          properties: {},
          additionalProperties: true,
        },
        session_id: {
          type: 'string',
          pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
          description:
            'The session whose tasks the call shares, and whose content it is judged by; it begins where it is new.',
        },
      },
    },
    responses: {
      200: { description: 'The call ran, well or not.', schema: executed() },
      403: { description: 'It is not permitted. Nothing ran.', schema: executed() },
      404: { description: 'There is no such tool.', schema: executed() },
      409: { description: 'The session cannot be used from here now.' },
    },
    async handle({ body, server, signal }) {
      const { tool_name: name, arguments: args, session_id: id } = body;
      const result =
        id === undefined
          ? await server.halter.executeTool(name, args, { signal })
          : await server.sessions.withToolState(id, (state) =>
              server.halter.executeTool(name, args, { signal, ...state }),
            );
      return json(
        {
          success: result.success,
          result: result.data ?? result.error_message ?? '',
          exit_code: result.metadata.exit_code ?? (result.success ? 0 : 1),
          tool_result: result,
        },
        statusOf(result),
      );
    },
  }),
];

const statusOf = ({ error_type, metadata }: ToolResult): number => {
  if (error_type === 'permission_denied') return 403;
  return metadata.code === UNKNOWN_TOOL ? 404 : 200;
};
const UNKNOWN_TOOL = 500;

function executed() {
  return {
    type: 'object',
    required: ['success', 'result', 'exit_code', 'tool_result'],
    properties: {
      success: { type: 'boolean' },
      result: { type: 'string', description: 'The output, or what went wrong.' },
      exit_code: { type: 'integer', description: 'Of a command; else 0 for a success and 1 for a failure.' },
      tool_result: TOOL_RESULT,
    },
  };
}

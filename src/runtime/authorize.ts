/**
 * One way from a call to a yes or no, whatever surface asks: known tool, valid arguments, rules. Asking a person is the
 * caller's business; nothing runs here.
 */
import { ErrorCode } from '../core/errors.ts';
import type { Rule } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { Repair, ToolCall } from '../core/message.ts';
import { type DecideCommand, evaluatePolicy, type PolicyRules, suggestedRule } from '../core/policy.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolErrorType } from '../core/tool-result.ts';
import { repairText, validateArguments } from '../core/validate-arguments.ts';
import type { ToolRegistry } from './tool-registry.ts';

export type Authorization =
  | {
      kind: 'refused';
      error_type: Exclude<ToolErrorType, 'none'>;
      message: string;
      reason?: string;
      code?: number;
      /** The arguments were at fault, so the model gets another try (K4). */
      arguments_at_fault: boolean;
    }
  | {
      kind: 'evaluated';
      tool: Tool;
      verdict: 'allow' | 'ask' | 'deny';
      because: string;
      exclusive: boolean;
      arguments: JsonObject;
      dropped: string[];
      repairs: Repair[];
      rule: Rule;
    };

export const authorize = (
  registry: ToolRegistry,
  rules: PolicyRules,
  call: Pick<ToolCall, 'name' | 'malformed'> & { arguments: unknown },
  mode: 'strict' | 'model',
  decideCommand?: DecideCommand,
): Authorization => {
  const tool = registry.get(call.name);
  if (call.name.trim() === '') {
    return {
      kind: 'refused',
      error_type: 'validation_failed',
      message: `The call names no tool. The tools are: ${registry.tools.map(({ name }) => name).join(', ') || 'none'}.`,
      arguments_at_fault: true,
    };
  }
  if (tool === undefined) {
    return {
      kind: 'refused',
      error_type: 'not_found',
      message: registry.unknownText(call.name),
      code: ErrorCode.ToolNotFound,
      arguments_at_fault: false,
    };
  }
  if (call.malformed) {
    return {
      kind: 'refused',
      error_type: 'parse_error',
      message: repairText(tool.name, tool.parameters, [call.malformed.problem]),
      arguments_at_fault: true,
    };
  }
  const checked = validateArguments(tool.parameters, call.arguments, mode);
  if (!checked.ok) {
    return {
      kind: 'refused',
      error_type: 'validation_failed',
      message: repairText(tool.name, tool.parameters, checked.issues),
      arguments_at_fault: true,
    };
  }
  const answer = evaluatePolicy(rules, tool, checked.arguments, decideCommand);
  return {
    kind: 'evaluated',
    tool,
    ...answer,
    exclusive: tool.effects === 'write' || tool.effects === 'process',
    arguments: checked.arguments,
    dropped: checked.dropped,
    repairs: checked.repairs,
    rule: suggestedRule(tool, checked.arguments),
  };
};

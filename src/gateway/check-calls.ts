/** Whether a model's calls fit the caller's tools. Nothing is put in or left out; what can be repaired losslessly is. */

import type { ToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolCall } from '../core/message.ts';
import type { Tool } from '../core/tool.ts';
import { inexactText, repairText, validateArguments } from '../core/validate-arguments.ts';
import { keepWritten } from '../core/written-numbers.ts';

export type CheckedCall = { call: ToolCall; problem?: string; tool?: Tool };

export const checkCall = (registry: ToolRegistry, call: ToolCall): CheckedCall => {
  const tool = registry.get(call.name);
  if (tool === undefined) return { call, problem: registry.unknownText(call.name, call.arguments) };
  if (call.malformed) {
    return { call, tool, problem: repairText(tool.name, tool.parameters, [call.malformed.problem]) };
  }
  const checked = validateArguments(tool.parameters, call.arguments, 'model', { asText: true });
  const issues = checked.ok ? (checked.inexact ?? []).map(inexactText) : checked.issues;
  if (!checked.ok || issues.length > 0) return { call, tool, problem: repairText(tool.name, tool.parameters, issues) };
  const args: JsonObject = keepWritten(call.arguments, {});
  const closed = tool.parameters.additionalProperties === false;
  for (const [key, value] of Object.entries(call.arguments)) {
    const repaired = checked.arguments[key];
    if (Object.hasOwn(checked.arguments, key) && repaired !== undefined) args[key] = repaired;
    // The schema says nothing of it, which allows it; the caller's own check has the last word.
    else if (checked.dropped.includes(key) && !closed && key !== '__proto__') args[key] = value;
  }
  return { tool, call: { ...call, arguments: args, repairs: [...call.repairs, ...checked.repairs] } };
};

/** `halter tools validate`: Edison's check of a `{tool, args}` payload, strictly, without running anything (E5). */

import { nearestNames } from '../../agent/loop/run-tool/tool-registry.ts';
import { type JsonObject, withoutByteOrderMark } from '../../core/json.ts';
import { findPreset } from '../../core/presets.ts';
import { repeatedKey, repeatedKeyText } from '../../core/repeated-key.ts';
import type { Tool } from '../../core/tool.ts';
import type { ToolErrorType } from '../../core/tool-result.ts';
import { inexactText, validateArguments } from '../../core/validate-arguments.ts';
import { parseWritten } from '../../core/written-numbers.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { CLI_LIMITS } from '../limits.ts';
import { readStdin } from '../read-stdin.ts';

export type Validation = { valid: boolean; error: string | null; tool: string | null; args: JsonObject | null };

const KEYS = ['args', 'tool'];

export const validatePayload = (text: string, tools: readonly Pick<Tool, 'name' | 'parameters'>[]): Validation =>
  checkPayload(text, tools).validation;

/** The same, with the kind of what is wrong, as a call of the tool would report it. */
export const checkPayload = (
  text: string,
  tools: readonly Pick<Tool, 'name' | 'parameters'>[],
): { validation: Validation; error_type: ToolErrorType } => {
  const refuse = (error: string, tool: string | null = null, error_type: ToolErrorType = 'validation_failed') => ({
    validation: { valid: false, error, tool, args: null },
    error_type,
  });
  let payload: unknown;
  try {
    payload = parseWritten(withoutByteOrderMark(text));
  } catch (error) {
    return refuse(`Invalid JSON: ${(error as Error).message}`, null, 'parse_error');
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined)
    return refuse(`The payload cannot be used: ${repeatedKeyText(repeated)}.`, null, 'parse_error');
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    return refuse('The payload must be a JSON object with the keys tool and args.');
  }
  const keys = Object.keys(payload).sort();
  if (keys.length !== KEYS.length || keys.some((key, index) => key !== KEYS[index])) {
    return refuse(`The payload must have exactly the keys tool and args, and has: ${keys.join(', ') || 'none'}.`);
  }
  const { tool: name, args } = payload as { tool: unknown; args: unknown };
  if (typeof name !== 'string') return refuse('tool must be a string.');
  const tool = tools.find((known) => known.name === name);
  if (tool === undefined) {
    const near = nearestNames(
      name,
      tools.map((known) => known.name),
    );
    const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
    return refuse(`Unknown tool: ${name}.${hint}`, name, 'not_found');
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return refuse('args must be a JSON object.', name);
  const checked = validateArguments(tool.parameters, args, 'strict');
  const issues = checked.ok ? (checked.inexact ?? []).map(inexactText) : checked.issues;
  return checked.ok && issues.length === 0
    ? { validation: { valid: true, error: null, tool: name, args: checked.arguments }, error_type: 'none' }
    : refuse(issues.join('; '), name);
};

export const toolsValidateCommand: CommandCode = {
  async execute({ flags, io }) {
    const names = findPreset(flags.preset ?? '')?.tools;
    const tools = BUILT_IN_TOOLS.filter(({ name }) => names?.includes(name) ?? true);
    const text = await readStdin(io, { maxBytes: CLI_LIMITS.commandFileBytes, advice: 'No payload is as long.' });
    const validation = text.ok ? validatePayload(text.value, tools) : notRead(text.error.message);
    io.stdout.write(`${JSON.stringify(validation)}\n`);
    return validation.valid ? EXIT.answered : EXIT.error;
  },
};

const notRead = (error: string): Validation => ({ valid: false, error, tool: null, args: null });

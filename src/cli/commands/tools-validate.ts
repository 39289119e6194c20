/** `halter tools validate`: Edison's check of a `{tool, args}` payload, strictly, without running anything (E5). */
import type { JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Tool } from '../../core/tool.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { nearestNames } from '../../runtime/tool-registry.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { readStdin } from '../read-stdin.ts';

export type Validation = { valid: boolean; error: string | null; tool: string | null; args: JsonObject | null };

const KEYS = ['args', 'tool'];

export const validatePayload = (text: string, tools: readonly Tool[]): Validation => {
  const refuse = (error: string, tool: string | null = null): Validation => ({ valid: false, error, tool, args: null });
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch (error) {
    return refuse(`Invalid JSON: ${(error as Error).message}`);
  }
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
    return refuse(`Unknown tool: ${name}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`, name);
  }
  const checked = validateArguments(tool.parameters, args, 'strict');
  return checked.ok
    ? { valid: true, error: null, tool: name, args: checked.arguments }
    : refuse(checked.issues.join('; '), name);
};

export const toolsValidateCommand: CommandCode = {
  async execute({ io }) {
    const text = await readStdin(io, { maxBytes: LIMITS.commandFileBytes, advice: 'No payload is as long.' });
    const validation = text.ok ? validatePayload(text.value, BUILT_IN_TOOLS) : notRead(text.error.message);
    io.stdout.write(`${JSON.stringify(validation)}\n`);
    return validation.valid ? EXIT.answered : EXIT.error;
  },
};

const notRead = (error: string): Validation => ({ valid: false, error, tool: null, args: null });

/** `--tools FILE` of `parse` and `render`: the tools on offer, in the form of OpenAI's API or as halter lists them. */

import { isObject } from '../core/json.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { ToolDefinition } from '../dialects/index.ts';
import { UsageError } from './io.ts';
import { readNamedJson } from './text-file.ts';

const isTool = (value: unknown): value is ToolDefinition => {
  if (typeof value !== 'object' || value === null) return false;
  const inner = 'function' in value ? value.function : value;
  return typeof inner === 'object' && inner !== null && 'name' in inner && typeof inner.name === 'string';
};

export const readToolsFile = async (path: string, cwd: string): Promise<ToolDefinition[]> => {
  const read = await readNamedJson(path, '--tools', cwd);
  // `tools list --json` and `GET /api/tools` answer with an object.
  const value = isObject(read) ? read['tools'] : read;
  if (Array.isArray(value) && value.every(isTool)) return value;
  throw new UsageError(
    `--tools ${quotedName(path)} is not a list of tools: [{"type": "function", "function": {"name": …}}].`,
  );
};

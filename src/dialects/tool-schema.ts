/** The description of a tool looks like a call of it: a name, and `parameters` that are a JSON Schema. */
import { isObject, type JsonValue } from '../core/json.ts';
import type { ToolDefinition } from './types.ts';

/** Whether arguments are a schema of some: each property is described and none has a value. */
export const isToolSchema = (args: JsonValue | undefined): boolean => {
  if (!isObject(args) || args['type'] !== 'object' || !isObject(args['properties'])) return false;
  return Object.values(args['properties']).every((property) => isObject(property) && !Object.hasOwn(property, 'value'));
};

/** Whether these arguments describe the tool and are none of its own. */
export const describesTool = (
  tools: readonly ToolDefinition[] | undefined,
  name: string,
  args: JsonValue | undefined,
): boolean => {
  if (!isToolSchema(args)) return false;
  const tool = tools?.map((one) => ('function' in one ? one.function : one)).find((one) => one.name === name);
  const properties = tool?.parameters?.['properties'];
  return !isObject(properties) || !Object.hasOwn(properties, 'properties');
};

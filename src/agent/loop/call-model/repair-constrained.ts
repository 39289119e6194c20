/**
 * The last rung of the ladder (B1): arguments that could not be repaired, and that the model did not put right when it was
 * shown the schema, are decoded under that schema. The engine then writes nothing else, and what it writes is checked
 * again all the same: some servers take a schema and ignore it.
 */

import type { Event } from '../../../core/events.ts';
import { isObject, type JsonObject } from '../../../core/json.ts';
import type { ModelMessage, Repair } from '../../../core/message.ts';
import type { ModelProvider, ModelRequest, ProviderCall } from '../../../core/model-port.ts';
import type { ModelProfile } from '../../../core/model-profile.ts';
import { TOO_DEEP } from '../../../core/nested-json.ts';
import { type Tool, toolSchema } from '../../../core/tool.ts';
import { validateArguments } from '../../../core/validate-arguments.ts';
import { readJsonText } from '../../../dialects/unclosed-json.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import { UNREADABLE_ARGUMENTS } from './repair-calls.ts';

/**
 * An engine in this process decodes at once. A server reads the prompt without tools anew, so it comes last, but for a
 * model that was found to write bad arguments often.
 */
const FIRST_RETRY = 1;

/** The tool whose arguments are to be decoded now; undefined where the next request is an ordinary one. */
export const toolToDecode = (
  session: SessionHandle,
  registry: ToolRegistry,
  provider: ModelProvider,
  profile?: ModelProfile,
): Tool | undefined => {
  const { badIterations, limits } = session.state();
  const atOnce = provider.decodeToolCall !== undefined || profile?.constrained === 'first_retry';
  const from = atOnce ? FIRST_RETRY : limits.repairs;
  const canConstrain =
    provider.decodeToolCall !== undefined || (provider.constrains === true && profile?.constrained !== 'never');
  if (!canConstrain || badIterations < Math.max(1, from)) return undefined;
  return lastRejected(session.path(), registry);
};

/** The first call of the last message that was sent back for its arguments. */
const lastRejected = (log: readonly Event[], registry: ToolRegistry): Tool | undefined => {
  const rejected = new Set<string>();
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const event = log[index] as Event;
    if (event.type === 'arguments_rejected') rejected.add(event.tool_call_id);
    if (event.type !== 'assistant_message_added') continue;
    const call = event.message.tool_calls.find(({ id }) => rejected.has(id));
    // What the token limit cut would be cut again.
    if (call === undefined || event.message.finish === 'length' || call.malformed?.cut) return undefined;
    // Of a call that was read out of text its place or form was wrong, which is no matter of its arguments.
    if (call.malformed !== undefined && call.source === 'parsed' && !isUnreadable(call.malformed.problem))
      return undefined;
    const tool = registry.get(call.name);
    return tool !== undefined && hasArguments(tool) ? tool : undefined;
  }
  return undefined;
};

const isUnreadable = (problem: string): boolean => problem === UNREADABLE_ARGUMENTS || problem === TOO_DEEP;

/** Without any there is nothing to decode. */
const hasArguments = ({ parameters }: Tool): boolean =>
  isObject(parameters['properties']) && Object.keys(parameters['properties']).length > 0;

const CONSTRAINED: Repair = {
  kind: 'constrained',
  detail: 'the arguments were decoded again under the schema of the tool',
};

/** The request that has the server write the arguments and nothing else. */
export const constrainedRequest = (request: ModelRequest, tool: Tool): ModelRequest => ({
  ...request,
  tools: [],
  response_schema: tool.parameters,
  must_constrain: true,
});

/** The call that the text is the arguments of, if it is. */
export const constrainedCall = (tool: Tool, text: string): ProviderCall | undefined => {
  const read = readJsonText(text, 'refuse');
  if (!read.ok || typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)) return undefined;
  return isWholeCall(tool, read.value) ? undefined : checkedCall(tool, read.value);
};

/** A server that ignores the schema may have the model write its call again, which is not the arguments of one. */
const isWholeCall = (tool: Tool, value: JsonObject): boolean => {
  const properties = isObject(tool.parameters['properties']) ? tool.parameters['properties'] : {};
  const keys = Object.keys(value);
  return (
    keys.some((key) => CALL_KEYS.has(key)) && keys.every((key) => !Object.hasOwn(properties, key) || key === 'name')
  );
};
const CALL_KEYS = new Set(['arguments', 'args', 'parameters', 'tool']);

/** What a server wrote under the schema is arguments, and they do not fit; words, or a whole call, are something else. */
export const isUnfit = (tool: Tool, text: string): boolean => {
  const read = readJsonText(text, 'refuse');
  return read.ok && isObject(read.value) && !isWholeCall(tool, read.value);
};

/** An engine in this process is asked for the call itself. */
export const decodedCall = async (
  session: SessionHandle,
  provider: ModelProvider,
  messages: readonly ModelMessage[],
  tool: Tool,
): Promise<ProviderCall | undefined> => {
  const { model } = session.state();
  const decoded = await provider.decodeToolCall?.({ model, messages, tool: toolSchema(tool) }, session.signal());
  return decoded?.ok ? checkedCall(tool, decoded.call.arguments) : undefined;
};

/** Some schemas say more than a grammar can, and some servers take a schema and do not keep to it. */
export const unfitText = (name: string): string =>
  `The arguments of ${name} that were decoded under its schema do not fit it all the same, so they were not used. The engine cannot express all of that schema, or does not keep to it.`;

const checkedCall = (tool: Tool, args: JsonObject): ProviderCall | undefined =>
  validateArguments(tool.parameters, args, 'model').ok
    ? { name: tool.name, arguments: args, source: 'constrained', repairs: [CONSTRAINED] }
    : undefined;

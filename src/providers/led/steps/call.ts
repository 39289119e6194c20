/**
 * One call, decoded under the tool's schema, argument by argument: the model fills in a value, a grammar keeps it valid and
 * near to what the request names, and what one argument has used is not offered to the next.
 */
import type { JsonObject, JsonSchema } from '../../../core/json.ts';
import type { LedTurn } from '../../../core/led-port.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { asSchema, schemaTypes } from '../grammar.ts';
import { LED_LIMITS } from '../limits.ts';
import { RequestFacts } from '../request-facts.ts';
import { CallWriter, IncompleteCallError, type WriterContext } from './call-writer.ts';
import { chooseArguments, isSaid } from './choose-arguments.ts';
import { withoutMiddle } from './left-out.ts';

export type DecodedCall = { name: string; arguments: JsonObject; text: string };

const describeType = (schema: JsonSchema): string => {
  const types = schemaTypes(schema);
  const items = types[0] === 'array' ? schemaTypes(asSchema(schema['items']))[0] : undefined;
  return items === undefined ? types.join(' or ') || 'any' : `array of ${items}`;
};

/** The tool as a small model reads it best: its purpose, then a line for each argument that will be written. */
export const describeTool = (tool: ToolSchema, names: readonly string[]): string => {
  const properties = asSchema(tool.function.parameters['properties']);
  const lines = names.map((name) => {
    const schema = asSchema(properties[name]);
    const description = typeof schema['description'] === 'string' ? `: ${schema['description']}` : '';
    return `- ${name} (${describeType(schema)})${description}`;
  });
  return [`${tool.function.name}: ${tool.function.description}`, ...lines].join('\n');
};

const INSTRUCTION = "You fill in the arguments of a function from the user's request. Copy values from the request.";

const callPrompt = (tool: ToolSchema, names: readonly string[], request: string): LedTurn[] => [
  {
    role: 'system',
    content: `${INSTRUCTION}\n\n${describeTool(tool, names).slice(0, LED_LIMITS.ledToolCharacters)}`,
  },
  { role: 'user', content: withoutMiddle(request, LED_LIMITS.ledCallCharacters) },
];

/** Undefined where decoding was cut off or cancelled. */
export const decodeCall = async (
  context: WriterContext,
  tool: ToolSchema,
  request: string,
): Promise<DecodedCall | undefined> => {
  const parameters = tool.function.parameters;
  const facts = new RequestFacts(request);
  const { named, spare } = chooseArguments(tool, facts);
  const typeOf = (name: string): string | undefined =>
    schemaTypes(asSchema(asSchema(parameters['properties'])[name]))[0];
  const numeric = [...named, ...spare].filter((name) => ['integer', 'number'].includes(typeOf(name) ?? ''));
  facts.reserve(numeric, asSchema(parameters['properties']));
  facts.reserveListed(named, asSchema(parameters['properties']));
  const turns = callPrompt(tool, [...named, ...spare], request);
  // Where a string stands beside other arguments, it is one name of several and not the whole rest of the request.
  const short = named.length > 1 && named.some((name) => typeOf(name) === 'string');
  const writer = new CallWriter(context, { tool, turns, facts, short });
  try {
    writer.fixed('{');
    for (const [index, name] of named.entries()) await writer.member(parameters, name, index === 0);
    // A number that no other argument took belongs to the one optional argument that could take it.
    for (const name of spare) {
      if (facts.spareNumbers(isSaid(name, facts)) > 0) await writer.member(parameters, name, writer.text === '{');
    }
    writer.fixed('}');
  } catch (error) {
    if (error instanceof IncompleteCallError) return undefined;
    throw error;
  }
  return { name: tool.function.name, arguments: JSON.parse(writer.text) as JsonObject, text: writer.text };
};

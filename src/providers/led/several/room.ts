/** How many values of each kind one call of a tool takes. */
import type { ToolSchema } from '../../../core/tool.ts';
import { asSchema, schemaTypes } from '../grammar.ts';
import { isDateArgument } from '../request-facts/dates.ts';
import type { RequestFacts } from '../request-facts.ts';
import { isSaid, listedValues, requiredNames } from '../steps/choose-arguments.ts';
import { plainWords } from '../words.ts';
import type { Mention } from './mentions.ts';

export const KINDS = ['number', 'text', 'date', 'list'] as const;
export type Kind = Mention['kind'];
export type Room = Record<Kind, number>;

type Argument = { name: string; kind: Kind; takesMany: boolean };

const argumentsOf = (tool: ToolSchema): Argument[] =>
  Object.entries(asSchema(tool.function.parameters['properties'])).flatMap(([name, value]): Argument[] => {
    const schema = asSchema(value);
    const [type] = schemaTypes(schema);
    const description = typeof schema['description'] === 'string' ? schema['description'] : '';
    if (type === 'integer' || type === 'number') return [{ name, kind: 'number', takesMany: false }];
    if (type === 'string')
      return [{ name, kind: isDateArgument(name, description) ? 'date' : 'text', takesMany: false }];
    if (type !== 'array' && type !== 'object') return [];
    const [items] = schemaTypes(asSchema(schema['items']));
    return [{ name, kind: items === 'integer' || items === 'number' ? 'number' : 'text', takesMany: true }];
  });

const noRoom = (): Room => ({ number: 0, text: 0, date: 0, list: 0 });

export const requiredRoom = (tool: ToolSchema): Room => {
  const required = requiredNames(tool);
  const room = noRoom();
  for (const { name, kind, takesMany } of argumentsOf(tool)) {
    if (required.includes(name)) room[takesMany && kind === 'number' ? 'list' : kind] += 1;
  }
  return room;
};

/** Optional arguments that nothing in the request says: what stands beside a list could still be theirs. */
export const spareRoom = (tool: ToolSchema, facts: RequestFacts): Room => {
  const required = requiredNames(tool);
  const room = noRoom();
  for (const { name, kind, takesMany } of argumentsOf(tool))
    if (!takesMany && !required.includes(name) && !isSaid(name, facts)) room[kind] += 1;
  return room;
};

export const roomOf = (tool: ToolSchema, facts: RequestFacts): Room => {
  const required = requiredNames(tool);
  const room = noRoom();
  for (const { name, kind, takesMany } of argumentsOf(tool)) {
    if (takesMany) {
      room[kind] = Number.POSITIVE_INFINITY;
      room.list += 1;
    } else if (required.includes(name) || isSaid(name, facts)) room[kind] += 1;
  }
  return room;
};

/** A number is a text where the tool takes no number and asks for something that is told by one: "Case No 28473". */
export const takesNumbersAsText = (tool: ToolSchema): boolean => {
  const all = argumentsOf(tool);
  const isTold = ({ name, kind }: Argument): boolean =>
    kind === 'text' && plainWords(name).some((word) => TOLD_BY_NUMBER.has(word));
  return !all.some(({ kind }) => kind === 'number') && all.some(isTold);
};
const TOLD_BY_NUMBER: ReadonlySet<string> = new Set(['number', 'no', 'id', 'code', 'zip', 'phone']);

/** What the schema lists for arguments that take one value. */
export const listedFor = (tool: ToolSchema, type: 'string' | 'array'): string[] =>
  Object.values(asSchema(tool.function.parameters['properties']))
    .map(asSchema)
    .filter((schema) => schemaTypes(schema)[0] === type)
    .flatMap(listedValues);

/** Which arguments a call gets: the required ones always, an optional one where the request names it. */
import type { JsonSchema } from '../../../core/json.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { asSchema, schemaTypes } from '../grammar.ts';
import { isDateArgument } from '../request-facts/dates.ts';
import { isNumeric, isYear, type RequestFacts } from '../request-facts.ts';
import { contentWords, plainWords } from '../words.ts';

export const requiredNames = (tool: ToolSchema): string[] => {
  const required = tool.function.parameters['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
};

/** A text that names a file or folder. */
export const isPathArgument = (name: string, schema: JsonSchema): boolean =>
  schemaTypes(schema)[0] === 'string' &&
  plainWords(name).some((word) => ['path', 'file', 'filename', 'folder', 'directory', 'dir'].includes(word));

/** Values that a schema lists: an enumeration, or the examples that its description quotes. */
export const listedValues = (schema: JsonSchema): string[] => {
  const own = schema['enum'] ?? asSchema(schema['items'])['enum'];
  if (Array.isArray(own)) return own.filter((value) => typeof value === 'string');
  const description = schema['description'];
  if (typeof description !== 'string') return [];
  const quoted = [...description.matchAll(/(?<![\p{L}\p{N}])['"‘“`]([^'"’”`]{1,40})['"’”`](?![\p{L}\p{N}])/gu)].map(
    (match) => match[1] ?? '',
  );
  const values = quoted.filter((value) => value.trim().length > 0);
  return values.length > 0 ? values : namedIn(description);
};

const ITEM = String.raw`\p{L}[\p{L}\p{N}+-]*(?: [\p{L}\p{N}+-]+){0,2}`;
const NAMED = new RegExp(
  String.raw`(?:\(|\b(?:e\.g\.?|such as|for example|like|can be|one of|either|options?:)[,:]?\s+)(?:e\.g\.?,?\s+)?(${ITEM}(?:, ${ITEM}){1,9},? (?:and |or )?${ITEM})\s*(?:\)|[.;]|$|,? etc)`,
  'iu',
);
/** Three or more examples without quotes: "the mode of transport (walk, bike, transit, drive)". */
const namedIn = (description: string): string[] =>
  (NAMED.exec(description)?.[1] ?? '')
    .split(/,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+/iu)
    .map((value) => value.trim())
    .filter((value) => value.length > 0 && value !== 'etc');

const FREE_TEXT: ReadonlySet<string> = new Set(
  'text message content query prompt body description command question sentence note title subject comment'.split(' '),
);
/** A text of many words, which may speak of anything. */
export const isFreeText = (name: string): boolean => plainWords(name).some((word) => FREE_TEXT.has(word));

/** A text that is handed over word by word, and not words that are about something. */
const SAID_TEXT: ReadonlySet<string> = new Set('text message content body sentence note comment'.split(' '));
export const isSaidText = (name: string): boolean => plainWords(name).some((word) => SAID_TEXT.has(word));

/** `named`: written in any case. `spare`: written if a number is left over after that. */
export type Chosen = { named: string[]; spare: string[] };

export const chooseArguments = (tool: ToolSchema, facts: RequestFacts): Chosen => {
  const properties = asSchema(tool.function.parameters['properties']);
  const required = requiredNames(tool);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const numeric = (name: string): boolean => isNumeric(asSchema(properties[name]));
  const isDate = (name: string): boolean => asksForDate(name, asSchema(properties[name]));
  const datesLeft = facts.fullDates() - required.filter(isDate).length;
  const dated = optional.filter(isDate).slice(0, Math.max(0, datesLeft));
  const named = optional.filter(
    (name) => dated.includes(name) || (!numeric(name) && isNamed(name, asSchema(properties[name]), facts)),
  );
  const optionalNumbers = optional.filter(numeric);
  const isLeft = facts.mentions.length > required.filter(numeric).length;
  const meant = optionalNumbers.filter((name) => isMeant(name, asSchema(properties[name]), facts, isLeft));
  const inOrder = Object.keys(properties).filter((name) => [...required, ...named, ...meant].includes(name));
  const saidNumbers = optionalNumbers.filter((name) => isSaid(name, facts));
  // One optional number may be meant without being said; of several, only one that is said.
  const numbers = (optionalNumbers.length === 1 ? optionalNumbers : saidNumbers).filter(
    (name) => !meant.includes(name),
  );
  const left = facts.mentions.length > inOrder.filter(numeric).length;
  return {
    named: [...inOrder, ...required.filter((name) => !(name in properties))],
    spare: left ? numbers : [],
  };
};

const asksForDate = (name: string, schema: JsonSchema): boolean =>
  schemaTypes(schema)[0] === 'string' &&
  schema['enum'] === undefined &&
  isDateArgument(name, typeof schema['description'] === 'string' ? schema['description'] : '');

/** A year that the request names, or a span of time in a unit that the argument could be told in. */
const isMeant = (name: string, schema: JsonSchema, facts: RequestFacts, isLeft: boolean): boolean => {
  const type = schemaTypes(schema)[0] === 'integer' ? 'integer' : 'number';
  return (isLeft && isYear(name) && facts.saysYear()) || facts.duration(schema, type, name) !== undefined;
};

export const isSaid = (name: string, facts: RequestFacts): boolean => {
  const words = namingWords(name);
  return words.length > 0 && words.every((word) => facts.words.has(word));
};

/** Words of an argument's name that say what it is about: `num_tickets` is about tickets, `include_owner` about the owner. */
const GENERIC: ReadonlySet<string> = new Set(
  contentWords(
    'number num count total amount max maximum min minimum include includes show return allow enable use is has with should flag option',
  ),
);
export const namingWords = (name: string): string[] => {
  const words = contentWords(name);
  const own = words.filter((word) => !GENERIC.has(word) && word.length > 1);
  return own.length > 0 ? own : words;
};

const isNamed = (name: string, schema: JsonSchema, facts: RequestFacts): boolean => {
  if (facts.named(listedValues(schema)).length > 0) return true;
  if (isPathArgument(name, schema) && facts.paths().length > 0) return true;
  switch (schemaTypes(schema)[0]) {
    case 'boolean':
      return isSaid(name, facts);
    case 'string':
      return schema['enum'] === undefined && isSaid(name, facts) && facts.tells(namingWords(name));
    default:
      return false;
  }
};

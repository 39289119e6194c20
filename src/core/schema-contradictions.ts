/** Words of an author's schema that contradict each other, so that every call would be refused, or no value fits. */
import {
  fitsPart,
  type Issue,
  isSchema,
  matchesType,
  type Schema,
  type SchemaValue,
  schemasIn,
  schemaTypes,
} from '../schema/index.ts';

export const schemaContradictions = (root: Schema): Issue[] =>
  schemasIn(root).flatMap(([path, part]) => [
    ...choiceless(path, part),
    ...unfitChoices(root, path, part),
    ...crossedLimits(path, part),
    ...wrongDefault(root, path, part),
    ...missingProperties(path, part),
  ]);

export const choiceless = (path: string, part: Schema): Issue[] =>
  CHOICES.filter((word) => Array.isArray(part[word]) && part[word].length === 0).map((word) => ({
    path: `${path}/${word}`,
    message: 'is empty, so that no value fits',
  }));
const CHOICES = ['enum', 'anyOf', 'oneOf'] as const;

/** `const` or `enum`, of which no value fits what stands beside it. */
const unfitChoices = (root: Schema, path: string, part: Schema): Issue[] => {
  const types = schemaTypes(part);
  const { enum: listed, const: only, default: _default, ...around } = part;
  const word = only === undefined ? 'enum' : 'const';
  const choices = only === undefined ? listed : [only];
  if (!Array.isArray(choices) || choices.length === 0) return [];
  const told = (message: string): Issue[] => [{ path: `${path}/${word}`, message }];
  if (types.length > 0 && !choices.some((choice) => hasType(types, choice)))
    return told(`has no value of the type ${types.join(' or ')}`);
  if (only !== undefined && Array.isArray(listed) && !fitsPart(root, { enum: listed }, only))
    return told('is none of the values of enum, so that no value fits');
  if (choices.some((choice) => fitsPart(root, around, choice))) return [];
  return told('has no value that fits what stands beside it');
};
const hasType = (types: readonly string[], value: SchemaValue): boolean =>
  types.some((type) => matchesType(value, type));

/** A lower limit, an upper one, and whether both at once leave a value where they are equal. */
const LIMITS = [
  ['minimum', 'maximum', true],
  ['exclusiveMinimum', 'maximum', false],
  ['minimum', 'exclusiveMaximum', false],
  ['exclusiveMinimum', 'exclusiveMaximum', false],
  ['minLength', 'maxLength', true],
  ['minItems', 'maxItems', true],
  ['minProperties', 'maxProperties', true],
  ['minContains', 'maxContains', true],
] as const;

const crossedLimits = (path: string, part: Schema): Issue[] =>
  LIMITS.flatMap(([low, high, mayMeet]) => {
    const [least, most] = [part[low], part[high]];
    if (typeof least !== 'number' || typeof most !== 'number' || least < most || (mayMeet && least === most)) return [];
    return [{ path: `${path}/${low}`, message: `is ${least} and ${high} is ${most}, so that no value fits` }];
  });

/** A call without the argument would be refused for a value that the model did not send. */
const wrongDefault = (root: Schema, path: string, part: Schema): Issue[] => {
  const { default: value } = part;
  if (value === undefined || fitsAsDefault(root, part, value)) return [];
  return [{ path: `${path}/default`, message: `does not fit its own schema: ${JSON.stringify(value)}` }];
};

/** What an object leaves out, alone or in a list, may have defaults of its own. */
const fitsAsDefault = (root: Schema, part: Schema, value: SchemaValue): boolean => {
  const types = schemaTypes(part);
  if (isSchema(value)) return types.length === 0 || hasType(types, value);
  const { items, ...around } = part;
  if (!Array.isArray(value) || !isSchema(items)) return fitsPart(root, part, value);
  return fitsPart(root, around, value) && value.every((one) => fitsAsDefault(root, items, one));
};

/** Parts whose properties may stand elsewhere. */
const SHARED = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'additionalProperties'];
const WITHIN = /\/(?:allOf|anyOf|oneOf|dependentSchemas|dependencies|if|then|else|not)(?:\/|$)/;

/** A property may have the name of a word. */
const NAMED = /\/(?:properties|patternProperties|\$defs|definitions)\/[^/]*/g;

const missingProperties = (path: string, part: Schema): Issue[] => {
  const { required, properties } = part;
  if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return [];
  const isShared = SHARED.some((word) => part[word] !== undefined && part[word] !== false);
  if (isShared || WITHIN.test(path.replaceAll(NAMED, ''))) return [];
  return required
    .filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name))
    .map((name) => ({ path: `${path}/required`, message: `names ${JSON.stringify(name)}, which is no property` }));
};

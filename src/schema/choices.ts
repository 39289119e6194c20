/** Which of several schemas a value was meant for, so that what is wrong with it can be told in the words of that one. */
import { resolveReference } from './reference.ts';
import { deepEqual, isOfType, isSchema, type Schema, type SchemaValue } from './schema-value.ts';

type Choice = { choice: SchemaValue; target: Schema };
/** A property that tells the choices apart, and the values that it may have. */
export type Discriminator = { key: string; values: readonly unknown[] };

/**
 * `choice`: the only one that has the value's type, or of those the only one whose constants the value has.
 * `discriminator`: where the value has those of none. Neither where nobody can tell.
 */
export const meantChoice = (
  root: Schema,
  choices: readonly SchemaValue[],
  value: unknown,
): { choice?: SchemaValue; discriminator?: Discriminator } => {
  const ofType = choices.flatMap((choice) => {
    const target = targetOf(root, choice);
    return target !== undefined && isOfType(target, value) ? [{ choice, target }] : [];
  });
  if (ofType.length <= 1) return { choice: ofType[0]?.choice };
  const discriminator = discriminatorOf(ofType);
  if (discriminator === undefined || typeof value !== 'object' || value === null) return {};
  const said = (value as Record<string, unknown>)[discriminator.key];
  const named = ofType.filter(({ target }) =>
    constantsOf(target, discriminator.key).some((one) => deepEqual(one, said)),
  );
  if (named.length === 0) return { discriminator };
  return named.length === 1 ? { choice: named[0]?.choice } : {};
};

const targetOf = (root: Schema, choice: SchemaValue): Schema | undefined => {
  if (!isSchema(choice)) return undefined;
  return typeof choice.$ref === 'string' ? resolveReference(root, choice.$ref) : choice;
};

const constantsOf = ({ properties }: Schema, key: string): readonly unknown[] => {
  const property = isSchema(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (!isSchema(property)) return [];
  if (property['const'] !== undefined) return [property['const']];
  return Array.isArray(property['enum']) ? property['enum'] : [];
};

/** The first property that has constants in every choice, and the same in none of two. */
const discriminatorOf = (choices: readonly Choice[]): Discriminator | undefined => {
  const { properties } = choices[0]?.target ?? {};
  for (const key of Object.keys(isSchema(properties) ? properties : {})) {
    const constants = choices.map(({ target }) => constantsOf(target, key));
    const values = constants.flat();
    const isEach = constants.every((each) => each.length > 0);
    if (isEach && new Set(values.map((value) => JSON.stringify(value))).size === values.length) return { key, values };
  }
  return undefined;
};

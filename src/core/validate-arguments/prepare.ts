/**
 * A copy of a value with defaults in and, for models, lossless conversions made. A part of the schema is followed for as
 * far as it holds: where a reference leads, all of `allOf`, the branch of `anyOf` or `oneOf` that the value fits (else the
 * first that it fits once it is converted), the branch of `if`, and what belongs to an entry that is there.
 */
import {
  certainParts,
  dependingParts,
  entryParts,
  fitsPart,
  isSchema,
  itemPart,
  type Schema,
  type SchemaValue,
} from '../../schema/index.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { keepWritten, noteWritten, writtenNumber } from '../written-numbers.ts';
import { convert, isAmbiguous } from './convert.ts';
import { newPlace, type Place, type Work } from './work.ts';

/** Where a value stands. `digits`: those of a number, as they were written. */
type Spot = { path: string; depth: number; digits?: string | undefined; place: Place };

const DEPTH_MAX = 64;

export const prepared = (work: Work, value: JsonValue): JsonValue =>
  prepare(work, work.root, value, { path: '', depth: 0, digits: writtenNumber([value], 0), place: newPlace() });

const below = ({ path, depth, place }: Spot, container: object, key: string | number): Spot => {
  const inner = place.inside.get(key) ?? newPlace();
  place.inside.set(key, inner);
  return {
    path: path === '' ? String(key) : `${path}.${key}`,
    depth: depth + 1,
    digits: writtenNumber(container, key),
    place: inner,
  };
};

const prepare = (work: Work, part: SchemaValue | undefined, given: JsonValue, spot: Spot): JsonValue => {
  if (!isSchema(part) || spot.place.parts.has(part) || spot.depth > DEPTH_MAX) return given;
  spot.place.parts.add(part);
  const fits = (other: SchemaValue): boolean => fitsPart(work.root, other, value);
  let value = prepareOwn(work, part, given, spot);
  for (const other of certainParts(work.root, part)) value = prepare(work, other, value, spot);
  for (const choices of [part.anyOf, part.oneOf])
    if (Array.isArray(choices)) value = prepareChoice(work, choices, value, spot);
  for (const other of dependingParts(part, value, { root: work.root, fits })) value = prepare(work, other, value, spot);
  return value;
};

const prepareChoice = (work: Work, choices: readonly SchemaValue[], value: JsonValue, spot: Spot): JsonValue => {
  // One that was rounded is a number for sure, and is better off as the text it was written as.
  const fitting = isAmbiguous(value) ? undefined : choices.find((choice) => fitsPart(work.root, choice, value));
  if (fitting !== undefined) return prepare(work, fitting, value, spot);
  for (const choice of choices) {
    if (work.trials.left-- <= 0) break;
    const trial: Work = { ...work, repairs: [], dropped: [], unquoted: new Set() };
    const tried = prepare(trial, choice, value, { ...spot, place: newPlace(spot.place.parts) });
    if (tried === value || !fitsPart(work.root, choice, tried)) continue;
    work.repairs.push(...trial.repairs);
    work.dropped.push(...trial.dropped);
    return tried;
  }
  return value;
};

/** By the words of the schema itself. */
const prepareOwn = (work: Work, schema: Schema, value: JsonValue, spot: Spot): JsonValue => {
  const converted = work.mode === 'model' ? convert(work, schema, value, spot) : value;
  if (typeof converted !== 'object' || converted === null) return converted;
  if (!Array.isArray(converted)) return prepareObject(work, schema, converted, spot);
  return keepWritten(
    converted,
    converted.map((entry, index) => prepare(work, itemPart(schema, index), entry, below(spot, converted, index))),
  );
};

const prepareObject = (work: Work, schema: Schema, value: JsonObject, spot: Spot): JsonObject => {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const result: JsonObject = keepWritten(value, {});
  for (const [key, entry] of Object.entries(value)) {
    const inner = below(spot, value, key);
    const parts = entryParts(schema, key);
    // A key of this name would set the prototype instead of an entry.
    if (key === '__proto__') work.dropped.push(inner.path);
    else if (entry === null && isLeftOut(work, schema, key)) {
      work.repairs.push({
        kind: 'null_argument',
        detail: `${inner.path} was null and is optional, so it was left out`,
      });
    } else result[key] = parts.reduce<JsonValue>((each, part) => prepare(work, part, each, inner), entry);
  }
  for (const [key, property] of Object.entries(properties)) {
    if (isSchema(property) && property.default !== undefined && !Object.hasOwn(result, key)) {
      result[key] = structuredClone(property.default);
      if (typeof property.default === 'number') noteWritten(result, key, String(property.default));
    }
  }
  return result;
};

/** A model that writes null for an argument it does not want to give. */
const isLeftOut = ({ root, mode }: Work, schema: Schema, key: string): boolean => {
  const { properties, required } = schema;
  if (mode !== 'model' || !isSchema(properties) || !Object.hasOwn(properties, key)) return false;
  if (Array.isArray(required) && required.includes(key)) return false;
  return !fitsPart(root, properties[key] as SchemaValue, null);
};

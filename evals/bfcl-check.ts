/** What BFCL counts as right for one Python call, by the rules of its AST checker. */
import type { BfclFunction, PythonObject, PythonValue, WantedCall } from './bfcl-data.ts';

type PythonType = 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict' | 'None';
const TYPES: Readonly<Record<string, PythonType>> = {
  string: 'str',
  integer: 'int',
  float: 'float',
  boolean: 'bool',
  array: 'list',
  tuple: 'list',
  dict: 'dict',
  any: 'str',
};

const typeOf = (value: PythonValue): PythonType => {
  if (value === null) return 'None';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    default:
      return 'dict';
  }
};

const asNumber = (value: PythonValue): number | undefined =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : undefined;

/** Python's `==`: numbers and booleans by value, lists and dicts by their members. */
const equal = (a: PythonValue, b: PythonValue): boolean => {
  const left = asNumber(a);
  const right = asNumber(b);
  if (left !== undefined || right !== undefined) return left === right;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] ?? null))
    );
  }
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => key in b && equal(a[key] ?? null, b[key] ?? null))
    );
  }
  return a === b;
};
const isIn = (value: PythonValue, list: readonly PythonValue[]): boolean => list.some((item) => equal(item, value));

const plain = (text: string): string =>
  text
    .replaceAll(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
const plainIfText = (value: PythonValue): PythonValue => (typeof value === 'string' ? plain(value) : value);

/** [right, what is given is a variable's name and is compared as it stands] */
const checkType = (
  value: PythonValue,
  possible: readonly PythonValue[],
  expected: PythonType | undefined,
  nested: PythonType | undefined,
): [boolean, boolean] => {
  const example = possible.find((item) => item !== '');
  const possibleType = example === undefined ? undefined : typeOf(example);
  const isVariable = possibleType !== undefined && possibleType !== expected;
  if (typeOf(value) === expected) {
    if (nested === undefined) return [true, isVariable];
    for (const item of possible) {
      const fits =
        !Array.isArray(item) ||
        (Array.isArray(value) && value.every((entry) => checkType(entry, item, nested, undefined)[0]));
      if (fits) return [true, isVariable];
    }
    return [false, false];
  }
  if (possibleType !== undefined && typeOf(value) === possibleType) return [true, true];
  return [false, false];
};

const checkDict = (value: PythonObject, possible: readonly PythonValue[]): boolean =>
  possible.some((candidate) => {
    if (candidate === '' || typeof candidate !== 'object' || candidate === null || Array.isArray(candidate))
      return false;
    const listed = (key: string): PythonValue[] => {
      const entry = candidate[key];
      return Array.isArray(entry) ? entry : [];
    };
    const given = Object.entries(value).every(
      ([key, item]) => key in candidate && isIn(plainIfText(item), listed(key).map(plainIfText)),
    );
    return given && Object.keys(candidate).every((key) => key in value || listed(key).includes(''));
  });

const checkParameter = (
  value: PythonValue,
  possible: readonly PythonValue[],
  type: string,
  itemType?: string,
): boolean => {
  const expected = TYPES[type];
  const nested = itemType === undefined ? undefined : TYPES[itemType];
  const given = type === 'float' && typeof value === 'bigint' ? Number(value) : value;
  const [right, isVariable] = checkType(given, possible, expected, nested);
  if (!right) return false;
  if (!isVariable) {
    if (expected === 'dict') return checkDict(given as PythonObject, possible);
    if (expected === 'list' && nested === 'dict') {
      const list = given as PythonObject[];
      return possible.some(
        (candidate) =>
          Array.isArray(candidate) &&
          candidate.length === list.length &&
          list.every((item, index) => checkDict(item, [candidate[index] ?? ''])),
      );
    }
    if (expected === 'str') {
      return possible.some((item) => typeof item === 'string' && plain(item) === plain(given as string));
    }
    if (expected === 'list') {
      return isIn(
        (given as PythonValue[]).map(plainIfText),
        possible.filter(Array.isArray).map((item: PythonValue[]) => item.map(plainIfText)),
      );
    }
  }
  return isIn(given, possible);
};

export type GivenCall = { name: string; arguments: PythonObject };

/** Why the call is wrong, or undefined where it is right. */
export const checkCall = (
  functions: readonly BfclFunction[],
  answer: WantedCall,
  call: GivenCall,
): string | undefined => {
  const name = Object.keys(answer)[0] ?? '';
  const wanted = functions.find((item) => item.name === name);
  const possible = answer[name] ?? {};
  if (wanted === undefined || call.name !== name) return `function: ${call.name} instead of ${name}`;
  for (const parameter of wanted.parameters.required)
    if (!(parameter in call.arguments)) return `missing: ${parameter}`;
  for (const [parameter, value] of Object.entries(call.arguments)) {
    const details = wanted.parameters.properties[parameter];
    const values = possible[parameter];
    if (details === undefined || values === undefined) return `unexpected: ${parameter}`;
    const type = String(details['type']);
    const items = details['items'] as { type?: string } | undefined;
    const itemType = type === 'array' || type === 'tuple' ? items?.type : undefined;
    if (!checkParameter(value, values, type, itemType)) return `value: ${parameter}`;
  }
  for (const [parameter, values] of Object.entries(possible)) {
    if (!(parameter in call.arguments) && !values.includes('')) return `optional not given: ${parameter}`;
  }
  return undefined;
};

/** The same for several calls in any order: as many as wanted, each wanted one among them. */
export const checkCalls = (
  functions: readonly BfclFunction[],
  answers: readonly WantedCall[],
  calls: readonly GivenCall[],
): string | undefined => {
  if (calls.length !== answers.length) return `${calls.length} of ${answers.length} calls`;
  const left = [...calls];
  for (const answer of answers) {
    const reasons = left.map((call) => checkCall(functions, answer, call));
    const found = reasons.indexOf(undefined);
    if (found < 0) return reasons[0];
    left.splice(found, 1);
  }
  return undefined;
};

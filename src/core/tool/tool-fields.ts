/** What each field of a tool may be, for a program that has no compiler: a misspelt one would not hold. */
import { HalterError } from '../errors.ts';
import { checkNames } from '../known-options.ts';
import { LIMITS } from '../limits.ts';
import {
  anything,
  callback,
  filled,
  flag,
  isAbsent,
  type Kind,
  type OptionKinds,
  objectOf,
  oneOf,
  record,
  text,
  texts,
  wholeIn,
  withoutAbsent,
} from '../option-kinds.ts';
import { RISKS, TOOL_EFFECTS, type Tool } from '../tool.ts';

type Kinds<Name extends string> = Readonly<Record<Name, Kind>>;

/** What a function of positional parameters may say of itself. */
export const POSITIONAL = {
  risk: oneOf(...RISKS),
  effects: oneOf(...TOOL_EFFECTS),
  timeout_ms: wholeIn(`milliseconds: a whole number from 0 (no limit) to ${LIMITS.timerMsMax}`, 0, LIMITS.timerMsMax),
  path_arguments: texts,
  sinks: texts,
  reads_only: flag,
} as const;
/** What a definition may say. */
export const DEFINED = {
  ...POSITIONAL,
  name: filled,
  description: text,
  parameters: anything,
  main_argument: text,
  pure: flag,
  endsRun: flag,
  run: callback,
  preview: callback,
  summarize: callback,
  toModelOutput: callback,
} as const;
/** What a tool has that no definition says. */
const BESIDES: Kinds<Exclude<keyof Tool, keyof typeof DEFINED>> = {
  effects_implied: flag,
  in_sandbox: flag,
  session_scope: flag,
  polling: flag,
  untrusted_content: flag,
  identity: callback,
  unavailable: callback,
  dispensable: flag,
  typed_into: text,
  written_arguments: texts,
  result_characters: wholeIn('a whole number from 1 on', 1),
};

/** The same without absent fields. Throws HalterError 502 for one that is none of `known`, or is something else. */
export const checkedFields = <T extends object>(given: T, known: OptionKinds, of: string): T => {
  const checked = checkNames(given, known, of);
  if (!checked.ok) throw new HalterError('InvalidToolSignature', checked.error.message);
  return withoutAbsent(given);
};

/** A definition, and what it has besides where it is made of a tool: `{ ...tool, name }`. */
export const checkedDefinition = <T extends object>(
  definition: T,
  known: OptionKinds,
  name: string,
): { said: T; besides: Partial<Tool> } => {
  const isOfTool = Object.keys(definition).some((field) => Object.hasOwn(BESIDES, field));
  const fields = checkedFields(definition, isOfTool ? { ...known, ...BESIDES } : known, name);
  if (!isOfTool) return { said: fields, besides: {} };
  const besides = Object.fromEntries(Object.entries(fields).filter(([field]) => Object.hasOwn(BESIDES, field)));
  // What the risk of that tool suggested is not said of this one.
  const effects = besides['effects_implied'] === true ? { effects: undefined } : {};
  return { said: { ...fields, ...effects }, besides };
};

/** All that a tool may have, whoever made it. */
export const TOOL_FIELDS: OptionKinds = { ...DEFINED, ...BESIDES, parameters: record };
const FIELDS = objectOf(TOOL_FIELDS, { others: 'taken' });

/** A tool as it is given to a harness. Only what halter's functions made says what it may touch. */
export const TOOL: Kind = {
  words: 'a tool made by defineTool or registerTool',
  problem(value) {
    const isMade = record.problem(value) === undefined && !isAbsent((value as Partial<Tool>).effects);
    return isMade ? FIELDS.problem(value) : { path: '', wanted: TOOL.words, value };
  },
};

/** What was offered: names, and what the schemas say of types. */

import type { JsonObject, JsonSchema } from '../../core/json.ts';
import type { ToolDefinition } from '../types.ts';
import { entryNames, entrySchema } from './conversion.ts';
import { decodeEntities } from './entities.ts';

export type Offered = {
  name: string;
  /** Those that are named. */
  properties: ReadonlyMap<string, JsonSchema>;
  parameters: JsonSchema | undefined;
  required: readonly string[];
};

const offer = (tool: ToolDefinition): Offered => {
  const { name, parameters } = 'function' in tool ? tool.function : tool;
  const names = parameters === undefined ? [] : entryNames(parameters);
  const required = Array.isArray(parameters?.['required']) ? parameters['required'] : [];
  return {
    name,
    properties: new Map(
      names.flatMap((key) => {
        const schema = entrySchema(parameters, key);
        return schema === undefined ? [] : [[key, schema]];
      }),
    ),
    parameters,
    required: required.filter((key) => typeof key === 'string'),
  };
};

/** What models write before a name. */
const PREFIX = /^(?:functions?|tools?|default_api|assistant)(?:::|[.:/])(?=.)/;
/** What they write behind it: the number of the call, the parentheses of a function. */
const SUFFIX = /(?<=.)(?::\d+|\(\))$/;
const INTERPRETERS = ['python', 'ipython', 'code_interpreter', 'interpreter'];
/** What a parameter is called that takes text as it is, to be run. */
const CODE_PARAMETERS = ['code', 'command', 'script', 'cmd'];
/** Names shorter than this are not matched with one character wrong: too many words are one letter apart. */
const NEAR_NAME_CHARACTERS = 6;

export class Offers {
  /** Nothing is known of what was offered. */
  readonly unknown: boolean;
  readonly #byName = new Map<string, Offered>();
  readonly #byPlainName = new Map<string, Offered | undefined>();

  constructor(tools: readonly ToolDefinition[] | undefined) {
    this.unknown = tools === undefined;
    for (const tool of tools ?? []) {
      const offered = offer(tool);
      this.#byName.set(offered.name, offered);
      const plain = plainName(offered.name);
      this.#byPlainName.set(plain, this.#byPlainName.has(plain) ? undefined : offered);
    }
  }

  /** No call can be meant. */
  get none(): boolean {
    return !this.unknown && this.#byName.size === 0;
  }

  get(name: string): Offered | undefined {
    return this.#byName.get(name);
  }

  /** The beginning of an offered name. */
  begins(name: string): boolean {
    return [...this.#byName.keys()].some((offered) => offered.startsWith(name));
  }

  /** The offered name that is meant by this one, or the name itself where none is. */
  resolve(written: string): string {
    const name = withoutTicks(written);
    if (this.#byName.has(name)) return name;
    const decoded = decodeEntities(withoutPrefix(name));
    if (this.#byName.has(decoded)) return decoded;
    const bare = withoutPrefix(name);
    if (this.unknown || this.#byName.has(bare)) return bare;
    const alone = bare.replace(SUFFIX, '');
    if (this.#byName.has(alone)) return alone;
    return this.#byPlainName.get(plainName(bare))?.name ?? this.#nearest(bare) ?? bare;
  }

  #nearest(name: string): string | undefined {
    if (name.length < NEAR_NAME_CHARACTERS) return undefined;
    const near = [...this.#byName.keys()].filter((other) => oneApart(name, other));
    return near.length === 1 ? near[0] : undefined;
  }

  /** The one tool that these arguments can be for, where a call has lost its name. */
  infer(args: JsonObject): string | undefined {
    const keys = Object.keys(args);
    const fitting = [...this.#byName.values()].filter(
      (tool) =>
        (keys.length > 0 || tool.properties.size === 0) &&
        keys.every((key) => tool.properties.has(key)) &&
        tool.required.every((key) => keys.includes(key)),
    );
    return fitting.length === 1 ? fitting[0]?.name : undefined;
  }

  /** What raw code for this tool is an argument of; undefined where it needs arguments of another kind. */
  codeParameter(name: string): string | undefined {
    const tool = this.#byName.get(name);
    if (tool === undefined) return CODE_PARAMETERS[0];
    const [parameter, ...more] = tool.required;
    if (more.length > 0) return undefined;
    if (parameter === undefined) return CODE_PARAMETERS.find((one) => tool.properties.has(one));
    return INTERPRETERS.includes(name) || CODE_PARAMETERS.includes(parameter) ? parameter : undefined;
  }

  /** The tool that takes raw code. */
  interpreter(): string | undefined {
    const named = INTERPRETERS.find((name) => this.#byName.has(name));
    if (named !== undefined || this.unknown) return named ?? INTERPRETERS[0];
    const takesCode = [...this.#byName.values()].filter(
      (tool) => tool.required.length === 1 && tool.required[0] === 'code',
    );
    return takesCode.length === 1 ? takesCode[0]?.name : undefined;
  }
}

/** Some models write a name as code. */
export const withoutTicks = (name: string): string => {
  const [, prefix = '', plain] = /^(functions?[.:])?`+([^`]+)`+$/.exec(name.trim()) ?? [];
  return plain === undefined ? name : prefix + plain.trim();
};

export const withoutPrefix = (name: string): string => name.replace(PREFIX, '');

/** The same for names that differ only in case and in how their words are joined. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[-_. ]/g, '');

/** One character changed, lost or added. */
const oneApart = (left: string, right: string): boolean => {
  if (Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  const rest = (text: string, from: number): string => text.slice(from);
  return (
    rest(left, start + 1) === rest(right, start + 1) ||
    rest(left, start) === rest(right, start + 1) ||
    rest(left, start + 1) === rest(right, start)
  );
};

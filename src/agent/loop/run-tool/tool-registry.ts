/** The tools of one session, by name, and what to say when a name is not among them. */
import { HalterError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Repair } from '../../../core/message.ts';
import type { ToolConfig } from '../../../core/ports.ts';
import { nearest } from '../../../core/tool/nearest-names.ts';
import { nearestTools } from '../../../core/tool/nearest-tool.ts';
import { absenceOf } from '../../../core/tool/said-of-itself.ts';
import { type Tool, type ToolSchema, toolSchema } from '../../../core/tool.ts';

export type ToolRegistry = {
  readonly tools: readonly Tool[];
  /** Those of the tools that can be used with the settings there are. */
  readonly schemas: readonly ToolSchema[];
  /** All that may be called, whether a prompt describes it or not: what calls in a text are told by. */
  readonly callable: readonly ToolSchema[];
  get(name: string): Tool | undefined;
  /** The name that was meant, where only its spelling is off and only one tool fits. */
  resolveName(name: string): { name: string; repair?: Repair };
  /** What a model is told of a tool that there is not: the one it probably meant, and all there are. */
  unknownText(name: string, args?: JsonObject): string;
};

export type RegistryRules = {
  /** Also the tools that cannot be used with the settings there are. */
  offersAll?: boolean | undefined;
  /** A name that is spelled in another way is an unknown name. */
  exactNames?: boolean | undefined;
};

/** The tools that a model is told of. `offersAll`: also those that cannot be used with the settings there are. */
export const offeredTools = (tools: readonly Tool[], config: ToolConfig, offersAll = false): readonly Tool[] =>
  offersAll ? tools : tools.filter((tool) => absenceOf(tool, config) === undefined);

/** Throws when two tools have one name, or one is no tool: the program that made them is wrong. */
export const createToolRegistry = (
  tools: readonly Tool[],
  config: ToolConfig = {},
  { offersAll, exactNames }: RegistryRules = {},
): ToolRegistry => {
  for (const [index, tool] of tools.entries()) {
    if (typeof tool !== 'object' || tool === null || tool.effects === undefined) {
      throw new HalterError('InvalidToolSignature', `tools[${index}] was not made by defineTool or registerTool`);
    }
  }
  const usable = offeredTools(tools, config, offersAll);
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new HalterError('InvalidToolSignature', `two tools are named ${tool.name}`);
    byName.set(tool.name, tool);
  }
  const names = new Set(usable.map(({ name }) => name));
  const schemas = usable.map((tool) => withoutAbsent(toolSchema(tool), names));
  return {
    tools,
    schemas,
    callable: schemas,
    get: (name) => byName.get(name),
    resolveName: nameResolver([...byName.keys()], { exactNames }),
    unknownText(name, args = {}) {
      const names = usable.map((tool) => tool.name);
      const spelled = nearestNames(name, names);
      const near = spelled.length > 0 ? spelled : nearestTools(name, args, usable);
      const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
      return `There is no tool named "${name.slice(0, 128)}".${hint} The tools are: ${names.join(', ') || 'none'}.`;
    },
  };
};

/** Halter's own tools that descriptions of other tools speak of. */
const SPOKEN_OF =
  /\b(?:edit_file|write_file|insert_lines|replace_lines|read_file|grep_search|read_job|write_job|stop_job)\b/g;

/** A sentence about a tool that is not on offer would have it called. */
const withoutAbsent = (schema: ToolSchema, names: ReadonlySet<string>): ToolSchema => {
  const { description } = schema.function;
  const isAbsent = (sentence: string): boolean => sentence.match(SPOKEN_OF)?.some((name) => !names.has(name)) ?? false;
  if (typeof description !== 'string' || !isAbsent(description)) return schema;
  const [first = '', ...rest] = description.split(/(?<=[.!?])\s+/);
  const kept = [first, ...rest.filter((sentence) => !isAbsent(sentence))].join(' ');
  return { ...schema, function: { ...schema.function, description: kept } };
};

/** Says of a name which of `names` was meant, where only its spelling is off and only one fits. */
export const nameResolver = (
  names: readonly string[],
  { exactNames }: Pick<RegistryRules, 'exactNames'> = {},
): ToolRegistry['resolveName'] => {
  const known = new Set(names);
  const bySpelling = new Map<string, string[]>();
  for (const name of known) bySpelling.set(spelling(name), [...(bySpelling.get(spelling(name)) ?? []), name]);
  return (name) => {
    if (exactNames || known.has(name)) return { name };
    const candidates = bySpelling.get(spelling(name)) ?? [];
    const [only] = candidates;
    if (only === undefined || candidates.length > 1) return { name };
    return { name: only, repair: { kind: 'tool_name', detail: `the model wrote "${name}" for ${only}` } };
  };
};

/** `Read-File`, `functions.readFile` and `read_file` are one name. */
const spelling = (name: string): string =>
  name
    .replace(/^(?:functions?|tools?|default_api)[.:]/i, '')
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase();

/** Names are compared as they are spelled, without their punctuation. */
export const nearestNames = (name: string, known: readonly string[]): string[] => {
  const bySpelling = new Map(known.map((candidate) => [spelling(candidate), candidate]));
  return nearest(spelling(name), [...bySpelling.keys()]).map((found) => bySpelling.get(found) as string);
};

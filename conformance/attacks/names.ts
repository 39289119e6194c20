/**
 * The one place that maps the catalogue's names to halter's: tools, features, rules, decisions, models. It knows no case
 * and no expected value.
 */
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { Risk, Tool } from '../../src/core/tool.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { asList, asObject, onlyKnown, Unmet } from './attack-case.ts';

/** The tool, or a failure that says that halter has none of that kind yet. */
export const toolNamed = (name: JsonValue | undefined): Tool => {
  const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === name);
  if (tool !== undefined) return tool;
  throw new Unmet(`halter has no ${String(name)} yet`);
};

/** The documents' registries by the tools they name; halter's own tool stands wherever it has one of that name. */
const REGISTRIES: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  'local-harness': {},
  // Rows E1 to E4 of the features.
  edison: {
    web_search: { query: { type: 'string' }, max_results: { type: 'integer', default: 5 } },
    rag_search: {
      query: { type: 'string' },
      limit: { type: 'integer', default: 3 },
      global: { type: 'boolean', default: false },
    },
    generate_image: {
      prompt: { type: 'string' },
      width: { type: 'integer', default: 1024 },
      height: { type: 'integer', default: 1024 },
      steps: { type: 'integer', default: 20 },
      guidance_scale: { type: 'number', default: 3.5 },
    },
    system_stats: {},
  },
};

export type ToolShape = Pick<Tool, 'name' | 'parameters'>;

export const registryNamed = (name: JsonValue | undefined): ToolShape[] => {
  const shapes = Object.hasOwn(REGISTRIES, String(name)) ? REGISTRIES[String(name)] : undefined;
  if (shapes === undefined) throw new Unmet(`the registry ${JSON.stringify(name)} is not known`);
  const missing = Object.entries(shapes).filter(([tool]) => !BUILT_IN_TOOLS.some((own) => own.name === tool));
  return [
    ...BUILT_IN_TOOLS,
    ...missing.map(([tool, properties]) => ({
      name: tool,
      parameters: {
        type: 'object',
        properties,
        required: Object.keys(properties).filter((key) => asObject(properties[key])['default'] === undefined),
      },
    })),
  ];
};

/** `{tool, match, command, action}` → halter's rules, as one writes them on the command line. */
export const rulesOf = (given: JsonValue | undefined): { allow: string[]; deny: string[] } => {
  const rules: { allow: string[]; deny: string[] } = { allow: [], deny: [] };
  for (const rule of asList(given).map(asObject)) {
    const { action, command, match } = rule;
    onlyKnown('policy', rule, ['tool', 'action', 'command', 'match', 'scope']);
    if (action !== 'allow' && action !== 'deny') throw new Unmet(`the action ${JSON.stringify(action)} is not known`);
    const { name } = toolNamed(rule['tool']);
    if (match === undefined && command === undefined) rules[action].push(name);
    else if (match === 'prefix') rules[action].push(`${name}(${String(command)} *)`);
    else if (match === 'exact') rules[action].push(`${name}(=${String(command)})`);
    else throw new Unmet(`the match ${JSON.stringify(match)} is not known`);
  }
  return rules;
};

/** What was decided about a call: made, not made, or put to a person. */
export type Decision = { word: 'allow' | 'deny' | 'prompt'; risk?: Risk };

const ACCEPTED: Readonly<Record<string, (decision: Decision) => boolean>> = {
  allow: ({ word }) => word === 'allow',
  deny: ({ word }) => word === 'deny',
  prompt: ({ word }) => word === 'prompt',
  allow_or_deny: ({ word }) => word !== 'prompt',
  // That nothing came back is another word of the case.
  deny_or_empty: ({ word }) => word !== 'prompt',
  allow_pinned_or_deny: ({ word }) => word !== 'prompt',
  deny_or_allow_inside: ({ word }) => word !== 'prompt',
  deny_or_prompt_high: ({ word, risk }) => word === 'deny' || (word === 'prompt' && risk === 'high'),
  prompt_even_if_remembered: ({ word }) => word === 'prompt',
  prompt_high_even_if_remembered: ({ word, risk }) => word === 'prompt' && risk === 'high',
};

export const accepts = (expected: JsonValue, decision: Decision): boolean => {
  const accepted = Object.hasOwn(ACCEPTED, String(expected)) ? ACCEPTED[String(expected)] : undefined;
  if (accepted === undefined) throw new Unmet(`the decision ${JSON.stringify(expected)} is not known`);
  return accepted(decision);
};

const MODELS: Readonly<Record<string, string>> = {
  qwen: 'qwen2.5:7b',
  chatml: 'qwen2.5:7b',
  mistral: 'mistral-small3.2',
  llama3: 'llama3.1:8b',
  deepseek: 'deepseek-v3.1',
  gemma: 'gemma3:12b',
  granite: 'granite3.3:8b',
  'gpt-oss': 'gpt-oss:20b',
};

/** A model of that family, so that its own call syntax is read. */
export const modelOf = (format: JsonValue | undefined): string => {
  if (format === undefined) return 'test-model';
  const model = Object.hasOwn(MODELS, String(format)) ? MODELS[String(format)] : undefined;
  if (model !== undefined) return model;
  throw new Unmet(`the format ${JSON.stringify(format)} is not known`);
};

/** halter puts a damaged file of its own aside under this name; the catalogue has the name of another program. */
export const backupsOf = (pattern: JsonValue): { file: string; start: string } => {
  const [, file] = /^([a-z-]+\.json)\.corrupt-\*$/.exec(String(pattern)) ?? [];
  if (file === undefined) throw new Unmet(`the backup ${JSON.stringify(pattern)} is not known`);
  return { file, start: `${file}.bad-` };
};

/**
 * A file of rules as the catalogue writes it → as halter writes it: `action` is `decision`, and a rule belongs to a
 * folder. `allowed`: tools that rules beside those of the case allow. A text that holds no rules stays as it is.
 */
export const policiesOf = (text: string, workspace: string, allowed: readonly string[]): string => {
  const own = { workspace, created_at: 0 };
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
  const document = asObject(value);
  if (!Array.isArray(document['rules'])) return text;
  const rules = document['rules'].map((rule): JsonValue => {
    const { action, ...rest } = asObject(rule);
    if (action === undefined || typeof rule !== 'object') return rule;
    return { ...own, ...rest, decision: action };
  });
  const others = allowed.map((tool): JsonValue => ({ ...own, tool, decision: 'allow' }));
  return JSON.stringify({ ...document, rules: [...rules, ...others] });
};

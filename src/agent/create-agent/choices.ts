/** What the person chose, checked before anything is opened: a wrong name is said at once. */
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { parseRule, type SourcedRule } from '../../core/policy.ts';
import { findPreset, type Preset, presetNames } from '../../core/presets.ts';
import type { Tool } from '../../core/tool.ts';
import { dialectNames } from '../../dialects/index.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { nearestNames } from '../loop/run-tool/tool-registry.ts';
import { isServerTool } from '../mcp/open.ts';
import type { AgentOptions } from './options.ts';

export type Choices = {
  preset: Preset | undefined;
  limits: Limits;
  tools: readonly Tool[];
  runsCommands: boolean;
  /** The rules of the command line. */
  rules: { allow: readonly SourcedRule[]; deny: readonly SourcedRule[] };
};

export const checkChoices = (options: AgentOptions): Outcome<Choices> => {
  const preset = options.preset === undefined ? undefined : findPreset(options.preset);
  if (options.preset !== undefined && preset === undefined) {
    return failure(
      'validation_failed',
      `There is no preset "${options.preset}". The presets are: ${presetNames.join(', ')}.`,
    );
  }
  const dialect = checkedDialect(options);
  if (!dialect.ok) return dialect;
  const rules = commandLineRules(options);
  if (!rules.ok) return rules;
  const tools = chooseTools(options, preset);
  if (!tools.ok) return tools;
  return succeed({
    preset,
    limits: limitsOf(options, preset),
    tools: tools.value,
    runsCommands: tools.value.some(({ effects }) => effects === 'process'),
    rules: rules.value,
  });
};

const commandLineRules = (options: AgentOptions): Outcome<{ allow: SourcedRule[]; deny: SourcedRule[] }> => {
  const rules: { allow: SourcedRule[]; deny: SourcedRule[] } = { allow: [], deny: [] };
  for (const decision of ['allow', 'deny'] as const) {
    for (const text of options[decision] ?? []) {
      const rule = parseRule(text);
      if (!rule.ok) return rule;
      rules[decision].push({ ...rule.value, source: 'command line' });
    }
  }
  return succeed(rules);
};

const chooseTools = (options: AgentOptions, preset: Preset | undefined): Outcome<readonly Tool[]> => {
  if (options.noTools) return succeed([]);
  const all = [...BUILT_IN_TOOLS, ...(options.plugins?.tools ?? [])];
  const names = all.map((tool) => tool.name);
  for (const name of options.tools ?? []) {
    // Those of servers are known when the servers are there.
    if (names.includes(name) || isServerTool(name)) continue;
    const near = nearestNames(name, names);
    return failure(
      'not_found',
      `There is no tool "${name}".${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} The tools are: ${names.join(', ')}.`,
    );
  }
  const wanted = options.tools ?? preset?.tools;
  return succeed(wanted === undefined ? all : all.filter((tool) => wanted.includes(tool.name)));
};

const checkedDialect = ({ dialect, plugins }: AgentOptions): Outcome<void> => {
  const names = [...dialectNames(), ...(plugins?.dialects ?? []).map(({ format }) => format.name)];
  if (dialect === undefined || names.includes(dialect)) return succeed(undefined);
  const near = nearestNames(dialect, names);
  const guess = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return failure('not_found', `There is no dialect "${dialect}".${guess}`);
};

const limitsOf = (options: AgentOptions, preset: Preset | undefined): Limits => ({
  ...(preset?.limits ?? DEFAULT_LIMITS),
  ...(options.maxIterations === undefined ? {} : { iterations: options.maxIterations }),
  ...(options.maxToolCalls === undefined ? {} : { toolCallsPerIteration: options.maxToolCalls }),
});

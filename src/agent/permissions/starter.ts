/** What the starter model may do at most: it is too small to be trusted with files that are there. */
import type { JsonObject } from '../../core/json.ts';
import { FOLDER_READ, readingRulesFor } from '../../core/policy/folder-read.ts';
import { pathsOf } from '../../core/policy/overrides.ts';
import type { Tool } from '../../core/tool.ts';
import { STARTER_MODEL } from '../../providers/embedded/model-store/model-catalog.ts';
import { isKnownCommand } from '../../providers/led/everyday/known-commands.ts';
import { beyondStarter, largerModelCommand } from '../../providers/led/larger-model.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';

const NAMES: ReadonlySet<string> = new Set([STARTER_MODEL.id, ...STARTER_MODEL.aliases]);

export const isStarter = (model: string): boolean => NAMES.has(model);

/** What the starter is, for its first screen. */
export const starterNote = (): string =>
  `This is the starter, a model of 135 million parameters: it can look things up, and not much more. \`${largerModelCommand()}\` gets one that fits this machine.`;

/** Why this call is not for the starter; undefined where it is. */
export const starterRefusal = async (
  ports: Pick<ToolPorts, 'workspace' | 'commandRules'>,
  tool: Tool,
  args: JsonObject,
): Promise<string | undefined> => {
  if (tool.effects === 'process') {
    const line = args[tool.main_argument ?? ''];
    if (typeof line === 'string' && isKnownCommand(line)) return undefined;
    const rules = await ports.commandRules?.();
    const allow = readingRulesFor({ tool: FOLDER_READ, source: 'program' as const }, tool);
    const reads = typeof line === 'string' && rules?.decide({ allow, deny: [] }, line).verdict === 'allow';
    return reads
      ? undefined
      : beyondStarter('run this command: it runs only commands that read, and the tests of the project');
  }
  if (tool.effects !== 'write') return undefined;
  for (const path of pathsOf(tool, args)) {
    if ((await ports.workspace.stat(path)).ok) return beyondStarter('change a file that is there');
  }
  return undefined;
};

/** What the starter model may do at most: it is too small to be trusted with files that are there. */
import { totalmem } from 'node:os';
import type { JsonObject } from '../../core/json.ts';
import { FOLDER_READ, readingRulesFor } from '../../core/policy/folder-read.ts';
import { pathsOf } from '../../core/policy/overrides.ts';
import type { Tool } from '../../core/tool.ts';
import { STARTER_MODEL } from '../../providers/embedded/model-store/model-catalog.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';

const NAMES: ReadonlySet<string> = new Set([STARTER_MODEL.id, ...STARTER_MODEL.aliases]);

export const isStarter = (model: string): boolean => NAMES.has(model);

const GIGABYTE = 1024 ** 3;
/** Models of a size that leaves room for the rest of the machine, the largest first. */
const LARGER: readonly { memory: number; model: string }[] = [
  { memory: 32 * GIGABYTE, model: 'qwen3:14b' },
  { memory: 16 * GIGABYTE, model: 'qwen3:8b' },
  { memory: 8 * GIGABYTE, model: 'qwen3:4b' },
  { memory: 0, model: 'qwen3:1.7b' },
];

/** The command that gets a model that fits this machine's memory. */
export const largerModelCommand = (memory: number = totalmem()): string =>
  `ollama pull ${LARGER.find((each) => memory >= each.memory)?.model ?? 'qwen3:1.7b'}`;

/** What the starter is, for its first screen. */
export const starterNote = (): string =>
  `This is the starter, a model of 135 million parameters: it can look things up, and not much more. \`${largerModelCommand()}\` gets one that fits this machine.`;

/** Why this call is not for the starter; undefined where it is. */
export const starterRefusal = async (
  ports: Pick<ToolPorts, 'workspace' | 'commandRules'>,
  tool: Tool,
  args: JsonObject,
): Promise<string | undefined> => {
  const larger = `A larger model can: ${largerModelCommand()}`;
  if (tool.effects === 'process') {
    const line = args[tool.main_argument ?? ''];
    const rules = await ports.commandRules?.();
    const allow = readingRulesFor({ tool: FOLDER_READ, source: 'program' as const }, tool);
    const reads = typeof line === 'string' && rules?.decide({ allow, deny: [] }, line).verdict === 'allow';
    return reads ? undefined : `The starter runs only commands that read. ${larger}`;
  }
  if (tool.effects !== 'write') return undefined;
  for (const path of pathsOf(tool, args)) {
    if ((await ports.workspace.stat(path)).ok) return `The starter changes no file that is there. ${larger}`;
  }
  return undefined;
};

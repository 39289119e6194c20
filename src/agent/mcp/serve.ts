/** What a halter serves to programs that speak MCP: its own tools, not those of servers it uses itself. */
import { type CustomCommand, fillCustomCommand } from '../../core/custom-command.ts';
import { ruleText } from '../../core/policy.ts';
import { absenceOf } from '../../core/tool/said-of-itself.ts';
import type { PromptSource, ServedPrompt } from '../../mcp/served-prompts.ts';
import type { ToolServerOptions } from '../../mcp/tool-server.ts';
import type { Agent } from '../create-agent.ts';
import { isServerTool } from './server-tool-names.ts';

type Served = Pick<Agent, 'tools' | 'config' | 'executeTool' | 'judge' | 'userInput'>;

/** A server that is passed on could be halter again, and so on for ever. */
const isOwn = ({ name }: { name: string }): boolean => !isServerTool(name);

export const servedTools = (halter: Served, version: string): ToolServerOptions => ({
  version,
  prompts: promptsOf(halter),
  tools: async () => halter.tools.filter((tool) => isOwn(tool) && absenceOf(tool, halter.config) === undefined),
  async execute(name, args, { signal, report, ask }) {
    return halter.executeTool(isOwn({ name }) ? name : '', args, {
      signal,
      report,
      digitsLost: true,
      ...(ask
        ? {
            ask: ({ because, rule, preview }) =>
              ask({ because, rule: ruleText(rule), ...(preview ? { preview } : {}) }),
          }
        : {}),
    });
  },
});

const NUMBERED = /\$([1-9])/g;
const REST = 'arguments';

const argumentsOf = ({ template }: CustomCommand): ServedPrompt['arguments'] => {
  const numbers = new Set([...template.matchAll(NUMBERED)].map(([, digit]) => Number(digit)));
  const words = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => ({
    name: `arg${index + 1}`,
    description: `What $${index + 1} stands for`,
    required: true,
  }));
  return words.length > 0 ? words : [{ name: REST, description: 'What the prompt is about', required: false }];
};

/** One word of several, whatever stands in it. */
const quoted = (word: string): string => (word.includes('"') ? `'${word.replaceAll("'", '’')}'` : `"${word}"`);

/** The person's own commands, as they type them after a slash. Those of a folder only where it is trusted. */
const promptsOf = (halter: Served): PromptSource => ({
  async list() {
    const { commands } = await halter.userInput.commands();
    // Whoever asks has prompts of its own; only the person's are worth handing on.
    const own = commands.filter(({ from }) => from !== 'halter');
    return own.map((command) => ({
      name: command.name,
      description: command.description || `The command /${command.name}`,
      arguments: argumentsOf(command),
    }));
  },
  async fill(name, values) {
    const command = (await halter.userInput.commands()).commands.find((known) => known.name === name);
    if (command === undefined) return undefined;
    const words = argumentsOf(command).map((each) => values[each.name] ?? '');
    const text = values[REST] ?? words.map(quoted).join(' ');
    return fillCustomCommand(command, text.trim());
  },
  /** Paths of the folder, by the tool that lists them and its rules. */
  async complete(value) {
    const listed = await halter.executeTool('get_file_tree', {});
    const paths: unknown = listed.success ? JSON.parse(listed.data ?? '[]') : [];
    return (Array.isArray(paths) ? paths : []).filter((path) => typeof path === 'string' && path.startsWith(value));
  },
});

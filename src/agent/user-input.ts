/**
 * What a person does in a conversation besides speaking: names files, runs commands, uses commands of their own. It goes
 * the way of every call; only the question is answered already, because typing it was the answer.
 */
import { type CustomCommand, fillCustomCommand } from '../core/custom-command.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { typedWords } from '../core/typed-command.ts';
import { readCustomCommands } from '../storage/custom-commands.ts';
import { createTrustFile } from '../storage/trust-file.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { BUILT_IN_PROMPTS } from './built-in-prompts.ts';
import { createToolRunner, type ExecuteToolOptions } from './loop/run-tool/execute-tool.ts';
import type { ToolPorts } from './loop/run-tool/tool-ports.ts';
import { createToolRegistry } from './loop/run-tool/tool-registry.ts';
import { type Expanded, type ExpandPorts, expandMessage } from './session/expand-message.ts';

export type UserInput = {
  /** The message with what it names by `@`. */
  expand(text: string): Promise<Expanded>;
  /** `!command`: the output streams to `report`; rules that deny it hold. */
  runCommand(command: string, options: Pick<ExecuteToolOptions, 'signal' | 'report'>): Promise<ToolResult>;
  /** Read again each time: a file may have been written meanwhile. Of two with one name the first counts. */
  commands(): Promise<{ commands: CustomCommand[]; warnings: string[] }>;
  /** `/name words` → the prompt it stands for; undefined where there is no such command. */
  fill(text: string): Promise<string | undefined>;
};

export type UserInputOptions = {
  ports: ToolPorts;
  /** Looks for the sandbox; it may be that no tool of the model runs commands. */
  findSandbox(): Promise<unknown>;
  /** Where the person's own commands and their trust in folders are kept; undefined: there are none. */
  configFolder: string | undefined;
  /** Commands that plugins bring. */
  commands?: readonly CustomCommand[];
  ofServer?: ExpandPorts['ofServer'];
};

export const createUserInput = ({
  ports,
  findSandbox,
  configFolder,
  commands: brought = [],
  ofServer,
}: UserInputOptions): UserInput => {
  // The tools of the person are all of them, whatever the model is offered.
  let runner: ReturnType<typeof createToolRunner> | undefined;
  const run: ExpandPorts['executeTool'] = (name, args, options) => {
    runner ??= createToolRunner({ ...ports, registry: createToolRegistry(BUILT_IN_TOOLS, ports.config) });
    return runner(name, args, options);
  };
  const commands: UserInput['commands'] = async () => {
    if (configFolder === undefined) return { commands: firstOfName([...brought, ...BUILT_IN_PROMPTS]), warnings: [] };
    const { workspace } = ports;
    const trust = await createTrustFile({ folder: configFolder }).isTrusted(workspace.root);
    const read = await readCustomCommands({ configFolder, workspace, trusted: trust.trusted });
    return { ...read, commands: firstOfName([...read.commands, ...brought, ...BUILT_IN_PROMPTS]) };
  };
  return {
    expand: (text) => expandMessage(text, { workspace: ports.workspace, executeTool: run, ofServer }),
    async runCommand(command, options) {
      await findSandbox();
      return run('bash', { command }, { ...options, ask: async () => ({ decision: 'allow_once' }) });
    },
    commands,
    async fill(text) {
      const typed = typedWords(text.trim());
      if (typed === undefined) return undefined;
      const { commands: known } = await commands();
      const command = known.find(({ name }) => name === typed.name);
      return command && fillCustomCommand(command, typed.argument);
    },
  };
};

const firstOfName = (commands: readonly CustomCommand[]): CustomCommand[] => {
  const byName = new Map(commands.toReversed().map((command) => [command.name, command]));
  return commands.filter((command) => byName.get(command.name) === command);
};

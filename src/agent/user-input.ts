/**
 * What a person does in a conversation besides speaking: names files, runs commands, uses commands of their own. It goes
 * the way of every call; only the question is answered already, because typing it was the answer.
 */
import { type CustomCommand, fillCustomCommand } from '../core/custom-command.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { readCustomCommands } from '../storage/custom-commands.ts';
import { createTrustFile } from '../storage/trust-file.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createToolRunner, type ExecuteToolOptions } from './loop/run-tool/execute-tool.ts';
import type { ToolPorts } from './loop/run-tool/tool-ports.ts';
import { createToolRegistry } from './loop/run-tool/tool-registry.ts';
import { type Expanded, type ExpandPorts, expandMessage } from './session/expand-message.ts';

export type UserInput = {
  /** The message with what it names by `@`. */
  expand(text: string): Promise<Expanded>;
  /** `!command`: the output streams to `report`; rules that deny it hold. */
  runCommand(command: string, options: Pick<ExecuteToolOptions, 'signal' | 'report'>): Promise<ToolResult>;
  /** Read anew each time: a file may have been written meanwhile. */
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
    if (configFolder === undefined) return { commands: [...brought], warnings: [] };
    const { workspace } = ports;
    const trust = await createTrustFile({ folder: configFolder }).isTrusted(workspace.root);
    const read = await readCustomCommands({ configFolder, workspace, trusted: trust.trusted });
    const names = new Set(read.commands.map(({ name }) => name));
    return { ...read, commands: [...read.commands, ...brought.filter(({ name }) => !names.has(name))] };
  };
  return {
    expand: (text) => expandMessage(text, { workspace: ports.workspace, executeTool: run, ofServer }),
    async runCommand(command, options) {
      await findSandbox();
      return run('bash', { command }, { ...options, ask: async () => ({ decision: 'allow_once' }) });
    },
    commands,
    async fill(text) {
      const match = /^\/([a-z][a-z0-9-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
      if (match === null) return undefined;
      const { commands: known } = await commands();
      const command = known.find(({ name }) => name === match[1]);
      return command && fillCustomCommand(command, (match[2] ?? '').trim());
    },
  };
};

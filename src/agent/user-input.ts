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
  /** The message with what it names by `@`; of `/name words` the prompt that it stands for, named as `command`. */
  expand(text: string): Promise<Expanded & { command?: string }>;
  /** `!command`: the output streams to `report`; rules that deny it hold. */
  runCommand(command: string, options: Pick<ExecuteToolOptions, 'signal' | 'report'>): Promise<ToolResult>;
  /** Read again each time: a file may have been written meanwhile. Of two with one name the first counts. */
  commands(): Promise<{ commands: CustomCommand[]; warnings: string[] }>;
  /** Whether it is `/name words` of such a command. */
  isCommand(text: string): Promise<boolean>;
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
  const meant = async (text: string): Promise<{ command: CustomCommand; argument: string } | undefined> => {
    const typed = typedWords(text.trim());
    if (typed === undefined) return undefined;
    const { commands: known } = await commands();
    const command = known.find(({ name }) => name === typed.name);
    return command && { command, argument: typed.argument };
  };
  const expandPorts: ExpandPorts = { workspace: ports.workspace, executeTool: run, ofServer };
  return {
    async expand(text) {
      const named = await meant(text);
      if (named === undefined) return expandMessage(text, expandPorts);
      const { command, argument } = named;
      const filled = fillCustomCommand(command, argument);
      const by = isTheirs(command)
        ? undefined
        : { typed: text.trim(), from: `/${command.name} of ${OWNERS[command.from]}` };
      return { ...(await expandMessage(filled, expandPorts, by)), command: command.name };
    },
    async runCommand(command, options) {
      await findSandbox();
      return run('bash', { command }, { ...options, reader: 'person', ask: async () => ({ decision: 'allow_once' }) });
    },
    commands,
    isCommand: async (text) => (await meant(text)) !== undefined,
  };
};

/** What the person wrote themselves, or has from halter, is their word as it is; of any other prompt only what they type is. */
const isTheirs = ({ from }: CustomCommand): boolean => from === 'yours' || from === 'halter';
const OWNERS: Record<CustomCommand['from'], string> = {
  yours: 'yours',
  halter: 'halter',
  folder: 'this folder',
  plugin: 'a plugin',
};

const firstOfName = (commands: readonly CustomCommand[]): CustomCommand[] => {
  const byName = new Map(commands.toReversed().map((command) => [command.name, command]));
  return commands.filter((command) => byName.get(command.name) === command);
};

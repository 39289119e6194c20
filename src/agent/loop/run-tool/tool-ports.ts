import type { Progress } from '../../../core/events.ts';
import type { Limits } from '../../../core/limits.ts';
import type { StartedFiles } from '../../../core/policy/started-files.ts';
import type { PolicyRules } from '../../../core/policy.ts';
import type { Clock, Network, Processes, ToolConfig, Workspace } from '../../../core/ports.ts';
import type { Curator, Retrieval } from '../../../core/retrieval-port.ts';
import type { ToolContext } from '../../../core/tool.ts';
import type { SandboxReport } from '../../../sandbox/confine.ts';
import type { RepositoryWrites } from '../../../sandbox/repository-writes.ts';
import type { CommandRules } from '../../permissions/authorize/command-decider.ts';
import type { ResultCache } from './result-cache.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** What a tool call needs, whether a model or a person makes it. */
export type ToolPorts = {
  registry: ToolRegistry;
  rules(): PolicyRules;
  /** Takes out what another halter had taken out of the remembered rules meanwhile. Absent: nobody else changes them. */
  refreshRules?(): Promise<void>;
  /** Opened at the first command line that a rule might cover: the grammar takes a moment to load. */
  commandRules?(): Promise<CommandRules>;
  /** How commands are confined; absent: not at all. */
  confinement?: SandboxReport;
  /** Where what a command had written into this layer is kept, after halter was killed while it ran. */
  keptLayer?(name: string): string | undefined;
  /** Arguments of a model are checked like those of a program: nothing is converted. */
  strictArguments?: true;
  /** Why a tool that there is was not offered; undefined for every other name. */
  withheld?(name: string): string | undefined;
  /** What MCP servers are started from; absent: there are none. */
  startedFiles?(): StartedFiles;
  /** What a write of a file means for git, as things stand; absent: nothing is known of it. */
  repositoryWrites?(): RepositoryWrites;
  workspace: Workspace;
  network: Network;
  processes: Processes;
  clock: Clock;
  config: ToolConfig;
  limits: Limits;
  /** Runs the tools, and answers for pure ones from what it kept. */
  cache: ResultCache;
  /** The index of the folder, where it is in use (Z20). */
  retrieval?: Retrieval;
  /** What chooses the lines of long files, for a conversation of these messages and with so much room for a result (H3). */
  curatorFor?(
    messages: () => readonly string[],
    tell: (update: Progress) => void,
    resultCharacters?: () => number | undefined,
  ): Curator;
};

/** The part of a tool's context that is the same for every call. */
export const sharedContext = ({
  workspace,
  network,
  processes,
  clock,
  config,
  registry,
}: ToolPorts): Pick<ToolContext, 'workspace' | 'network' | 'processes' | 'clock' | 'config' | 'offers'> => ({
  workspace,
  network,
  processes,
  clock,
  config,
  offers: (name) => registry.get(name) !== undefined,
});

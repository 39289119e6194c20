/** The ports out of the program, to the network and to processes; what goes through them is noted in the connection log. */
import type { Network, Processes } from '../../core/ports.ts';
import { systemClock } from '../../io/clock.ts';
import { createNetwork } from '../../io/network.ts';
import { createProcesses } from '../../io/processes.ts';
import type { SandboxReport } from '../../sandbox/confine.ts';
import { createEgressFile } from '../../storage/egress-file.ts';
import { closeAll } from '../close-all.ts';
import type { CheckedOptions } from './check-options.ts';
import { type ConfinementChoices, confinementOf, sandboxWarnings } from './confinement.ts';
import { noteCommands, noteConnections } from './egress-ledger.ts';
import { lateConfinement } from './late-confinement.ts';

export type SystemPorts = {
  /** For halter itself, which goes where the person's settings say. */
  network: Network;
  processes: Processes;
  /** For tools: no private addresses but those allowed, and commands are noted. */
  forTools: { network: Network; processes: Processes };
  /** Changes in place when the sandbox is found. */
  sandbox: SandboxReport;
  /** Looks for the sandbox where that was not done yet. */
  findSandbox(): Promise<SandboxReport>;
  close(): Promise<void>;
};

export type SystemPortChoices = ConfinementChoices & {
  io: CheckedOptions['io'];
  rules: CheckedOptions['rules'];
  /** Variables of the environment that hold keys. */
  secrets: readonly string[];
  /** Some tool does, so that a confinement is looked for at once. */
  runsCommands: boolean;
  /** Where the connection log is; undefined: none is written. */
  logFolder: string | undefined;
};

export const openSystemPorts = async (choices: SystemPortChoices): Promise<SystemPorts> => {
  const { io, logFolder, permissions, runsCommands } = choices;
  const log =
    logFolder === undefined
      ? undefined
      : createEgressFile({ folder: logFolder, onProblem: (message) => io.onWarning('egress', message) });
  const network = createNetwork({
    environment: io.environment,
    offline: io.offline,
    ...io.connections,
    ...(log ? noteConnections(log, io.onConnection) : { onConnection: io.onConnection }),
  });
  const sandbox = lateConfinement(async () => {
    const open = (hosts: readonly string[]) => network.forCommands(hosts, { allowPrivate: io.allowPrivate });
    const found = await confinementOf(choices, open);
    for (const message of sandboxWarnings(permissions, found.report, choices.rules.allow)) {
      io.onWarning('sandbox', message);
    }
    return found;
  });
  if (runsCommands) await sandbox.find();
  const processes = createProcesses({
    root: choices.workspace.root,
    environment: io.environment,
    secrets: choices.secrets,
    confine: sandbox.confine,
  });
  const noted = { isSandboxed: () => !sandbox.report.network, now: () => systemClock.now() };
  return {
    network,
    processes,
    forTools: {
      network: network.guarded({ allowPrivate: io.allowPrivate }),
      processes: log ? noteCommands(processes, log, noted) : processes,
    },
    sandbox: sandbox.report,
    findSandbox: sandbox.find,
    async close() {
      const problems = await closeAll([
        ['the commands', () => processes.close()],
        ['the sandbox', () => sandbox.close()],
        ['the connections', () => network.close()],
      ]);
      for (const problem of problems) io.onWarning('close_failed', problem);
    },
  };
};

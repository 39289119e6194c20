/** The doors out of the program, to the network and to processes; what goes through them is noted in the ledger. */
import type { Network, Processes } from '../../core/ports.ts';
import { systemClock } from '../../io/clock.ts';
import { createNetwork } from '../../io/network.ts';
import { createProcesses } from '../../io/processes.ts';
import { type SandboxReport, unconfined } from '../../sandbox/confine.ts';
import { createEgressFile } from '../../storage/egress-file.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import { closeAll } from '../close-all.ts';
import type { Choices } from './choices.ts';
import { confinementOf, sandboxWarnings } from './confine-options.ts';
import { noteCommands, noteConnections } from './egress-ledger.ts';
import type { AgentOptions } from './options.ts';

export type SystemPorts = {
  /** For halter itself, which goes where the person's settings say. */
  network: Network;
  processes: Processes;
  /** For tools: no private addresses but those allowed, and commands are noted. */
  forTools: { network: Network; processes: Processes };
  sandbox: SandboxReport;
  close(): Promise<void>;
};

export const openSystemPorts = async (
  options: AgentOptions,
  { paths, root, choices }: { paths: HalterPaths; root: string; choices: Choices },
): Promise<SystemPorts> => {
  const ledger = createEgressFile({
    folder: paths.data,
    onProblem: (message) => options.onWarning('egress', message),
  });
  const network = createNetwork({
    environment: options.environment,
    offline: options.offline ?? false,
    ...options.connections,
    ...noteConnections(ledger, options.onConnection),
  });
  const { runsCommands, rules } = choices;
  const sandbox = runsCommands ? await confinementOf(options, root, paths) : unconfined('no tool runs commands');
  for (const message of sandboxWarnings(options, sandbox.report, runsCommands, rules.allow))
    options.onWarning('sandbox', message);
  const processes = createProcesses({
    root,
    environment: options.environment,
    ...(sandbox.confine ? { confine: sandbox.confine } : {}),
  });
  return {
    network,
    processes,
    forTools: {
      network: network.guarded({ allowPrivate: options.allowPrivate ?? [] }),
      processes: noteCommands(processes, ledger, {
        sandboxed: !sandbox.report.network,
        now: () => systemClock.now(),
      }),
    },
    sandbox: sandbox.report,
    async close() {
      const problems = await closeAll([
        ['the commands', () => processes.close()],
        ['the sandbox', () => sandbox.close()],
        ['the connections', () => network.close()],
      ]);
      for (const problem of problems) options.onWarning('close_failed', problem);
    },
  };
};

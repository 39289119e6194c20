/** From what was chosen to a confinement of commands, and what a person is told about it at the start. */
import { resolve } from 'node:path';
import { matchesWildcard } from '../../core/policy/glob.ts';
import type { StartedFiles } from '../../core/policy/started-files.ts';
import type { SourcedRule } from '../../core/policy.ts';
import type { CommandProxy } from '../../io/network/command-proxy.ts';
import { type Confinement, homeOf, openConfinement, type SandboxReport, unconfined } from '../../sandbox/confine.ts';
import { detectSandbox } from '../../sandbox/index.ts';
import type { CheckedOptions } from './check-options.ts';

export type ConfinementChoices = {
  /** `root` as it is without links. */
  workspace: CheckedOptions['workspace'];
  permissions: Pick<CheckedOptions['permissions'], 'sandbox' | 'allowNetwork' | 'allowHosts' | 'allowRead' | 'mode'>;
  io: Pick<CheckedOptions['io'], 'environment' | 'offline'>;
  /** Folders of halter, which no command sees. */
  system: CheckedOptions['system'];
  database: string | undefined;
  startedFiles(): StartedFiles;
  deniedPrograms(): readonly string[];
};

/** Trying it out takes a moment, in which other things can be opened. */
export const expectSandbox = ({ sandbox }: Pick<CheckedOptions['permissions'], 'sandbox'>): void => {
  if (sandbox !== false) void detectSandbox();
};

export const confinementOf = async (
  choices: ConfinementChoices,
  openProxy?: (hosts: readonly string[]) => Promise<CommandProxy>,
): Promise<Confinement> => {
  const found = await findConfinement(choices, openProxy);
  if (choices.database === undefined || found.report.confined || found.report.refused) return found;
  return { ...found, report: { ...found.report, text: 'refused', refused: refusedText(found.report.reason) } };
};

/** Whoever shares a database would run commands with the rights of all the others. */
const refusedText = (reason: string): string =>
  `Commands are refused here: a database that many share was named, and there is no sandbox to keep their commands apart (${reason}). Install bubblewrap: apt-get install bubblewrap`;

const findConfinement = async (
  { workspace, permissions, io, system, startedFiles, deniedPrograms }: ConfinementChoices,
  openProxy?: (hosts: readonly string[]) => Promise<CommandProxy>,
): Promise<Confinement> => {
  if (permissions.sandbox === false) return unconfined('it is switched off');
  const hosts = io.offline ? [] : (permissions.allowHosts ?? []);
  const proxy = hosts.length > 0 ? await openProxy?.(hosts) : undefined;
  const confinement = await openConfinement({
    root: workspace.root,
    addDirs: workspace.additionalRoots,
    paths: system,
    environment: io.environment,
    startedFiles,
    deniedPrograms,
    reads: (permissions.allowRead ?? []).map((file) => resolve(file.replace(/^~(?=\/|$)/, homeOf(io.environment)))),
    // Offline is a promise about the whole program.
    network: permissions.allowNetwork === true && !io.offline,
    hosts,
    serve: proxy && ((listener) => proxy.serve(listener)),
  });
  return {
    ...confinement,
    close() {
      proxy?.close();
      confinement.close();
    },
  };
};

/** Flags of the command line are the person's word, so they count without a sandbox too; but not in silence. */
export const sandboxWarnings = (
  { sandbox, mode }: ConfinementChoices['permissions'],
  report: SandboxReport,
  allow: readonly SourcedRule[],
): string[] => {
  if (report.confined) return [];
  if (report.refused !== undefined) return [report.refused];
  if (sandbox === true) return [`There is no sandbox here: ${report.reason}.`];
  const isAllowed = mode === 'yolo' || allow.some(({ tool }) => matchesWildcard(tool, 'bash'));
  return isAllowed ? [`Commands that are allowed run unsandboxed, with your own rights: ${report.reason}.`] : [];
};

/** From what the person chose to a confinement, and what they are to be told about it at the start. */
import { matchesWildcard } from '../../core/policy/glob.ts';
import type { SourcedRule } from '../../core/policy.ts';
import { type Confinement, openConfinement, type SandboxReport, unconfined } from '../../sandbox/confine.ts';
import { detectSandbox } from '../../sandbox/index.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { AgentOptions } from './options.ts';

type Chosen = Pick<
  AgentOptions,
  'sandbox' | 'allowNetwork' | 'offline' | 'addDirs' | 'environment' | 'yolo' | 'database'
>;

/** Trying it out takes a moment, in which other things can be opened. */
export const expectSandbox = ({ sandbox }: Pick<AgentOptions, 'sandbox'>): void => {
  if (sandbox !== false) void detectSandbox();
};

export const confinementOf = async (
  options: Chosen,
  root: string,
  paths: Pick<HalterPaths, 'config' | 'data' | 'cache'>,
): Promise<Confinement> => {
  const found = await findConfinement(options, root, paths);
  if (options.database === undefined || found.report.confined) return found;
  return { ...found, report: { ...found.report, text: 'refused', refused: refusedText(found.report.reason) } };
};

/** Whoever shares a database would run commands with the rights of all the others. */
const refusedText = (reason: string): string =>
  `Commands are refused here: a database that many share was named, and there is no sandbox to keep their commands apart (${reason}). Install bubblewrap: apt-get install bubblewrap`;

const findConfinement = async (
  options: Chosen,
  root: string,
  paths: Pick<HalterPaths, 'config' | 'data' | 'cache'>,
): Promise<Confinement> => {
  if (options.sandbox === false) return unconfined('it is switched off');
  return openConfinement({
    root,
    addDirs: options.addDirs ?? [],
    paths,
    environment: options.environment,
    // Offline is a promise about the whole program.
    network: options.allowNetwork === true && options.offline !== true,
  });
};

/** Flags of the command line are the person's word, so they count without a sandbox too; but not in silence. */
export const sandboxWarnings = (
  options: Chosen,
  report: SandboxReport,
  runsCommands: boolean,
  allow: readonly SourcedRule[],
): string[] => {
  if (!runsCommands || report.confined) return [];
  if (report.refused !== undefined) return [report.refused];
  if (options.sandbox === true) return [`There is no sandbox here: ${report.reason}.`];
  const isAllowed = options.yolo === true || allow.some(({ tool }) => matchesWildcard(tool, 'bash'));
  return isAllowed ? [`Commands that are allowed run unsandboxed, with your own rights: ${report.reason}.`] : [];
};

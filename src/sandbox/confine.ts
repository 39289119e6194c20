/** The sandbox of a run: found once, told to the person, and put round the commands that the model wrote. */
import { homedir } from 'node:os';
import path from 'node:path';
import { NO_STARTED_FILES, type StartedFiles } from '../core/policy/started-files.ts';
import type { HiddenProgram, MayKeep, WithheldChange } from '../core/ports.ts';
import { certificateFiles } from './certificates.ts';
import { deniedFiles } from './denied-programs.ts';
import { enclosingRepositoryOf } from './enclosing-repository.ts';
import { hiddenPrograms } from './hidden-programs.ts';
import { homeView } from './home-view.ts';
import {
  detectSandbox,
  protectedPaths,
  type SandboxState,
  secretPaths,
  settingsWithKeys,
  wrapCommand,
} from './index.ts';
import { isWritable } from './layer.ts';
import { createLayering, type Finished, type Followed, type Layering, type Told } from './layering.ts';
import { layerName, leftLayer, markFollowed } from './left-layers.ts';
import { type LinkedWorktree, linkedWorktreeOf } from './linked-worktree.ts';
import { CHANNEL, listenInside } from './listen-inside.ts';
import { groupReason } from './other-groups.ts';
import { outsideViews, unseenIn } from './outside-view.ts';
import { layerFolders, OwnPlaces } from './own-places.ts';
import { boundSockets } from './sockets.ts';

export type Confined = {
  command: string[];
  network: boolean;
  /** Writable folders that the person may not write to. */
  unwritable?: readonly string[];
  /** Programs that rules deny: they cannot be started. */
  denied?: readonly string[];
  /** Programs that such an output says are missing, and that are there outside. */
  hiddenIn?(output: string): readonly HiddenProgram[];
  /** Links of the folder that such an output says lead to nothing, and that lead out of it. */
  unseenIn?(output: string): readonly HiddenProgram[];
  /** The repository of the workspace, where that is a worktree of one that no command may write to. */
  repository?: string;
  /** The folder of the repository that the workspace is part of, where commands do not see all of it. */
  enclosing?: string;
  /** Gets the listener that the command sends over its channel before it begins; absent: it has no channel. */
  serve?(listener: object): void;
  /** When the command has ended or could not be started: what it wrote is judged and put in place. */
  finish(told?: Told): Promise<Finished>;
  /** Folders with a layer, and those that are written to without one. */
  layers: readonly { folder: string; name: string }[];
  beside: readonly string[];
  /** For a command that goes on in the background: it and the folder see of each other what they write. `finish` ends it. */
  follow(pid: number, onWithheld: (withheld: WithheldChange) => void, mayWrite?: () => Promise<boolean>): void;
  /** Asks about what is held of a background command since the last time. */
  review(mayKeep: MayKeep): Promise<Finished>;
};
/** `byMode`: nobody was asked and no rule speaks of it, so it sees nothing outside of the folder. */
export type Confine = (command: readonly string[], folder: string, asked?: { byMode?: boolean }) => Promise<Confined>;

/** How commands are confined, for people and programs. `text` is what stands in the footer and in each question. */
export type SandboxReport = {
  kind: SandboxState['kind'];
  confined: boolean;
  /** Whether a command reaches the network. */
  network: boolean;
  text: string;
  /** Why there is none, or how it was found. */
  reason: string;
  /** No command runs, whoever asks for it, and this is why. */
  refused?: string;
  /** Why what a command writes is not judged before it counts, as the end of a sentence; undefined where it is. */
  unheld?(): Promise<string | undefined>;
};
export type Confinement = { report: SandboxReport; confine?: Confine; close(): void };

export type ConfineOptions = {
  root: string;
  addDirs: readonly string[];
  /** Folders of halter itself. */
  paths: { config: string; data: string; cache: string };
  environment: Readonly<Record<string, string | undefined>>;
  /** What MCP servers are started from, which no command changes. */
  startedFiles?(): StartedFiles;
  /** Programs that rules deny now, by their names. */
  deniedPrograms?(): readonly string[];
  /** Folders and files of the home folder that commands may read, beside what programs need. */
  reads?: readonly string[];
  /** Commands reach the network. */
  network: boolean;
  /** Where they do not: hosts that they reach nevertheless, and who answers for them at a command's own listener. */
  hosts?: readonly string[];
  serve?(listener: object): void;
};

/** What the person reads of it, everywhere where commands are asked about. */
export const UNSANDBOXED = 'unsandboxed';

/** Commands run with the person's own rights. */
export const unconfined = (reason: string): Confinement => ({
  report: { kind: 'none', confined: false, network: true, text: UNSANDBOXED, reason },
  close: () => {},
});

/** A sandbox that could not be tried is no reason to go without one. */
const refusing = (reason: string): Confinement => {
  const refused = `Commands are refused here: ${reason}. Close programs or raise the limit (\`ulimit -n\`), and start halter again; --no-sandbox runs commands without one`;
  const { report, close } = unconfined(reason);
  return { report: { ...report, text: 'refused', refused }, close };
};

export const openConfinement = async (
  options: ConfineOptions,
  state: SandboxState | Promise<SandboxState> = detectSandbox(),
): Promise<Confinement> => {
  const found = await state;
  if (found.kind === 'none') return found.untried ? refusing(found.reason) : unconfined(found.reason);
  const { kind, reason } = found;
  const { network, root } = options;
  // Its profile was written without a Mac to try it on; who is asked has to know.
  const name = kind === 'seatbelt' ? 'seatbelt (untried)' : kind;
  const hosts = network || kind !== 'bubblewrap' ? [] : (options.hosts ?? []);
  const reach = hosts.length === 0 ? 'no network' : `network to ${hosts.join(', ')} only`;
  const text = `${name}, ${network ? 'network allowed' : reach}`;
  const places = new OwnPlaces(options.paths.cache, { kept: keptVersions(options.paths) });
  const worktree = worktreeOf(options);
  const layering = layeringOf(options, places, kind === 'bubblewrap' ? worktree : undefined);
  const unheld = async (): Promise<string | undefined> => {
    if (kind !== 'bubblewrap') return undefined;
    const folder = await layering.without().catch(() => root);
    return (
      folder &&
      `no layer can be made over ${folder}${groupReason(folder)}, so what a command writes there counts at once`
    );
  };
  return {
    report: { kind, confined: true, network: network || hosts.length > 0, text, reason, unheld },
    confine: confineWith(found, options, { places, layering, worktree }),
    close: () => places.close(),
  };
};

const keptVersions = ({ data }: ConfineOptions['paths']): string => path.join(data, 'kept');
/** Where what a command had written into this layer is kept, after halter was killed while it ran; undefined: nowhere. */
export const keptLayer = (name: string, paths: ConfineOptions['paths']): string | undefined =>
  leftLayer(name, layerFolders(paths.cache), keptVersions(paths));

const NOTHING_HELD: Finished = { withheld: [], kept: [] };

/** Whose home folder it is, by the environment. */
export const homeOf = (environment: ConfineOptions['environment']): string => environment['HOME'] || homedir();
const startedFilesOf = ({ startedFiles }: ConfineOptions): StartedFiles => startedFiles?.() ?? NO_STARTED_FILES;

/** Of a repository that commands may not write to anyway. */
const worktreeOf = ({ root, addDirs }: ConfineOptions): LinkedWorktree | undefined => {
  const worktree = linkedWorktreeOf(root);
  const isWritten = [root, ...addDirs].some((each) => `${worktree?.common}/`.startsWith(`${each}/`));
  return isWritten ? undefined : worktree;
};

const layeringOf = (options: ConfineOptions, places: OwnPlaces, worktree: LinkedWorktree | undefined): Layering =>
  createLayering({
    roots: [options.root, ...options.addDirs],
    worktree,
    home: homeOf(options.environment),
    places,
    keptVersions: keptVersions(options.paths),
    startedFiles: () => startedFilesOf(options),
    isNetworked: options.network || (options.hosts ?? []).length > 0,
  });

/** The repository above the folder: what git needs to find it where the person opened it, else what may be told of it. */
const insideRepository = ({
  root,
  addDirs,
  environment,
}: ConfineOptions): { variables?: Record<string, string>; unseen?: string } => {
  const enclosing = enclosingRepositoryOf(root);
  if (enclosing === undefined) return {};
  // Each writable folder is a mount of its own, and git does not look beyond one unless it is told to.
  if (addDirs.some((each) => `${enclosing}/`.startsWith(`${each}/`)))
    return { variables: { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' } };
  // Nobody is told to open all of their home folder.
  return `${homeOf(environment)}/`.startsWith(`${enclosing}/`) ? {} : { unseen: enclosing };
};

type Parts = { places: OwnPlaces; layering: Layering; worktree: LinkedWorktree | undefined };

/** Without a network a second try fails as the first one did, and npm waits more than a minute for it without a word. */
const NO_RETRIES: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: '0',
  pnpm_config_fetch_retries: '0',
  YARN_HTTP_RETRY: '0',
  // Its last try says nothing of the network, only the one before it does.
  PIP_RETRIES: '1',
  UV_HTTP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
};

const confineWith = (state: SandboxState, options: ConfineOptions, { places, layering, worktree }: Parts): Confine => {
  const { root, addDirs, paths, network } = options;
  const home = homeOf(options.environment);
  const repository = worktree?.common;
  const writable = [root, ...addDirs];
  const own = [paths.config, paths.data, paths.cache];
  const inRepository = insideRepository(options);
  const viewed = { home, environment: options.environment, roots: writable, reads: options.reads };
  const view = (line: string) => homeView({ ...viewed, line });
  const serve = !network && options.hosts?.length && state.kind === 'bubblewrap' ? options.serve : undefined;
  const isReached = network || serve !== undefined;
  const certificates = (): string[] => (isReached ? certificateFiles(options.environment) : []);
  return async (command, folder, { byMode = false } = {}) => {
    const layers = await layering.open();
    const isLayered = layers.some((layer) => layer.root === repository);
    const hidden = [...secretPaths(home, own), ...settingsWithKeys(home, command.join('\n'))];
    const isHidden = (file: string): boolean => hidden.some((folder) => file.startsWith(`${folder}/`));
    const inHome = view(command.join('\n'));
    const outside = byMode ? outsideViews({ ...viewed, isHomeViewed: inHome !== undefined }) : undefined;
    const sockets = state.kind === 'bubblewrap' ? boundSockets(isHidden) : { files: [], isWhole: true };
    const denied = options.deniedPrograms?.() ?? [];
    const listening = serve && listenInside(command);
    const started = wrapCommand(
      state,
      listening ?? command,
      {
        workspace: root,
        cwd: folder,
        writable: isLayered && repository !== undefined ? [...addDirs, repository] : addDirs,
        protected: [...protectedPaths(root, home, own), ...startedFilesOf(options).paths],
        hidden,
        home: inHome,
        outside,
        network,
        layers,
        // It also opens the listener of a command that reaches some hosts.
        programs: [process.execPath],
        readable: [...(repository === undefined ? [] : [repository]), ...certificates()],
        sockets: sockets.files,
        denied: denied.length === 0 ? [] : deniedFiles(denied, options.environment['PATH']),
        temporary: places.temporary(),
        variables: { ...inRepository.variables, ...(isReached ? {} : NO_RETRIES) },
      },
      // Where one could not be covered, a command makes no socket with a path at all.
      { filter: places.filter({ unixSockets: !network && sockets.isWhole }), kept: listening ? CHANNEL : undefined },
    );
    let live: Followed | undefined;
    let finished: Promise<Finished> | undefined;
    return {
      command: started,
      network: isReached,
      denied,
      hiddenIn: (output) => hiddenPrograms(output, options.environment['PATH']),
      unseenIn: (output) => unseenIn(output, { views: outside ?? [], roots: writable, folder }),
      unwritable: layers.map((layer) => layer.root).filter((folder) => !isWritable(folder)),
      repository: isLayered ? undefined : repository,
      enclosing: inRepository.unseen,
      serve,
      layers: layers.map((layer) => ({ folder: layer.root, name: layerName(layer.base) })),
      beside: writable.filter((folder) => !layers.some((layer) => layer.root === folder)),
      follow: (pid, onWithheld, mayWrite) => {
        for (const { base } of layers) markFollowed(base);
        live = layering.follow(layers, pid, { onWithheld, mayWrite });
      },
      review: async (mayKeep) => (await live?.review(mayKeep)) ?? NOTHING_HELD,
      finish(told) {
        finished ??= live === undefined ? layering.settle(layers, told) : live.stop().then(() => NOTHING_HELD);
        return finished;
      },
    };
  };
};

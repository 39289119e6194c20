/** The sandbox of a run: found once, told to the person, and put round the commands that the model wrote. */
import { homedir } from 'node:os';
import { NO_STARTED_FILES, type StartedFiles } from '../core/policy/started-files.ts';
import { detectSandbox, protectedPaths, type SandboxState, secretPaths, wrapCommand } from './index.ts';
import { createLayering } from './layering.ts';
import { CHANNEL, listenInside } from './listen-inside.ts';
import { OwnPlaces } from './own-places.ts';
import type { Withheld } from './settle.ts';
import { boundSockets } from './sockets.ts';

export type Confined = {
  command: string[];
  network: boolean;
  /** Gets the listener that the command sends over its channel before it begins; absent: it has no channel. */
  serve?(listener: object): void;
  /** When the command has ended or could not be started: what it wrote is judged and put in place. */
  finish(): Promise<Withheld[]>;
  /** For a command that goes on in the background: it and the folder see of each other what they write. `finish` ends it. */
  follow(pid: number, onWithheld: (withheld: Withheld) => void): void;
};
export type Confine = (command: readonly string[], folder: string) => Promise<Confined>;

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
  const { network } = options;
  // Its profile was written without a Mac to try it on; who is asked has to know.
  const name = kind === 'seatbelt' ? 'seatbelt (untried)' : kind;
  const hosts = network || kind !== 'bubblewrap' ? [] : (options.hosts ?? []);
  const reach = hosts.length === 0 ? 'no network' : `network to ${hosts.join(', ')} only`;
  const text = `${name}, ${network ? 'network allowed' : reach}`;
  const places = new OwnPlaces(options.paths.cache);
  return {
    report: { kind, confined: true, network: network || hosts.length > 0, text, reason },
    confine: confineWith(found, options, places),
    close: () => places.close(),
  };
};

const confineWith = (state: SandboxState, options: ConfineOptions, places: OwnPlaces): Confine => {
  const { root, addDirs, paths, environment, network } = options;
  const home = environment['HOME'] || homedir();
  const own = [paths.config, paths.data, paths.cache];
  const serve = !network && options.hosts?.length && state.kind === 'bubblewrap' ? options.serve : undefined;
  const startedFiles = options.startedFiles ?? (() => NO_STARTED_FILES);
  const layering = createLayering({ roots: [root, ...addDirs], home, places, startedFiles });
  return async (command, folder) => {
    const layers = await layering.open();
    const listening = serve && listenInside(command);
    const started = wrapCommand(
      state,
      listening ?? command,
      {
        workspace: root,
        cwd: folder,
        writable: addDirs,
        protected: [...protectedPaths(root, home, own), ...startedFiles().paths],
        hidden: secretPaths(home, own),
        network,
        layers,
        // It also opens the listener of a command that reaches some hosts.
        programs: [process.execPath],
        sockets: state.kind === 'bubblewrap' ? boundSockets(() => true) : [],
        temporary: places.temporary(),
      },
      { filter: places.filter(network), kept: listening ? CHANNEL : undefined },
    );
    let live: { stop(): Promise<void> } | undefined;
    let finished: Promise<Withheld[]> | undefined;
    return {
      command: started,
      network: network || serve !== undefined,
      serve,
      follow: (pid, onWithheld) => {
        live = layering.follow(layers, pid, onWithheld);
      },
      finish() {
        finished ??= live === undefined ? layering.settle(layers) : live.stop().then(() => []);
        return finished;
      },
    };
  };
};

/**
 * The ports to the outside, as the rest of the program sees them. Each is made once, in `io/`,
 * and handed in: a tool or a provider never opens a file, a socket or a process by itself.
 */
import type { JsonObject } from './json.ts';
import type { Outcome } from './outcome.ts';

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** A steady counter in milliseconds, for durations. */
  monotonic(): number;
};

export type FileKind = 'file' | 'directory' | 'link' | 'other';
/** `unnamed`: its name is not UTF-8, so no path in text leads to it; it is shown with `\xNN` for such bytes. */
export type DirectoryEntry = { name: string; kind: FileKind; size: number; modified_ms: number; unnamed?: true };
/** What stands in a place itself; `mode`: permission bits, `target`: of a link, which was not followed. */
export type FolderEntry = { kind: FileKind | 'absent'; mode?: number; target?: string };
export type PlainEntry = { kind: 'link'; target: string } | { kind: 'directory' };
export type FileStat = { kind: FileKind; size: number; modified_ms: number };
/** Raw bytes with the hash the conversation remembers, so that a later edit can tell that the file changed. `mode`: permission bits. */
export type FileBytes = { path: string; bytes: Uint8Array; hash: string; stat: FileStat; mode?: number };

/**
 * The only port to the person's files. Every path is relative to the workspace with `/` as separator;
 * absolute paths, traversal and links that lead outside fail with `validation_failed`.
 * Nothing here throws for a reason a model, a person or the disk can cause.
 */
export type Workspace = {
  /** The real absolute path of the root. */
  readonly root: string;
  /** A path as the model wrote it → the confined, normalised relative path (`.` for the root). */
  resolve(path: string): Outcome<string>;
  stat(path: string): Promise<Outcome<FileStat>>;
  list(path: string): Promise<Outcome<DirectoryEntry[]>>;
  /** Regular files only, at most `maxBytes`; opened without blocking, then verified to lie inside. */
  readFile(path: string, options: { maxBytes: number; signal?: AbortSignal }): Promise<Outcome<FileBytes>>;
  /**
   * Writes whole and atomically (temporary file, fsync, rename), making parent folders. With `expectedHash` the write is
   * refused with reason `changed_since_read` when the file is another one by now; `null` expects that there is none.
   * `mode`: permission bits in place of those of the file that is there, also where that may not be written to; for taking
   * back alone.
   */
  writeFile(
    path: string,
    bytes: Uint8Array,
    options?: { expectedHash?: string | null; mode?: number; signal?: AbortSignal },
  ): Promise<Outcome<{ size: number; created: boolean }>>;
  /**
   * Removes a file that still has `expectedHash`, then those of `folders` (the outermost first) that are empty by then.
   * For taking back what halter created; no tool removes files.
   */
  removeFile(path: string, options: { expectedHash: string; folders?: readonly string[] }): Promise<Outcome<void>>;
  /** Fails where a link leads to the folder that it would be in. For taking back alone. */
  entry(path: string): Promise<Outcome<FolderEntry>>;
  /** Puts a link or an empty folder where nothing stands. For taking back alone, as the next one. */
  placeEntry(path: string, wanted: PlainEntry): Promise<Outcome<void>>;
  /** Removes a link that has this target or a folder that is empty, then those of `folders` that are empty by then. */
  removeEntry(path: string, expected: PlainEntry, folders?: readonly string[]): Promise<Outcome<void>>;
  /**
   * Gives a regular file that has the permission bits `from` those of `to`. No link is followed, and rights of an owner or
   * a group are never given. For taking back alone.
   */
  setMode(path: string, modes: { from: number; to: number }): Promise<Outcome<void>>;
  /** All files below `path`, sorted, `.gitignore` respected unless told otherwise. */
  walk(options: {
    path?: string;
    includeHidden?: boolean;
    ignoreGitignore?: boolean;
    maxPaths: number;
    /** Also what the system says of each file, in the order of the paths; 0 bytes for one that went away. */
    stats?: boolean;
    signal?: AbortSignal;
  }): Promise<
    Outcome<{ paths: string[]; truncated: boolean; unreadable?: number; unnamed?: string[]; stats?: FileStat[] }>
  >;
  /** The one name of a file, whatever way led to it: one that is read by a link and written by its name is one file. */
  fileName(path: string): string;
  /** The hash that this conversation last saw of a path (by reading or writing it), if any. */
  seenHash(path: string): string | undefined;
  markSeen(path: string, hash: string): void;
  /** Whether a walk would leave it out by an ignore file, also where it is not there. Absent: not known. */
  isIgnored?(path: string): Promise<boolean>;
};

/** A change that a command made to a file that other programs run or load by themselves: it counts with a yes only. */
export type HeldChange = {
  /** Relative to the workspace; absolute in another folder. */
  path: string;
  kind: 'file' | 'link' | 'removed';
  /** Why it is held, as the end of a sentence. */
  reason: string;
  /** The text of the file or the target of the link, as it is and as the command left it; absent where there is none. */
  before?: string;
  after?: string;
  /** It is a file that can be run. */
  executable?: true;
};
/** Whether each of these changes is kept, in their order. */
export type MayKeep = (changes: readonly HeldChange[]) => Promise<readonly boolean[]>;

/**
 * What a command wrote or removed, before that counts: a file, a link or a folder in which nothing is. `content`: of a file
 * that it wrote; undefined where that is too large. `mode`: its permission bits. `target`: of a link.
 */
export type CommandChange = {
  path: string;
  kind: 'written' | 'removed' | 'link' | 'folder';
  target?: string;
  content(): Uint8Array | undefined;
  mode?: number;
  /** What of it is not taken back, in a few words. */
  stays?: string;
};
/** Told of them before they count; `more`: there were further ones that are not named. */
export type NoteChanges = (changes: readonly CommandChange[], more: boolean) => Promise<boolean>;

/** The files that a command changed, and how many more there are. */
export type ChangedNames = { names: string[]; more: number };

/**
 * Where the changes of a command stand that runs in layers: they lie apart from these folders (`opened`), are being put in
 * place (`applying`; not said where there are none), or all that is to be put in place is (`applied`). `name`: of the layer.
 * `dropped`: said a second time, since nothing was put in place: the log could not be written by then. Older versions
 * read that as what it is, since it is no state of its own.
 * `stopped`: the command was ended before its own end. `beside`: writable folders without a layer, in which they counted at once. `network`: it reached some of it.
 */
export type LayerState =
  | { state: 'opened'; layers: { folder: string; name: string }[]; beside?: string[]; network?: true; dropped?: true }
  | { state: 'applying' }
  | { state: 'applied'; changed?: ChangedNames; stopped?: true };
export type OpenedLayers = Extract<LayerState, { state: 'opened' }>;
/** Told before each of these. True: it is durable; else nothing may be put in place, since the run may go on elsewhere. */
export type NoteLayer = (state: LayerState) => Promise<boolean>;

/**
 * Why a change that a command made does not count: it decides what other programs run later; what is there was changed
 * outside while the command ran; the same of a repository, as a whole; the system refused it.
 */
export type WithheldCause = 'runs_later' | 'changed_outside' | 'repository_changed_outside' | 'not_written';
/** `path` is relative to the workspace, or absolute; `reason` is the end of a sentence. */
export type WithheldChange = {
  path: string;
  cause: WithheldCause;
  reason: string;
  /** Where the command's version of it lies, for the person. */
  kept_at?: string;
};

export type ProcessRequest = {
  /** The program and its arguments; no shell is put between. */
  command: readonly string[];
  /** Relative to the workspace root; the root by default. */
  cwd?: string;
  env?: Record<string, string>;
  stdin?: Uint8Array | string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Runs in the sandbox, where there is one; for commands that a model wrote. */
  confined?: boolean;
  /** Asked when the command has ended; without it such changes are taken back. */
  mayKeep?: MayKeep;
  /** Told what the command changed in files, where it ran in a layer; commands in the background are not told of. */
  noteChanges?: NoteChanges;
  /** Told where its changes stand, where it runs in layers. */
  noteLayer?: NoteLayer;
  /** Bytes of stdout and stderr together that are kept; the middle is left out beyond it and said. */
  maxOutputBytes: number;
  /** Called with decoded text as it comes. */
  onOutput?(text: string, stream: 'stdout' | 'stderr'): void;
  /** After so many bytes `onOutput` is told that more comes, and then no more; all of it where absent. */
  maxLiveBytes?: number;
};
/** A name that led a command to nothing, and what it means outside of the sandbox. */
export type HiddenProgram = { name: string; file: string };
export type ProcessResult = {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** stdout and stderr as they came, together. */
  output: string;
  /** Set when output was left out: a sentence that says how much. */
  truncated?: string;
  timedOut: boolean;
  cancelled: boolean;
  /** How it was confined, if it was. */
  sandbox?: {
    network: boolean;
    /** Folders that a sandbox usually lets a command write to, and the person may not write to themselves. */
    unwritable?: readonly string[];
    /** Names of programs that rules deny, which could not be started. */
    denied?: readonly string[];
    /** Programs that the output says are missing, and that are there outside of the sandbox. */
    hidden?: readonly HiddenProgram[];
    /** Links of the folder that the output says lead to nothing, since what is there outside was not shown. */
    unseen?: readonly HiddenProgram[];
    /** The repository of the workspace, where that is a linked worktree of one that commands only read. */
    repository?: string;
    /** The folder of the repository that the workspace is part of, where commands do not see all of it. */
    enclosing?: string;
    /** What the command changed and what counts; absent where that is nothing, or not known. */
    changed?: ChangedNames;
    /** What the command changed and what does not count. */
    withheld?: readonly WithheldChange[];
    /** Of such changes, those that were kept since `mayKeep` said so. */
    kept?: readonly string[];
    /** What it changed was not put in place, or not all of it, since the conversation could not be saved. */
    dropped?: true;
  };
};
/** A process that is talked to while it runs: a server on its pipes, or a job in the background. */
export type OpenProcessRequest = Pick<ProcessRequest, 'command' | 'cwd' | 'env' | 'confined'> & {
  /** Gives it a terminal of this size, where the system can; stderr then comes with stdout. */
  terminal?: { columns: number; rows: number };
  /** Asked each time before something that it wrote is put in place. Absent: it always may be. */
  mayWrite?(): Promise<boolean>;
  /** Of halter's environment it gets these variables and no others. */
  inherit?: readonly string[];
  onOutput(text: string, stream: 'stdout' | 'stderr'): void;
};
export type ProcessEnd = { exitCode: number | null; signal: string | null };
export type OpenProcess = {
  readonly pid: number;
  /** Whether it runs at a terminal. */
  readonly terminal: boolean;
  /** Its loopback is its own: no other process of this machine reaches its ports, and it reaches none of theirs. */
  readonly own_loopback?: boolean;
  /** Resolves when it and the pipes it held have ended. */
  readonly ended: Promise<ProcessEnd>;
  /** False where it takes no input (any more). */
  write(text: string): boolean;
  closeInput(): void;
  resize(columns: number, rows: number): void;
  /** TERM to it and everything it started, then KILL to whoever is left. */
  stop(): Promise<ProcessEnd>;
  /** Asks about the changes that are held since the last time, also after it has ended. Absent: none ever are. */
  review?(mayKeep: MayKeep): Promise<void>;
};
/** The only port to other processes. The whole process group is ended on timeout, cancel and end of halter. */
export type Processes = {
  run(request: ProcessRequest): Promise<Outcome<ProcessResult>>;
  /** Absent in ports that only run commands through. */
  open?(request: OpenProcessRequest): Promise<Outcome<OpenProcess>>;
};

export type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'HEAD';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  connectTimeoutMs: number;
  /** No limit where absent: prefill may take many minutes. */
  firstByteTimeoutMs?: number;
  /** Silence after the first byte. */
  silenceTimeoutMs?: number;
  /** Says whether silence counts yet: a server may send headers and progress long before the first token. */
  silenceCounts?(): boolean;
  maxResponseBytes: number;
  /** How many redirects are followed; each new address is judged like the first. None where absent. */
  redirects?: number;
  /** Asked about the address of each redirect before anything is sent there. All are followed where absent. */
  mayFollow?(url: string): Promise<boolean>;
  /** The address is the person's own word (a setting), so it may lie in a private network. Never set from a model's words. */
  personsWord?: boolean;
};
/** Why a request gave no usable answer. `refused` means that no byte of a response came. */
export type HttpFailure = {
  kind:
    | 'refused'
    | 'connect_timeout'
    | 'certificate'
    | 'silence_timeout'
    | 'disconnected'
    | 'cancelled'
    | 'too_large'
    | 'redirects'
    | 'blocked'
    | 'invalid_url';
  message: string;
  /** A server answered, and its redirect was not followed: what is said of it may be that server's own words. */
  isRedirected?: true;
};
export type HttpResponse = {
  status: number;
  /** Where the answer came from in the end, where redirects were followed. */
  url?: string;
  headers: Record<string, string>;
  /** Calls `onChunk` for every decoded UTF-8 piece; resolves at the end of the body. */
  read(onChunk: (text: string) => void): Promise<Outcome<void, HttpFailure>>;
  text(): Promise<Outcome<string, HttpFailure>>;
  /** The body as it is, for files; the next piece is read when `onChunk` has resolved. Absent in ports that know text only. */
  readBytes?(onChunk: (bytes: Uint8Array) => void | Promise<void>): Promise<Outcome<void, HttpFailure>>;
};
/**
 * The only port to the network. Tools are handed a face of it that reaches the open internet and what the person
 * allowed, whatever address a model writes.
 */
export type Network = {
  request(request: HttpRequest): Promise<Outcome<HttpResponse, HttpFailure>>;
  /** Why nothing would be sent to this address, where the address alone says it. Absent in ports that cannot tell. */
  refusalOf?(url: string): string | undefined;
};

/** A command that goes on in the background while the conversation does. */
export type Job = {
  id: string;
  command: string;
  state: 'running' | 'ended';
  /** Whether it runs at a terminal of its own. */
  terminal: boolean;
  /** Only what it starts itself reaches its ports. */
  own_loopback?: boolean;
  exit_code?: number;
  /** What ended it, where that was a signal. */
  signal?: string;
  /** It was asked to end, by the model or the person. */
  stopped?: boolean;
};
export type JobOutput = {
  job: Job;
  /** What came since it was last read. */
  text: string;
  /** Characters that came since then and were too many to keep. */
  omitted: number;
};
/** The jobs of one session; all of them end with it. */
export type Jobs = {
  start(command: string): Promise<Outcome<Job>>;
  list(): Job[];
  /** Waits until there is something new or the job has ended, at most so long. */
  read(id: string, options: { waitMs: number; signal: AbortSignal; mayKeep?: MayKeep }): Promise<Outcome<JobOutput>>;
  write(id: string, text: string): Outcome<Job>;
  stop(id: string, mayKeep?: MayKeep): Promise<Outcome<JobOutput>>;
};

export type TaskStatus = 'pending' | 'in_progress' | 'completed';
export type Task = { id: string; content: string; status: TaskStatus };
/** The session's task list (Z4). A change is an event of the log; the list is a fold over it. */
export type Tasks = {
  add(content: string): Outcome<Task>;
  list(): Task[];
  update(id: string, status: TaskStatus): Outcome<Task>;
};

/** The settings that a tool may read. */
export type ToolConfig = Readonly<JsonObject>;

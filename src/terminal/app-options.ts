import type { ContextReport } from '../agent/loop/window/report.ts';
import type { ListedRule } from '../agent/permissions/listed-rules.ts';
import type { Event, SessionFace } from '../core/events.ts';
import type { ContentPart } from '../core/message.ts';
import type { Mode } from '../core/policy/modes.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import type { Attention } from './app/attention.ts';
import type { Keybindings } from './keybindings.ts';
import type { StatusPart } from './status-line.ts';
import type { Environment, ThemeName } from './theme.ts';
import type { Picture } from './transcript/picture-item.ts';

/** `sees`: it takes pictures; absent where that is not known. */
export type ModelFacts = {
  name: string;
  contextLength?: number | undefined;
  endpoint: string;
  sees?: boolean | undefined;
};

/** A picture that the person hands over, or why it cannot be. */
export type HandedPicture =
  | { ok: true; name: string; mimeType: string; bytes: Uint8Array }
  | { ok: false; message: string };

/** How commands are contained: in one or two words, and whether they are at all. */
export type SandboxFacts = { text: string; confined: boolean };

export type SessionChoice = { id: string; title: string; when: string };

export type ServerView = { name: string; state: string; detail: string; shown: string; tools: readonly string[] };

export type ServerControl = {
  list(): readonly ServerView[];
  reconnect(name: string): Promise<ServerView>;
  setEnabled(name: string, enabled: boolean): Promise<ServerView>;
};

export type RuleControl = {
  list(log: readonly Event[]): readonly ListedRule[];
  /** As the list writes it; throws where there is none of this session or remembered. */
  takeBack(log: readonly Event[], rule: string): Promise<void>;
};

export type UnsentStore = {
  read(sessionId: string | undefined): string | undefined;
  /** At once; an empty text is no text. `isOver`: this window is closing. */
  keep(sessionId: string | undefined, text: string, isOver?: boolean): void;
};

/** Another halter writes the session; a copy of it can be opened. */
export class SessionInUse extends Error {}

/** What the app needs of the program round it. What these functions throw is shown to the person. */
export type AppOptions = {
  session: SessionFace;
  /**
   * A new one, or the one of this id; with another model than the app began with, where one was chosen. Throws
   * `SessionInUse` where another halter has it.
   */
  openSession(id?: string, model?: string): Promise<SessionFace>;
  /** This folder's, newest first. */
  listSessions?(): Promise<readonly SessionChoice[]>;
  /** A copy of that session, opened. */
  forkSession?(id: string): Promise<SessionFace>;
  /** What was typed in earlier sessions, and where to keep what is typed now. */
  inputHistory?: { entries: readonly string[]; add(text: string): void };
  /** What was typed and not sent when the program ended: of a session, or of the folder before anything was said. */
  unsent?: UnsentStore;
  /** The text in the person's own editor, which has the terminal meanwhile. */
  editText?(text: string): { ok: true; text: string } | { ok: false; message: string };
  /** When the person is called back by a bell and a notification. Default: `unfocused`. */
  attention?: Attention;
  /** Writes the conversation; resolves with a sentence that says where. */
  exportSession?(session: SessionFace, file: string): Promise<string>;
  tools: readonly Tool[];
  model: ModelFacts;
  /** The theme and the parts of the status line that the person chose before. */
  look?: { theme?: ThemeName; status?: readonly StatusPart[] };
  /** A screen reader reads it: plain lines that are written once, nothing is drawn over. */
  screenReader?: boolean;
  /** Keeps what was chosen here for the next start; undefined: the default. */
  keepSetting?(key: 'theme' | 'status_line', value: string | undefined): Promise<void>;
  /** The chosen model, for the next start as well. */
  keepModel?(name: string): Promise<void>;
  /** Names that `/model` takes. */
  listModels?(): Promise<readonly string[]>;
  describeModel?(name: string): Promise<ModelFacts>;
  /** What fills the window of a session with this log and model. */
  describeWindow?(log: readonly Event[], model: string): Promise<ContextReport>;
  /** Paths of the workspace, for `@` and `/context files`. */
  listFiles?(): Promise<readonly string[]>;
  /** A message with what it names by `@`, and what did not come along. */
  expand?(text: string): Promise<{ content: string | ContentPart[]; problems: readonly string[] }>;
  /** `!command`, run as the person. */
  runCommand?(command: string, options: { signal: AbortSignal; report(text: string): void }): Promise<ToolResult>;
  /** Commands of one's own, for completion and help. */
  listCommands?(): Promise<readonly { name: string; description: string }[]>;
  /** Whether it is `/name words` of one of those; `expand` puts its prompt in its place. */
  isOwnCommand?(text: string): Promise<boolean>;
  /** A picture by its path in the workspace, or by its bytes; undefined where it is none, or too large. */
  readPicture?(from: string | Uint8Array): Promise<Picture | undefined>;
  /** A picture whose path was dropped or pasted; undefined where the text is no such path. */
  pictureAt?(pasted: string): HandedPicture | undefined;
  /** The picture on the clipboard. */
  pictureOnClipboard?(): Promise<HandedPicture>;
  /** The person's own keys. */
  keybindings?: Keybindings;
  /** Warnings of the program round the app: those that there are already, and each one that comes. */
  followWarnings?(notice: (text: string) => void): void;
  /** Opens an address in the person's browser, on their word; false where that cannot be. */
  openAddress?(url: string): Promise<boolean>;
  /** The rules that hold, for `/permissions`. */
  rules?: RuleControl;
  /** MCP servers, for `/mcp`. */
  servers?: ServerControl;
  sandbox: SandboxFacts;
  /** The mode that a session begins with; the log says later ones. Default: `ask`. */
  mode?: Mode;
  /** The name of the folder, for the footer. */
  folder?: string;
  /** The branch that git is on, for the footer. */
  gitBranch?(): string | undefined;
  environment: Environment;
  /** Stands in the first line: the program's version and the folder. */
  title?: string;
};

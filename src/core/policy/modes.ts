/**
 * Modes: how often a person is asked. A mode adds a reason to allow or to deny; it never counts against a rule that
 * denies, and except `yolo` none counts where a policy override asks (secrets, auto-executed files, untrusted content, a
 * missing sandbox).
 */
import type { Tool, ToolEffects } from '../tool.ts';

/** From the strictest to the widest. `ask` is the default. */
export const MODES = ['plan', 'ask', 'edit', 'auto', 'yolo'] as const;
export type Mode = (typeof MODES)[number];

export const isMode = (value: unknown): value is Mode => MODES.some((mode) => mode === value);

/** Whether less is asked in it than in the other one. */
export const isLooser = (mode: Mode, than: Mode): boolean => MODES.indexOf(mode) > MODES.indexOf(than);

/** What each mode lets pass, in a sentence for people. */
export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  plan: 'reads only; nothing is changed',
  ask: 'asks before it reads, changes or runs something',
  edit: 'edits in this folder pass; the rest asks',
  auto: 'what stays in this folder and in the sandbox passes; the rest asks',
  yolo: 'everything passes that no rule denies',
};

/** The same where there is little room. */
export const SHORT_MODE_WORDS: Readonly<Record<Mode, string>> = {
  plan: 'reads only',
  ask: 'asks before it acts',
  edit: 'edits here pass',
  auto: 'here and sandboxed passes',
  yolo: 'passes unless denied',
};

/** The mode after this one, round and round. One press too many is no word for `yolo`: that is for a start in it. */
export const nextMode = (mode: Mode, withYolo: boolean): Mode => {
  const next = MODES[(MODES.indexOf(mode) + 1) % MODES.length] as Mode;
  return next === 'yolo' && !withYolo ? MODES[0] : next;
};

/** Of a session that is opened again in a looser mode than it was in. */
export const loosenedText = (from: Mode, to: Mode): string =>
  `This session was in the mode ${from}. It goes on in ${to}, in which halter was started: ${MODE_WORDS[to]}.`;

/** How a person comes out of a mode that refuses, on every surface. */
export const LEAVE_MODE = 'Shift+Tab, /mode ask or --mode ask changes the mode';

/** Where the effects of a call stay. Absent: unknown, which counts as outside. */
export type CallReach = {
  /** Every path that the call names lies in the workspace, and it is a tool of halter's own. */
  inFolder?: boolean;
  /** The command runs in a sandbox without a network. */
  confined?: boolean;
};

type ModeTool = { name: string; effects: ToolEffects } & Partial<
  Pick<Tool, 'in_sandbox' | 'main_argument' | 'typed_into'>
>;
export type ModeReason = { says: 'allow' | 'deny'; because: string };

/**
 * It runs the line that it is given, whose words say whether that only reads. Of what is typed into a program the program
 * decides, and of what another tool is told that tool.
 */
export const runsCommands = ({ effects, in_sandbox, main_argument, typed_into }: Omit<ModeTool, 'name'>): boolean =>
  effects === 'process' && in_sandbox === true && main_argument !== undefined && typed_into === undefined;

/** Whether plan mode lets any call of the tool pass, be it after a question: what it offers. */
export const passesInPlan = (tool: Omit<ModeTool, 'name'>): boolean =>
  tool.effects === 'none' || tool.effects === 'read' || runsCommands(tool);

/** What plan mode runs of a tool that runs commands. */
export const ONLY_READING = 'only commands that only read in this folder';

/** What the mode says of a call; undefined where it says nothing. A command line in `auto` is judged by its words as well. */
export const modeReason = (mode: Mode, tool: ModeTool, { inFolder, confined }: CallReach): ModeReason | undefined => {
  const reads = tool.effects === 'read' && inFolder === true;
  const edits = tool.effects === 'write' && inFolder === true;
  switch (mode) {
    case 'ask':
      return undefined;
    case 'plan':
      if (tool.effects !== 'none' && tool.effects !== 'read') return { says: 'deny', because: refusedInPlan(tool) };
      return reads ? { says: 'allow', because: 'plan mode reads in this folder without asking' } : undefined;
    case 'edit':
      return reads || edits ? { says: 'allow', because: 'edit mode reads and edits in this folder' } : undefined;
    case 'auto':
      return reads || edits || (tool.effects === 'process' && confined === true)
        ? { says: 'allow', because: 'auto mode allows what stays in this folder and in the sandbox' }
        : undefined;
    case 'yolo':
      return { says: 'allow', because: 'everything that is not denied is allowed (yolo mode)' };
    default:
      return mode satisfies never;
  }
};

const refusedInPlan = (tool: ModeTool): string =>
  runsCommands(tool)
    ? `plan mode is read-only: ${tool.name} runs ${ONLY_READING} (${LEAVE_MODE})`
    : `plan mode is read-only and ${tool.name} is not (${LEAVE_MODE})`;

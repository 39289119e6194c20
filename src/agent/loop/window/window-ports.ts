/** What the parts of a window share: its sizes, what is known of them, and how room is made. */
import type { ModelMessage } from '../../../core/message.ts';
import type { CompactionPlan } from '../../../core/window/compaction.ts';
import type { ConversationNotes } from '../../../core/window/notes.ts';
import type { PromptMeter } from '../../../core/window.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { DoubtedRefusals } from './doubted-refusals.ts';
import type { KnownWindows } from './known-windows.ts';
import type { PromptSizes } from './prompt-sizes.ts';

/** `outgrown`: other instructions and tools suit the window that was learned. */
export type Overflowed = 'again' | 'outgrown' | 'no';

/** What stays of the notes of a model; none of it, where it wrote notes in their form and nobody said any of them. */
export type WrittenNotes = { kept: ConversationNotes | undefined };

/** Has the model write notes; undefined where it fails at it. */
export type AskNotes = (session: SessionHandle, focus: string | undefined) => Promise<WrittenNotes | undefined>;

export type MakeRoom = {
  /** What matters to the person. */
  focus?: string | undefined;
  askNotes?: AskNotes | undefined;
  /** The prompt was refused, so every token counts. */
  isForced?: boolean;
  /** The person asks for room. */
  isAskedFor?: boolean;
  /** No more is left out than the size that is asked for needs. */
  isJustBelow?: boolean;
  /** Whether it is of use; it is not made otherwise. */
  accepts?(plan: CompactionPlan): boolean;
};

/** Of the prompts that were answered. */
export type ReadPrompts = {
  /** By our measure and by the server's. */
  largest: number;
  largestCounted: number;
  /** The same without those that the log of an earlier run holds. */
  largestWhole: number;
};

export type WindowPorts = {
  windows: KnownWindows;
  meter: PromptMeter;
  doubted: DoubtedRefusals;
  read: ReadPrompts;
  /** Nothing is left out but on the person's word. */
  isOff: boolean;
  isOutgrown(session: SessionHandle, contextTokens: number): boolean;
  sizes: PromptSizes;
  makeRoom(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
    asked: MakeRoom,
  ): Promise<CompactionPlan | undefined>;
};

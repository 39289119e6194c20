import type { SessionFace } from '../../core/events.ts';
import type { Mode } from '../../core/policy/modes.ts';
import type { SandboxFacts } from '../app-options.ts';
import type { KeyUse } from '../keybindings.ts';
import type { Theme } from '../theme.ts';
import type { Transcript } from '../transcript.ts';

/** What a question needs of the app round it. */
export type QuestionsHost = {
  session(): SessionFace;
  transcript(): Transcript;
  sandbox: SandboxFacts;
  mode(): Mode;
  theme: Theme;
  now(): number;
  /** Lines for the scrollback. */
  print(lines: readonly string[]): void;
  cancel(): void;
  /** What was typed for the message that is being written goes there. */
  type(text: string): void;
  /** Empties the prompt if it holds nothing but this. */
  takeBack(text: string): void;
  /** Erases so many characters before the cursor. */
  erase(count: number): void;
  /** What a key does in the prompt: sends, edits, or goes through the text (a new line is a place to go to as well). */
  keyFor(data: string): KeyUse | undefined;
  /** Something of a message stands in the prompt. */
  isWriting(): boolean;
  /** Calls back in so many milliseconds; returns how not to. */
  after(ms: number, then: () => void): () => void;
  /** Opens an address in the person's browser. */
  open(url: string): void;
  /** Draws now, and once more when the question takes keys. */
  armed(): void;
};

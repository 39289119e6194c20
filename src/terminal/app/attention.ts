/** Calls the person back to the terminal: when something is asked, and when a run has ended. */
import type { SessionUpdate } from '../../core/events.ts';

/** `unfocused`: only while another window has the keys, as far as the terminal says so. */
export type Attention = 'never' | 'unfocused' | 'always';

/** Asks the terminal to say when it gets and loses the keys. */
export const FOLLOW_FOCUS = '\x1b[?1004h';
export const LEAVE_FOCUS = '\x1b[?1004l';
const FOCUS_IN = '\x1b[I';
const FOCUS_OUT = '\x1b[O';

/** A bell, and a notification as iTerm2, WezTerm, kitty (OSC 9) and urxvt, foot, Ghostty (OSC 777) take them. */
const sequence = (words: string): string => `\x07\x1b]9;${words}\x07\x1b]777;notify;halter;${words}\x07`;

export class AttentionCaller {
  readonly #when: Attention;
  readonly #write: (data: string) => void;
  #isFocused = true;

  constructor(when: Attention, write: (data: string) => void) {
    this.#when = when;
    this.#write = write;
  }

  /** True where the key was the terminal's word on its focus. */
  takes(data: string): boolean {
    if (data !== FOCUS_IN && data !== FOCUS_OUT) return false;
    this.#isFocused = data === FOCUS_IN;
    return true;
  }

  follow(update: SessionUpdate): void {
    if (this.#when === 'never' || (this.#when === 'unfocused' && this.#isFocused)) return;
    // The words are halter's own: nothing of a model or a file is sent to the terminal.
    if (update.type === 'permission_requested' || update.type === 'server_asked')
      this.#write(sequence('asks you something'));
    if (update.type === 'run_completed') this.#write(sequence('has an answer'));
    if (update.type === 'run_stopped') this.#write(sequence('has stopped'));
  }
}

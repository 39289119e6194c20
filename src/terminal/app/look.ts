/** How the app looks: its colours, and what stands in the line at the bottom. The person may change both at any time. */
import { parseOsc11BackgroundColor } from '../pi-tui.ts';
import type { StatusPart } from '../status-line.ts';
import {
  allowsColours,
  type Background,
  backgroundOf,
  createTheme,
  type Environment,
  spokenTheme,
  type Theme,
  type ThemeName,
} from '../theme.ts';

export class Look {
  /** The same object for good: what it holds is replaced. */
  readonly theme: Theme;
  readonly #environment: Environment;
  #background: Background;
  #name: ThemeName;
  /** Undefined: as many as fit. */
  status: readonly StatusPart[] | undefined;

  readonly #isSpoken: boolean;

  /** `isSpoken`: a screen reader reads it. */
  constructor(
    environment: Environment,
    chosen: { theme?: ThemeName; status?: readonly StatusPart[] } = {},
    isSpoken = false,
  ) {
    this.#isSpoken = isSpoken;
    this.#environment = environment;
    this.#background = backgroundOf(environment);
    this.#name = chosen.theme ?? 'auto';
    this.status = chosen.status;
    this.theme = isSpoken ? spokenTheme() : createTheme(environment, this.#background, this.#name);
  }

  get name(): ThemeName {
    return this.#name;
  }

  /** Why nothing is coloured, whichever theme is chosen. */
  get withoutColours(): string | undefined {
    if (this.#isSpoken) return 'colours are off for a screen reader';
    if (allowsColours(this.#environment)) return undefined;
    return `colours are off here (${this.#environment['NO_COLOR'] ? 'NO_COLOR' : 'TERM=dumb'})`;
  }

  choose(name: ThemeName): void {
    this.#name = name;
    this.#renew();
  }

  /** False where it is no word of the terminal on its background. */
  learn(reply: string): boolean {
    const colour = parseOsc11BackgroundColor(reply);
    if (!colour) return false;
    this.#background = (colour.r * 299 + colour.g * 587 + colour.b * 114) / 1000 > 128 ? 'light' : 'dark';
    this.#renew();
    return true;
  }

  #renew(): void {
    if (this.#isSpoken) return;
    Object.assign(this.theme, createTheme(this.#environment, this.#background, this.#name));
  }
}

/** The folders that a line may be in at each of its commands, seen from the root of the workspace. */
import path from 'node:path';
import type { ShellSurroundings } from './surroundings.ts';
import type { ShellCommand } from './words.ts';

const MAX_FOLDERS = 64;
const ROOT = '.';

export class LineFolders {
  /** Those that the next command may run in. */
  now: readonly string[] = [ROOT];
  /** Those of every command so far. */
  readonly all: string[] = [ROOT];
  /** The next folder is known to the shell alone. */
  isLost = false;
  readonly #isCertain: boolean;
  readonly #surroundings: Pick<ShellSurroundings, 'leadsTo'>;

  constructor(line: string, surroundings: Pick<ShellSurroundings, 'leadsTo'>) {
    this.#isCertain = runsInTurn(line);
    this.#surroundings = surroundings;
  }

  /** The next command may run in another folder than the line began in. */
  get isElsewhere(): boolean {
    return this.now.some((folder) => this.#placeOf(folder) !== this.#placeOf(ROOT));
  }

  /** `command` goes to the folder that its second word says. */
  enter({ words }: ShellCommand): void {
    const target = words.at(-1);
    this.isLost ||= target === undefined || target.glob || target.dynamic || this.now.length > MAX_FOLDERS;
    if (this.isLost || target === undefined) return;
    // `nice cd` and its like leave the shell where it is.
    const isCertain = this.#isCertain && words[0]?.text === 'cd';
    const next = this.now.map((folder) => this.#after(folder, target.text, isCertain));
    this.all.push(...next);
    this.now = isCertain ? next : this.#withNew(next);
  }

  /** As the shell goes: `..` behind a link leads back to where the link lies. */
  #after(folder: string, target: string, isCertain: boolean): string {
    if (target.startsWith('/')) {
      const place = this.#surroundings.leadsTo(ROOT, target);
      return place === undefined ? target : place === '' ? ROOT : place;
    }
    const next = `${folder}/${target}`;
    return isCertain ? path.posix.normalize(next) : next;
  }

  #withNew(next: readonly string[]): string[] {
    const known = new Set(this.now.map((folder) => this.#placeOf(folder)));
    const added = next.filter((folder) => {
      const place = this.#placeOf(folder);
      if (place !== undefined && known.has(place)) return false;
      known.add(place);
      return true;
    });
    return [...this.now, ...added];
  }

  #placeOf(folder: string): string | undefined {
    return this.#surroundings.leadsTo(folder, '.');
  }
}

/**
 * Whether every command runs only where the one before it succeeded, so that a `cd` counts for all that follows. A `cd` in
 * a pipeline counts for nothing, so there is none.
 */
const runsInTurn = (line: string): boolean => {
  const plain = line.replaceAll(/[0-9]?>&[0-9]|&>/g, ' ');
  if (/[;\n(){}`]|\|\|/.test(plain) || plain.replaceAll('&&', '').includes('&')) return false;
  return plain.split('&&').every((part) => !part.includes('|') || !/\bcd\b/.test(part));
};

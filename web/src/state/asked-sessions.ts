/** Sessions that messages are kept for: each is asked after once, and again where it may have gone since. Pure. */

/** So many are asked after at once. */
const ASKED_AT_ONCE = 20;

export class AskedSessions {
  #listed: ReadonlySet<string> = new Set();
  readonly #asked = new Set<string>();

  /** Of those that are meant: which stand in the list of sessions, and which are to be asked after now. */
  next(meant: readonly string[], listed: readonly string[]): { there: readonly string[]; ask: readonly string[] } {
    const now = new Set(listed);
    for (const id of this.#listed) if (!now.has(id)) this.#asked.delete(id);
    this.#listed = now;
    const all = [...new Set(meant)];
    const ask = all.filter((id) => !now.has(id) && !this.#asked.has(id)).slice(0, ASKED_AT_ONCE);
    for (const id of ask) this.#asked.add(id);
    return { there: all.filter((id) => now.has(id)), ask };
  }

  /** What nobody could say is asked for again. */
  heard(session: string, found: 'there' | 'gone' | 'refused' | 'unknown'): void {
    if (found === 'unknown' || found === 'refused') this.#asked.delete(session);
  }
}

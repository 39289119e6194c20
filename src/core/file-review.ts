/** What became of the files that a session changed, as a person looks through them. */

/** Neighbouring lines that differ, with what stands round them; each line has its sign, as in a unified diff. */
export type ReviewHunk = {
  /** Where it begins before and now, counted from 1. */
  old_start: number;
  new_start: number;
  lines: readonly string[];
  /** Somebody else wrote here after halter did, so the place is not put back by itself. */
  changed_since?: true;
};

export type FileReview = {
  path: string;
  /** Of what the file holds now: what an answer is bound to. Null where there is no file. */
  hash: string | null;
  state: 'created' | 'changed' | 'removed';
  /** The tools that changed it, each once. */
  tools: readonly string[];
  /** The messages whose answers on other branches changed it, as they begin; the newest first. Empty: this branch did. */
  other_branches: readonly string[];
  /** Milliseconds since 1970, of the last change. */
  changed_at: number;
  /** Somebody else changed it after halter did, so the difference shows more than halter's work. */
  changed_since: boolean;
  /** What it held before is kept, so that it can be put back. */
  can_undo: boolean;
  /** Single hunks can be put back as well: those in which nobody else wrote since. */
  can_undo_hunks: boolean;
  added: number;
  removed: number;
  hunks: readonly ReviewHunk[];
  /** Why no lines are shown, or what changed besides. */
  note?: string;
};

export type SessionReview = {
  /** The file that was changed last comes first. */
  files: readonly FileReview[];
  /** Older ones that are not in the list. */
  more: number;
};

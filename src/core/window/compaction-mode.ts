/**
 * How room is made where the window gets full. `notes`: the model writes notes of what is left out, besides what the rules
 * keep; `rules`: the rules alone; `off`: only where the person asks for it.
 */
export const COMPACTION_MODES = ['notes', 'rules', 'off'] as const;
export type CompactionMode = (typeof COMPACTION_MODES)[number];

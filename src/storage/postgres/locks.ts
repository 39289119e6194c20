/** The advisory locks of the database: a class of ours, and a number each. Numbers of processes begin with 1. */

/** "halt". */
export const LOCK_CLASS = 0x68616c74;
/** Held by whoever changes tables, of ours and of the queue. */
export const MIGRATION_LOCK = 0;
export const QUEUE_MIGRATION_LOCK = -1;
/** Held while places at model servers are given. */
export const PLACES_LOCK = -2;
/** Held while a remembered rule is added. */
export const POLICIES_LOCK = -3;
/** Held while a session is pinned. */
export const PINS_LOCK = -4;

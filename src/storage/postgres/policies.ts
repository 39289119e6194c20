/** The decisions that a person asked to remember, for every machine that works on this database. */

import { failure, succeed } from '../../core/outcome.ts';
import type { PolicyStore, StoredRule } from '../../core/storage-port.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';
import { LOCK_CLASS, POLICIES_LOCK } from './locks.ts';

type Row = Omit<StoredRule, 'created_at' | 'pattern' | 'bound_to'> & {
  pattern: string | null;
  bound_to: string | null;
  created_at: string;
};

export const createPostgresPolicies = (database: Database): PolicyStore => ({
  path: database.address.text,

  load: async (workspace) => {
    const asked = await database.query<Row>({
      text: `
        SELECT tool, pattern, bound_to, decision, workspace, created_at FROM halter.policies
        WHERE workspace = $1 ORDER BY position LIMIT $2`,
      values: [workspace, STORAGE_LIMITS.databaseRules + 1],
    });
    if (!asked.ok) return { rules: [], warnings: [`${asked.error.message}. Nothing is allowed by its rules`] };
    const { rows } = asked.value;
    // One of those that were left out may be the one that forbids.
    if (rows.length > STORAGE_LIMITS.databaseRules) {
      const warning = `${database.address.text} holds more than ${STORAGE_LIMITS.databaseRules} rules for ${workspace}; nothing is allowed by them`;
      return { rules: [], warnings: [warning] };
    }
    return { rules: rows.map(ruleOf), warnings: [] };
  },

  add: async (rule) => {
    const { tool, pattern = null, bound_to = null, decision, workspace, created_at } = rule;
    const added = await database.transaction(async (ask) => {
      await ask({ text: 'SELECT pg_advisory_xact_lock($1, $2)', values: [LOCK_CLASS, POLICIES_LOCK] });
      // The newest word on the same thing counts, and stands once.
      await ask({
        text: 'DELETE FROM halter.policies WHERE workspace = $1 AND tool = $2 AND pattern IS NOT DISTINCT FROM $3',
        values: [workspace, tool, pattern],
      });
      const rows = await ask({
        text: `
          INSERT INTO halter.policies (workspace, tool, pattern, bound_to, decision, created_at)
          SELECT $1, $2, $3, $4, $5, $6
          WHERE (SELECT count(*) FROM halter.policies WHERE workspace = $1) < $7 RETURNING position`,
        values: [workspace, tool, pattern, bound_to, decision, Math.round(created_at), STORAGE_LIMITS.databaseRules],
      });
      return rows.length > 0;
    });
    if (!added.ok) return added;
    if (added.value) return succeed(undefined);
    const message = `${database.address.text} is full of rules for ${workspace} (${STORAGE_LIMITS.databaseRules}); remove some`;
    return failure('io_error', message, 'full');
  },

  remove: async ({ tool, pattern = null, workspace }) => {
    const removed = await database.query({
      text: 'DELETE FROM halter.policies WHERE workspace = $1 AND tool = $2 AND pattern IS NOT DISTINCT FROM $3',
      values: [workspace, tool, pattern],
    });
    return removed.ok ? succeed(undefined) : removed;
  },
});

const ruleOf = ({ tool, pattern, bound_to, decision, workspace, created_at }: Row): StoredRule => ({
  tool,
  ...(pattern === null ? {} : { pattern }),
  ...(bound_to === null ? {} : { bound_to }),
  decision,
  workspace,
  created_at: Number(created_at),
});

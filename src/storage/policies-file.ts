/**
 * The decisions that a person asked to remember. Whatever is wrong with the file, nothing is allowed
 * by it: it is put aside or left alone, said, and everything is asked again.
 */

import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../core/json.ts';
import { failure, type Outcome } from '../core/outcome.ts';
import { patternFault, ruleText } from '../core/policy/rules.ts';
import type { PolicyStore, StoredRule } from '../core/storage-port.ts';
import { errorCode } from '../disk/disk-failure.ts';
import { removeStaleTemporaries, writeFileAtomically } from './atomic-file.ts';
import { waitForLock } from './file-lock.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

const VERSION = 1;

export type PoliciesFileOptions = {
  /** `halterPaths(…).config` */
  folder: string;
  now?(): number;
};

/** The file as it was read: what this version does not know in it is written back, rules that cannot be understood too. */
type Document = { version: number; rules: unknown[] } & Record<string, unknown>;

type Reading =
  | { kind: 'good'; document: Document; rules: StoredRule[]; warnings: string[] }
  /** Nobody can read it; it is put aside. */
  | { kind: 'damaged'; problem: string }
  /** Somebody could, or it is not ours to touch; it is left as it is. */
  | { kind: 'left'; problem: string };

export const createPoliciesFile = ({ folder, now = Date.now }: PoliciesFileOptions): PolicyStore => {
  const path = join(folder, 'policies.json');
  const lock = () => waitForLock(join(folder, 'policies.lock'), STORAGE_LIMITS.lockWaitMs, STORAGE_LIMITS.lockRetryMs);

  /** Call it under the lock only: the file that is moved must be the one that was read. */
  const putAside = async (problem: string): Promise<string> => {
    const backup = `${path}.bad-${new Date(now()).toISOString().replaceAll(':', '-')}`;
    try {
      await rename(path, backup);
      return `${path} is damaged (${problem}); a backup is kept as ${backup}. Nothing is allowed by it: you will be asked again`;
    } catch (error) {
      return `${path} is damaged (${problem}) and no backup could be made (${errorCode(error)}). Nothing is allowed by it: you will be asked again`;
    }
  };

  const repair = async (): Promise<{ rules: StoredRule[]; warnings: string[] }> => {
    const held = await lock();
    if (!held.ok) return { rules: [], warnings: [held.error.message] };
    try {
      // Another halter may have repaired it in the meantime.
      const reading = await readDocument(path);
      if (reading.kind === 'good') return reading;
      const warning = reading.kind === 'damaged' ? await putAside(reading.problem) : reading.problem;
      return { rules: [], warnings: [warning] };
    } finally {
      held.value.release();
    }
  };

  /** Writes the file with other rules. What this version does not know in it stays. */
  const change = async (next: (rules: unknown[]) => unknown[], what: string): Promise<Outcome<void>> => {
    const held = await lock();
    if (!held.ok) {
      return held.error.reason === 'in_use'
        ? failure('io_error', `${path} is being written by another halter; the decision was not ${what}`, 'in_use')
        : held;
    }
    try {
      const reading = await readDocument(path);
      if (reading.kind === 'left') return failure('io_error', reading.problem, 'not_ours');
      if (reading.kind === 'damaged') await putAside(reading.problem);
      const document = reading.kind === 'good' ? reading.document : emptyDocument();
      // The newest word on the same thing counts, and stands once.
      const text = `${JSON.stringify({ ...document, rules: next(document.rules) }, null, 2)}\n`;
      if (Buffer.byteLength(text) > STORAGE_LIMITS.policiesFileBytes) {
        return failure(
          'io_error',
          `${path} is full (${STORAGE_LIMITS.policiesFileBytes} bytes); remove rules from it`,
          'full',
        );
      }
      return await writeFileAtomically(path, text);
    } finally {
      held.value.release();
    }
  };

  return {
    path,
    async stamp() {
      try {
        const { ino, size, mtimeNs } = await stat(path, { bigint: true });
        return `${ino} ${size} ${mtimeNs}`;
      } catch (error) {
        return errorCode(error);
      }
    },
    load: async (workspace) => {
      await removeStaleTemporaries(path);
      const reading = await readDocument(path);
      const { rules, warnings } =
        reading.kind === 'good'
          ? reading
          : reading.kind === 'left'
            ? { rules: [], warnings: [reading.problem] }
            : await repair();
      return { rules: rules.filter((rule) => rule.workspace === workspace).map(plainRule), warnings };
    },

    add: async (rule) => {
      const fault = faultOf(rule);
      if (fault !== undefined) return failure('validation_failed', `${fault}.`);
      return change((rules) => [...rules.filter((other) => !isSameThing(other, rule)), plainRule(rule)], 'remembered');
    },

    remove: (rule) => change((rules) => rules.filter((other) => !isSameThing(other, rule)), 'taken out'),
  };
};

const emptyDocument = (): Document => ({ version: VERSION, rules: [] });

const isSameThing = (other: unknown, rule: Pick<StoredRule, 'tool' | 'pattern' | 'workspace'>): boolean =>
  isStoredRule(other) &&
  other.tool === rule.tool &&
  other.pattern === rule.pattern &&
  other.workspace === rule.workspace;

const plainRule = ({ tool, pattern, bound_to, decision, workspace, created_at }: StoredRule): StoredRule => ({
  tool,
  ...(pattern === undefined ? {} : { pattern }),
  ...(bound_to === undefined ? {} : { bound_to }),
  decision,
  workspace,
  created_at,
});

const readDocument = async (path: string): Promise<Reading> => {
  const bytes = await readOwnFile(
    path,
    STORAGE_LIMITS.policiesFileBytes,
    'nothing is allowed by it, and no decision can be remembered',
    {
      grants: true,
    },
  );
  if (!bytes.ok) return { kind: 'left', problem: bytes.error.message };
  if (bytes.value === undefined) return { kind: 'good', document: emptyDocument(), rules: [], warnings: [] };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.value));
  } catch {
    return { kind: 'damaged', problem: bytes.value.length === 0 ? 'it is empty' : 'it is not JSON' };
  }
  return checkDocument(value, path);
};

const checkDocument = (value: unknown, path: string): Reading => {
  if (!isObject(value)) return { kind: 'damaged', problem: 'it is not an object' };
  const { version, rules } = value;
  if (typeof version === 'number' && version > VERSION) {
    const problem = `${path} was written by a newer halter (version ${version}, this one knows ${VERSION}); it was left as it is and nothing is allowed by it`;
    return { kind: 'left', problem };
  }
  if (version !== VERSION) return { kind: 'damaged', problem: 'it has no version' };
  if (!Array.isArray(rules)) return { kind: 'damaged', problem: 'it has no list of rules' };
  const nameless = rules.findIndex((rule) => !isStoredRule(rule) && toolIn(rule) === undefined);
  if (nameless !== -1) return { kind: 'damaged', problem: `rule ${nameless + 1} is no rule` };
  return { kind: 'good', document: value as Document, ...understood(rules, path) };
};

const toolIn = (rule: unknown): string | undefined =>
  isObject(rule) && typeof rule['tool'] === 'string' && rule['tool'] !== '' ? rule['tool'] : undefined;

/**
 * The rules that count. One that cannot be understood may be the one that forbids: what others allow the same tool does not
 * count beside it.
 */
const understood = (all: readonly unknown[], path: string): { rules: StoredRule[]; warnings: string[] } => {
  const wrong = all.filter((rule) => !isStoredRule(rule));
  const isInDoubt = ({ tool, decision }: StoredRule): boolean =>
    decision === 'allow' && wrong.some((rule) => mayOverlap(toolIn(rule) ?? '*', tool));
  const warnings = wrong.slice(0, STORAGE_LIMITS.wrongRulesShown).map((rule) => {
    const number = all.indexOf(rule) + 1;
    const shown = JSON.stringify(rule).slice(0, STORAGE_LIMITS.shownRuleCharacters);
    return `${path}: rule ${number} is no rule (${shown}), so it does not count, and nothing that allows ${toolIn(rule)}; the other rules do. Mend it or take it out`;
  });
  const rules = all.filter(isStoredRule);
  const unnarrowed = rules.flatMap((rule) => {
    const fault = faultOf(rule);
    if (fault === undefined) return [];
    return [`${path}: rule ${all.indexOf(rule) + 1}, allow ${ruleText(rule)}, allows nothing: ${fault}. Take it out`];
  });
  return {
    rules: rules.filter((rule) => !isInDoubt(rule) && faultOf(rule) === undefined),
    warnings: [...warnings, ...unnarrowed.slice(0, STORAGE_LIMITS.wrongRulesShown)],
  };
};

/** Of one that allows; one that denies may deny more than is read in it. */
const faultOf = (rule: StoredRule): string | undefined => (rule.decision === 'allow' ? patternFault(rule) : undefined);

const mayOverlap = (left: string, right: string): boolean => left === right || `${left}${right}`.includes('*');

const KNOWN = new Set(['tool', 'pattern', 'bound_to', 'decision', 'workspace', 'created_at']);

/** Without a pattern, a word that is not known may be a misspelt one, and the rule would be one for the whole tool. */
const isStoredRule = (value: unknown): value is StoredRule =>
  isObject(value) &&
  (value['pattern'] !== undefined || Object.keys(value).every((key) => KNOWN.has(key))) &&
  typeof value['tool'] === 'string' &&
  value['tool'] !== '' &&
  (value['pattern'] === undefined || typeof value['pattern'] === 'string') &&
  (value['bound_to'] === undefined || typeof value['bound_to'] === 'string') &&
  (value['decision'] === 'allow' || value['decision'] === 'deny') &&
  typeof value['workspace'] === 'string' &&
  typeof value['created_at'] === 'number';

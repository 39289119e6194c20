/**
 * halter's own files, damaged at any byte: nothing throws, nothing is allowed or trusted that the file does not say as it
 * stands, and a file that is not understood is left or put aside and never written over.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createConfigFile } from '../../src/storage/config-file.ts';
import { createPoliciesFile } from '../../src/storage/policies-file.ts';
import { createTrustFile } from '../../src/storage/trust-file.ts';
import { damage } from './damage.ts';
import { type FuzzPart, generator } from './part.ts';

const parsed = (bytes: Buffer): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
const contentsOf = (folder: string): Buffer[] =>
  fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name)));

const WORDS = new Set(['tool', 'pattern', 'bound_to', 'decision', 'workspace', 'created_at']);
/** What a rule says; beside a pattern, words that nobody knows say nothing. */
const sorted = (rule: unknown): string => {
  const entries = Object.entries(rule ?? {});
  const counting = entries.some(([key]) => key === 'pattern') ? entries.filter(([key]) => WORDS.has(key)) : entries;
  return JSON.stringify(counting.sort());
};

/** Undefined where all is well; `believed` where the file still counted. */
type Look = { problem?: string; believed: boolean };

const policies = async (folder: string, bytes: Buffer): Promise<Look> => {
  const { rules } = await createPoliciesFile({ folder }).load('/w');
  const said = parsed(bytes)?.['rules'];
  const written = (Array.isArray(said) ? said : []).map((rule: unknown) => sorted(rule));
  const believed = rules.length > 0;
  const invented = rules.find((rule) => !written.includes(sorted(rule)));
  if (invented) return { problem: `allows ${JSON.stringify(invented)}, which does not stand there`, believed };
  if (!contentsOf(folder).some((content) => content.equals(bytes)))
    return { problem: 'the old content is gone', believed };
  return { believed };
};
const config = async (folder: string, bytes: Buffer): Promise<Look> => {
  const file = createConfigFile(folder);
  const read = await file.read();
  const value = parsed(bytes);
  if (read.ok && (value === undefined || Array.isArray(value)))
    return { problem: 'read what is no JSON', believed: true };
  if (read.ok && value?.['offline'] === true && read.value.config.offline !== true)
    return { problem: 'offline is passed over', believed: true };
  const set = await file.set('seed', 8);
  if (!read.ok && set.ok && value === undefined) return { problem: 'a damaged file was written over', believed: false };
  return { believed: read.ok };
};
const trust = async (folder: string, bytes: Buffer): Promise<Look> => {
  const { trusted } = await createTrustFile({ folder }).isTrusted(folder);
  const said = parsed(bytes)?.['folders'];
  const paths = (Array.isArray(said) ? said : []).map((entry: { path?: unknown } | null) => entry?.path);
  if (trusted && !paths.includes(folder))
    return { problem: 'trusts a folder that does not stand there', believed: true };
  return { believed: trusted };
};

export const settingsFuzz: FuzzPart = {
  count: 20_000,
  async run({ count, seed }) {
    const folder = fs.realpathSync(
      fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'halter-fuzz-')),
    );
    try {
      const random = generator(seed);
      const rules = ['git log *', '=ls', 'npm test'].map((pattern, index) => ({
        tool: 'bash',
        pattern,
        decision: index === 2 ? 'deny' : 'allow',
        workspace: '/w',
        created_at: index,
      }));
      await createTrustFile({ folder, now: () => 1 }).trust(folder);
      const trusting = fs.readFileSync(path.join(folder, 'trust.json'));
      const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
      const files = [
        { name: 'policies.json', good: json({ version: 1, rules }), look: policies },
        { name: 'config.json', good: json({ model: 'm', offline: true, seed: 7, temperature: 0.5 }), look: config },
        { name: 'trust.json', good: trusting, look: trust },
      ];
      const wrong: string[] = [];
      const lines: string[] = [];
      let leastBelieved = 1;
      for (const { name, good, look } of files) {
        let believed = 0;
        for (let index = 0; index < count; index += 1) {
          for (const old of fs.readdirSync(folder)) fs.rmSync(path.join(folder, old), { recursive: true, force: true });
          const { bytes } = damage(good, random);
          fs.writeFileSync(path.join(folder, name), bytes);
          const found = await look(folder, bytes).catch(
            (error: unknown): Look => ({ problem: `threw ${error}`, believed: false }),
          );
          if (found.problem !== undefined) wrong.push(`${name}: ${found.problem}: ${JSON.stringify(bytes.toString())}`);
          if (found.believed) believed += 1;
        }
        leastBelieved = Math.min(leastBelieved, believed / count);
        lines.push(`${name.padEnd(14)} ${((100 * believed) / count).toFixed(1)} % of the damaged files still counted`);
      }
      return {
        held: wrong.length === 0 && leastBelieved > 0,
        lines: [...wrong.slice(0, 20), `${count} damaged copies of each file: ${wrong.length} went wrong`, ...lines],
      };
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Renaming tools, parameters and values in a case changes the result accordingly, and nothing else. */
import { expect, test } from 'vitest';
import { dialectNames, type ToolDefinition } from '../../src/dialects/index.ts';
import { verifies } from '../requirements.ts';
import { type Case, faults, ownCorpus, run, sharedVectors } from './cases.ts';

const NAMES: Record<string, string> = {
  get_weather: 'lookup_sky_state',
  search: 'findthings',
  write_file: 'store_document',
  run_code: 'evaluate_text',
  ping: 'knock',
  book_table: 'reserveSeats',
  update_record: 'amend_entry',
  edit_file: 'revise_document',
  exec_shell: 'launch_line',
  get_status: 'report_state',
  weather_report: 'sky_summary',
  make_note: 'jot',
  set_mode: 'choose_state',
  heartbeat: 'sign_of_life',
  city: 'town',
  place: 'locality',
  Paris: 'Bergen',
  Graz: 'Malmö',
  Tokyo: 'Quito',
};

/** Whole words only, so that no marker is touched. */
const renamed = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}_]+/gu, (word) => (Object.hasOwn(NAMES, word) ? (NAMES[word] as string) : word));

/** Every string and every key of a value. */
const renamedIn = (value: unknown): unknown => {
  if (typeof value === 'string') return renamed(value);
  if (Array.isArray(value)) return value.map(renamedIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [renamed(key), renamedIn(inner)]));
};

const renameCase = (one: Case): Case => ({
  ...one,
  text: renamed(one.text),
  ...(one.tools && { tools: renamedIn(one.tools) as ToolDefinition[] }),
  expected: renamedIn(one.expected) as Case['expected'],
});

/** Words of ours that are words of the format, or stand in an escape, cannot be renamed in its texts. */
const isSafe = ({ text, id }: Case): boolean => !text.includes('\\u') && !id.includes('underscore-id');

test.each(dialectNames().filter((name) => name !== 'auto' && name !== 'native'))('renames through %s', (dialect) => {
  verifies('L9', 'L10');
  const cases = [...ownCorpus(), ...sharedVectors()].filter((one) => one.format === dialect && isSafe(one));
  expect(cases.length).toBeGreaterThan(0);
  for (const one of cases.map(renameCase)) expect(faults(run(one, dialect), one), one.id).toEqual([]);
});

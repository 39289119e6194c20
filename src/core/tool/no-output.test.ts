import { expect, it } from 'vitest';
import type { ToolResultMetadata } from '../tool-result.ts';
import { noOutput, outputOf } from './no-output.ts';

const METADATA = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 };
const SILENT: Partial<ToolResultMetadata> = { no_output: true };

it.each<[string | null, Partial<ToolResultMetadata>, string]>([
  [noOutput('exit 0'), {}, ''],
  [noOutput('exit 1'), SILENT, ''],
  [`[Not kept: .npmrc]\n${noOutput('exit 1')}`, SILENT, '[Not kept: .npmrc]\n'],
  [`\n${noOutput('ended')}\n`, SILENT, ''],
  [null, {}, ''],
  ['', {}, ''],
  [' \n', {}, ''],
  ['a\n', {}, 'a\n'],
  [`a program that says:\n${noOutput('exit 0')}`, {}, `a program that says:\n${noOutput('exit 0')}`],
])('takes what was said in place of output out of %j with %j', (data, metadata, output) => {
  expect(outputOf({ data, metadata: { ...METADATA, ...metadata } })).toBe(output);
});

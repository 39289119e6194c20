/** Whatever an option before or within a command has for a value: the command stays what it is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { rounds, timeLimit } from '../../../../tests/support/long.ts';
import { showsLoaded } from './env-loaders.ts';
import { packed } from './packers.ts';
import { uploads } from './uploads.ts';

/** What each does with the folder: undefined and false are nothing. */
const sends = (words: readonly string[]): readonly string[] =>
  uploads(words[0] as string, words.slice(1)) ?? packed(words[0] as string, words.slice(1))?.operands ?? [];

const SENDING: readonly (readonly [order: string, rest: string])[] = [
  ['aws s3 sync', '. s3://b'],
  ['aws s3 cp', '. s3://b --recursive'],
  ['kubectl cp', '. pod:/tmp'],
  ['kubectl create configmap', 'c --from-file=.'],
  ['kubectl create secret', 'generic s --from-file=.'],
  ['oc rsync', '. pod:/tmp'],
  ['docker cp', '. box:w'],
  ['docker compose cp', '. web:w'],
  ['podman container cp', '. box:w'],
  ['gcloud storage cp', '-r . gs://b'],
  ['gcloud compute scp', '--recurse . vm:w'],
  ['gcloud run deploy', '--source .'],
  ['gsutil cp', '-r . gs://b'],
  ['az storage blob upload-batch', '-d c -s .'],
  ['az storage copy', '--source .'],
  ['s3cmd sync', '. s3://b'],
  ['mc mirror', '. m/b'],
  ['lxc file push', '-r . c/w'],
  ['hf upload', 'me/r .'],
  ['npm publish', '.'],
  ['npm pack', '.'],
  ['yarn npm publish', ''],
  ['wrangler pages deploy', '.'],
  ['restic backup', '.'],
  ['kopia snapshot create', '.'],
];
const PRINTING = [
  'docker compose config',
  'docker compose run web env',
  'pipenv run env',
  'bun run env',
  'mise env',
  'direnv exec . env',
];

const NAMES = ['-n', '-c', '-H', '--context', '--namespace', '--profile', '--registry', '-f', '-o', '-q', '--verbose'];
/** Values that are words of some command, of this one most of all. */
const wordOf = (order: readonly string[]): fc.Arbitrary<string> =>
  fc.constantFrom(...order, 'create', 'get', 'cp', 's3', 'x', 'run', 'box:w', 'a=b');
const optionOf = (order: readonly string[]): fc.Arbitrary<string[]> =>
  fc
    .tuple(fc.constantFrom(...NAMES), wordOf(order), fc.constantFrom('apart', 'glued', 'none'))
    .map(([name, value, form]) =>
      form === 'apart' ? [name, value] : form === 'glued' ? [`${name}=${value}`] : [name],
    );
/** The words with up to two options before each of them but the program. */
const withOptions = (order: readonly string[]): fc.Arbitrary<string[]> =>
  fc
    .tuple(
      ...order
        .slice(1)
        .map((word) => fc.array(optionOf(order), { maxLength: 2 }).map((some) => [...some.flat(), word])),
    )
    .map((parts) => [order[0] as string, ...parts.flat()]);
const told = (text: string): string[] => text.split(' ').filter((word) => word !== '');

describe('options and their values', () => {
  it.each(SENDING)(
    'do not hide that %s %s sends the folder',
    (order, rest) => {
      verifies('S18');
      const line = withOptions(told(order)).map((words) => [...words, ...told(rest)]);
      fc.assert(
        fc.property(line, (words) => {
          expect(sends(words)).toContain('.');
        }),
        { numRuns: rounds(100, 5000) },
      );
    },
    timeLimit(10_000),
  );

  it.each(PRINTING)(
    'do not hide that %s prints what it loads',
    (line) => {
      verifies('S18');
      fc.assert(
        fc.property(withOptions(told(line).slice(0, 2)), (words) => {
          expect(showsLoaded([...words, ...told(line).slice(2)])).toBe(true);
        }),
        { numRuns: rounds(100, 5000) },
      );
    },
    timeLimit(10_000),
  );

  it.each([
    'kubectl -n create get pods',
    'kubectl -n cp get pods',
    'kubectl --context create apply -f k8s',
    'aws --profile s3 ec2 describe-instances',
    'aws --profile cp s3 ls s3://b',
    'docker --context cp ps',
    'docker -H compose exec web cp . w',
    'docker compose -f cp up -d',
    'gcloud --project storage compute instances list',
    'az --subscription storage vm list',
    'npm --prefix publish test',
    'npm --prefix pack run build',
    'wrangler --config pages dev',
    'restic -r backup snapshots',
  ])('make no sending of: %s', (line) => {
    verifies('S18');
    expect(sends(told(line)).filter((word) => /^\.\/?$/.test(word))).toEqual([]);
  });
});

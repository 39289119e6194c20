/** Folders with a secret that a command sends elsewhere, however many options of its program stand before and within it. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { decidedBesideSecret } from '../../../../tests/support/beside-secret.ts';

/** A program and its options, the command, and what is told to it. */
const SENDING: readonly (readonly [program: string, options: readonly string[], command: string])[] = [
  ['aws', ['--profile p', '--profile=p --no-verify-ssl', '--endpoint-url u'], 's3 sync . s3://b'],
  ['aws', ['--profile p'], 's3 --region x cp --recursive . s3://b'],
  ['kubectl', ['-n x', '--context c --namespace x', '-v=3'], 'cp . pod:/tmp -c web'],
  ['kubectl', ['-n x'], 'create configmap c --from-file=.'],
  ['oc', ['-n x'], 'rsync . pod:/tmp'],
  ['docker', ['--context c', '-H tcp://h', '--config=d'], 'cp . box:w'],
  ['docker', ['', '--context c'], 'compose -f a.yml cp . web:w'],
  ['docker', ['', '-l debug'], 'container cp . box:w'],
  ['podman', ['--remote'], 'cp . box:w'],
  ['nerdctl', ['-n k8s'], 'cp . box:w'],
  ['gcloud', ['', '--project p'], 'storage cp -r . gs://b'],
  ['gcloud', ['', '-q --project p'], 'compute --zone z scp --recurse . vm:w'],
  ['gsutil', ['-m', '-o a=b', '-h x:y -m'], 'cp -r . gs://b'],
  ['az', ['', '--subscription s'], 'storage blob upload-batch -d c -s .'],
  ['az', ['', '-o json'], 'storage blob sync -c c --source .'],
  ['azcopy', ['', '--log-level e'], 'copy . https://x --recursive'],
  ['s3cmd', ['', '-c f'], 'sync . s3://b'],
  ['mc', ['', '--json'], 'mirror . m/b'],
  ['s5cmd', ['', '--profile p'], 'cp . s3://b'],
  ['lxc', [''], 'file push -r . c/w'],
  ['adb', ['-s d'], 'push . x'],
  ['vagrant', [''], 'upload . w'],
  ['hf', [''], 'upload me/r .'],
  // Told no folder, it takes the one of the line.
  ['hf', [''], 'upload me/r'],
  ['huggingface-cli', [''], 'upload me/r --revision x'],
  ['gcloud', ['alpha', 'beta --project p'], 'storage cp -r . gs://b'],
  // Where the value of the option is not found, all that is here may be meant.
  ['az', [''], 'storage blob upload-batch -d c --sou .'],
  ['az', [''], 'storage blob upload-batch -d c -s.'],
  ['aws', ['', '--profile p'], 'deploy push --application-name a --s3-location s3://b/k'],
  ['aws', ['', '--profile p'], 'cloudformation package --template-file t.yml --s3-bucket b'],
  ['kaggle', [''], 'datasets version -m x'],
  ['kaggle', [''], 'datasets create -p .'],
  ['lftp', [''], "-e 'mirror -R .' host"],
];

describe('a command that sends a folder with a secret', () => {
  const lines = SENDING.flatMap(([program, options, command]) =>
    options.flatMap((option) => {
      const line = [program, option, command].filter((part) => part !== '').join(' ');
      return [line, `sudo ${line}`];
    }),
  );
  it.each(lines)('asks: %s', async (line) => {
    verifies('S18');
    expect(await decidedBesideSecret(line)).toBe('secret');
  });
});

describe('a command that sends none', () => {
  it.each([
    'aws s3 sync s3://b .',
    'aws --profile p s3 sync s3://b . --region x',
    'aws --profile p s3 sync dist s3://b',
    'aws s3 ls',
    'aws ec2 describe-instances --filters Name=x',
    'kubectl cp pod:/x . -c web',
    'kubectl -n x get pods',
    'kubectl -n x apply -f k8s',
    'docker cp box:w/out ./out',
    'docker --context c cp box:w .',
    'docker compose up -d',
    'docker compose -f a.yml exec web cp a b',
    'gcloud storage cp gs://b/x .',
    'az storage blob download-batch -d . -s c',
    'gsutil -m cp gs://b/x .',
    'mc ls m/b',
    'adb devices',
    'hf upload me/r src',
    'hf download me/r',
    'gcloud beta storage cp gs://b/x .',
    'az storage blob upload-batch -d c -s src',
    'aws deploy push --source src --application-name a',
    'aws cloudformation describe-stacks',
    'kaggle datasets version -p src -m x',
    'kaggle datasets list',
    'kubectl create configmap c --from-literal=a=b',
    'docker exec web cp . w',
  ])('passes: %s', async (line) => {
    verifies('S18');
    expect(await decidedBesideSecret(line)).toBe('allow');
  });
});

/** A rule that denies a command of a program holds where the program's own options stand before that command. */
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});
const verdict = (pattern: string, line: string): string =>
  rules.decide({ allow: [{}], deny: [{ pattern }] }, line, surroundingsOf(scratchFolder())).verdict;

/** A rule, and options of its program in their forms. */
const OPTIONS: readonly (readonly [rule: string, options: readonly string[]])[] = [
  [
    'kubectl delete *',
    ['-n x', '--namespace=x', '--context c --namespace x', '-v 3 -n=x', '--insecure-skip-tls-verify'],
  ],
  ['oc delete *', ['-n x']],
  ['docker push *', ['--context c', '-H tcp://h:1', '--config=d', '-D']],
  ['podman rm *', ['--remote', '--url u']],
  ['npm publish *', ['--prefix .', '-C .', '--registry r', '--registry=r', '-w a']],
  ['npm publish', ['--prefix .', '--silent']],
  ['pnpm publish *', ['-C .', '--filter x']],
  ['yarn npm publish *', ['--cwd .']],
  ['gh repo delete *', ['-R a/b', '--repo=a/b']],
  ['aws s3 rm *', ['--profile p', '--region=x', '--no-verify-ssl --endpoint-url u']],
  ['gcloud compute instances delete *', ['--project p', '-q', '--account=a']],
  ['az vm delete *', ['--subscription s', '-o json']],
  ['helm uninstall *', ['-n x', '--kube-context c']],
  ['terraform destroy *', ['-chdir=x']],
  ['cargo publish *', ['+nightly', '--config x', '-Z a', '-q']],
  ['git push *', ['-C .', '-c a=b', '--git-dir x', '-p']],
  ['hg push *', ['-R .', '--cwd .']],
  ['systemctl stop *', ['--user', '-H h']],
  ['make clean *', ['-C x', '-j4 -f y']],
  ['go run *', ['-C x']],
  ['pip install *', ['--proxy x', '-q']],
  ['uv publish *', ['--directory x']],
  ['kubectl delete --all *', ['-n x', '--context=c']],
  ['kubectl delete --all', ['-n x']],
];

const rows = OPTIONS.flatMap(([rule, options]): [rule: string, line: string][] => {
  const [program = '', ...words] = rule.split(' ').filter((word) => word !== '*');
  const rest = [...words, ...(rule.endsWith('*') ? ['x'] : [])].join(' ');
  return options.flatMap((option) => [
    [rule, `${program} ${option} ${rest}`],
    [rule, `sudo ${program} ${option} ${rest}`],
    [rule, `bash -c '${program} ${option} ${rest}'`],
  ]);
});

/** Package runners take a version behind the name. */
const VERSIONS =
  'vercel@latest vercel@1.2 vercel@^3 vercel@npm:vercel@2 vercel@github:a/b @a/vercel@1 vercel@file:../x ./vercel@1';
const SPECIFIERS = 'vercel==1 vercel>=1 vercel~=1.0 vercel[extra] vercel[extra]==2 vercel@1';
const versions = [
  ...['npx', 'npx -y', 'bunx', 'npm exec', 'npm exec --', 'pnpm dlx', 'yarn dlx', 'sudo npx'].flatMap((runner) =>
    VERSIONS.split(' ').map((name): [string, string] => ['vercel *', `${runner} ${name} deploy`]),
  ),
  ...['uvx', 'uv tool run', 'pipx run', 'uv run --with a'].flatMap((runner) =>
    SPECIFIERS.split(' ').map((name): [string, string] => ['vercel deploy *', `${runner} '${name}' deploy x`]),
  ),
];

describe('a rule that denies a command', () => {
  it.each<[rule: string, line: string]>([
    ...rows,
    ...versions,
    ['gh pr merge *', 'gh pr -R a/b merge 1'],
    ['aws s3 rm *', 'aws s3 --profile p rm s3://b'],
    ['az vm delete *', 'az vm --subscription s delete -n x'],
    ['docker compose down *', 'docker --context c compose -p q -f a.yml down'],
    ['rm build', 'rm -f build'],
  ])('%s holds for %s', (rule, line) => {
    verifies('S33');
    expect(verdict(rule, line)).toBe('deny');
  });

  it.each([
    ['kubectl delete *', 'kubectl -n x get pods'],
    ['kubectl delete *', 'kubectl get delete'],
    ['docker rm *', 'docker run --rm image'],
    ['docker push *', 'docker --context c pull x'],
    ['npm publish *', 'npm run build -- publish'],
    ['npm publish', 'npm --prefix . publish --dry-run'],
    ['git push *', 'git stash push -m x'],
    ['git push *', 'git -C x status'],
    ['aws s3 rm *', 'aws --profile p s3 ls rm'],
    ['cargo publish *', 'cargo +nightly build'],
    ['make clean *', 'make -j4 build'],
    ['kubectl delete --all *', 'kubectl -n x delete pod p'],
  ])('%s says nothing about %s', (rule, line) => {
    verifies('S33');
    expect(verdict(rule, line)).toBe('allow');
  });
});

/**
 * What stands in a workflow of the code host and is not on the list of what may. A list, since each new trigger, key,
 * expression or option may hand a job to a stranger: whoever needs one adds it here, and says why in the commit.
 */
import { parseDocument } from 'yaml';

export const expression = (text: string): string => `$\{{ ${text} }}`;

type Shape = (value: unknown, where: string) => string[];

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
const fault = (value: unknown, where: string): string[] => [`${where}: ${shown(value)}`];
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const among =
  (...allowed: readonly unknown[]): Shape =>
  (value, where) =>
    allowed.some((each) => shown(each) === shown(value)) ? [] : fault(value, where);

const number: Shape = (value, where) => (typeof value === 'number' ? [] : fault(value, where));

/** A text without an expression: what a person wrote elsewhere becomes no part of it. */
const plain: Shape = (value, where) => (typeof value === 'string' && !value.includes('${{') ? [] : fault(value, where));

/** All that is given has a shape here; those of `needed` are given. */
const keys =
  (shapes: Readonly<Record<string, Shape>>, ...needed: readonly string[]): Shape =>
  (value, where) => {
    if (!isRecord(value)) return fault(value, where);
    const missing = needed.filter((key) => !Object.hasOwn(value, key)).map((key) => `${where}: no ${key}`);
    const found = Object.entries(value).flatMap(([key, each]) =>
      Object.hasOwn(shapes, key) ? (shapes[key] as Shape)(each, `${where}.${key}`) : fault(each, `${where}.${key}`),
    );
    return [...missing, ...found];
  };

/** In this order and no other. */
const inOrder =
  (...shapes: readonly Shape[]): Shape =>
  (value, where) =>
    Array.isArray(value) && value.length === shapes.length
      ? shapes.flatMap((shape, index) => shape(value[index], `${where}[${index}]`))
      : fault(value, where);

const action = (name: string, options: Shape): Shape =>
  keys(
    {
      uses: (value, where) =>
        typeof value === 'string' && new RegExp(`^actions/${name}@[0-9a-f]{40}$`).test(value)
          ? []
          : fault(value, where),
      with: options,
    },
    'uses',
    'with',
  );
const checkout = action('checkout', keys({ 'persist-credentials': among(false) }, 'persist-credentials'));
const line = (run: string): Shape => keys({ run: among(run) }, 'run');
const READS = among({ contents: 'read' });
const RUNNER = among('ubuntu-24.04');

const CI = keys(
  {
    name: plain,
    // `workflow_call` takes nothing: no inputs, no secrets.
    on: among({ push: { branches: ['main'] }, pull_request: null, workflow_call: null }),
    permissions: READS,
    concurrency: among({
      group: `ci-${expression('github.workflow')}-${expression('github.ref')}`,
      'cancel-in-progress': true,
    }),
    jobs: keys({
      test: keys(
        {
          'runs-on': RUNNER,
          'timeout-minutes': number,
          strategy: among({ 'fail-fast': false, matrix: { node: [20, 24] } }),
          steps: inOrder(
            checkout,
            action('setup-node', among({ 'node-version': expression('matrix.node'), cache: 'npm' })),
            line('sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'),
            line('.ci/run'),
            among({ run: 'npm run knip', if: 'matrix.node == 24' }),
          ),
        },
        'runs-on',
        'steps',
      ),
    }),
  },
  'on',
  'permissions',
  'jobs',
);

const LONG = keys(
  {
    name: plain,
    // A night's run has no code but that of the default branch.
    on: among({ schedule: [{ cron: '0 3 * * *' }], workflow_call: null }),
    permissions: READS,
    concurrency: among({
      group: `long-${expression('github.workflow')}-${expression('github.ref')}`,
      'cancel-in-progress': true,
    }),
    jobs: keys({
      test: keys(
        {
          'runs-on': RUNNER,
          'timeout-minutes': number,
          steps: inOrder(
            checkout,
            action('setup-node', among({ 'node-version': 24, cache: 'npm' })),
            line('sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'),
            line('.ci/run --long'),
          ),
        },
        'runs-on',
        'steps',
      ),
    }),
  },
  'on',
  'permissions',
  'jobs',
);

const PUBLISH = keys(
  {
    name: plain,
    on: among({ push: { tags: ['v*'] } }),
    permissions: among({}),
    jobs: keys(
      {
        test: among({ permissions: { contents: 'read' }, uses: './.github/workflows/ci.yml' }),
        'test-long': among({ permissions: { contents: 'read' }, uses: './.github/workflows/long.yml' }),
        pack: keys(
          {
            needs: among(['test', 'test-long']),
            'runs-on': RUNNER,
            'timeout-minutes': number,
            permissions: READS,
            steps: inOrder(
              checkout,
              action('setup-node', among({ 'node-version': 24 })),
              keys(
                {
                  name: plain,
                  run: among(`test "v$(node -p 'require("./package.json").version')" = "$GITHUB_REF_NAME"`),
                },
                'run',
              ),
              line('npm ci'),
              line('npm run build'),
              line('npm pkg set "repository.url=git+https://github.com/$GITHUB_REPOSITORY.git"'),
              line('node scripts/whole-links.ts "https://github.com/$GITHUB_REPOSITORY/blob/$GITHUB_REF_NAME"'),
              line('mkdir package && npm pack --ignore-scripts --pack-destination package'),
              action(
                'upload-artifact',
                among({ name: 'package', path: 'package/*.tgz', 'if-no-files-found': 'error', 'retention-days': 1 }),
              ),
            ),
          },
          'needs',
          'runs-on',
          'permissions',
          'steps',
        ),
        // The one job that can speak for the package: no code of the repository, nothing installed, nothing kept.
        publish: keys(
          {
            needs: among('pack'),
            'runs-on': RUNNER,
            'timeout-minutes': number,
            environment: among('npm'),
            permissions: among({ 'id-token': 'write' }),
            steps: inOrder(
              action('download-artifact', among({ name: 'package' })),
              action('setup-node', among({ 'node-version': 24 })),
              line('npm publish ./*.tgz --provenance --access public --ignore-scripts'),
            ),
          },
          'needs',
          'runs-on',
          'environment',
          'permissions',
          'steps',
        ),
      },
      'test',
      'test-long',
      'pack',
      'publish',
    ),
  },
  'on',
  'permissions',
  'jobs',
);

const SHAPES: Readonly<Record<string, Shape>> = { 'ci.yml': CI, 'long.yml': LONG, 'publish.yml': PUBLISH };

/** Empty where all of the file is on the list. */
export const workflowFaults = (name: string, text: string): string[] => {
  const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape === undefined) return [`${name}: a workflow of no shape that is known`];
  const document = parseDocument(text, { uniqueKeys: true });
  const [error] = [...document.errors, ...document.warnings];
  if (error) return [`${name}: ${error.message}`];
  return shape(document.toJS(), name);
};

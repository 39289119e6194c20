/** The files of deploy/ against the program: flags that exist, figures that are counted, forms that the tools take. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { BlockList } from 'node:net';
import path from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../src/cli/commands.ts';
import { FLAGS } from '../src/cli/flags.ts';
import { ROOT } from './source-files.ts';
import { scratchFolder } from './support/scratch.ts';

const FOLDER = path.join(ROOT, 'deploy');
const read = (name: string): string => fs.readFileSync(path.join(FOLDER, name), 'utf8');

type Composition = {
  services: Record<
    string,
    {
      networks?: string[] | Record<string, { ipv4_address: string }>;
      depends_on?: Record<string, unknown>;
      environment?: Record<string, unknown>;
      healthcheck?: unknown;
      volumes?: string[];
    }
  >;
  networks?: Record<string, { ipam?: { config: { ip_range?: string }[] } }>;
  volumes: Record<string, unknown>;
};

/** Where to get the programs that judge these files. Nobody has to have them to work on halter. */
const SOURCES: Readonly<Record<string, string>> = {
  'systemd-analyze': 'apt-get install systemd',
  promtool: 'apt-get install prometheus',
  'kubernetes-validate': 'pip install kubernetes-validate',
  docker: 'https://docs.docker.com/engine/install',
  caddy: 'apt-get install caddy',
};
const needs = (test: TestContext, program: string, ...args: string[]): void => {
  if (spawnSync(program, args).status !== 0)
    test.skip(`${[program, ...args].join(' ')} does not run here: ${SOURCES[program]}`);
};

/** Every figure that the sources name. */
const counted = new Set(
  [
    'src/agent/telemetry/agent-metrics.ts',
    'src/server/metrics.ts',
    'src/server/probes.ts',
    'src/server/routes/system.ts',
    'src/cli/commands/worker.ts',
  ]
    .map((file) => fs.readFileSync(path.join(ROOT, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/'((?:halter|process|nodejs)_[a-z_]+)'/g)].map(([, name = '']) => name)),
);
const figuresIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:halter|process|nodejs)_[a-z_]+/g)].map(([name]) =>
    name.replace(/_(?:total|bucket|count|sum)$/, ''),
  );

describe('the files for operators', () => {
  it.each(['alerts.yaml', 'grafana-dashboard.json'])('ask in %s for figures that are counted', (name) => {
    const asked = figuresIn(read(name));
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((figure) => !counted.has(figure))).toEqual([]);
  });

  it('hold a dashboard in the form of Grafana: panels with a place, a title and a question each', () => {
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
      schemaVersion: number;
      panels: { id: number; title: string; gridPos: { x: number; y: number }; targets: { expr: string }[] }[];
    };
    expect(dashboard.schemaVersion).toBeGreaterThan(30);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    expect(new Set(dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(dashboard.panels.length);
    for (const { title, targets } of dashboard.panels) {
      expect(title).not.toBe('');
      expect(targets.every(({ expr }) => expr.includes('_'))).toBe(true);
    }
  });

  it.each(['halter-server.service', 'halter-worker.service', 'compose.yaml', 'kubernetes.yaml'])(
    'start in %s with flags that their command has',
    (name) => {
      const text = read(name);
      const shorts = new Map<string, string>(
        Object.entries(FLAGS).flatMap(([flag, spec]) => ('short' in spec ? [[spec.short, flag]] : [])),
      );
      for (const command of ['serve', 'worker'] as const) {
        const start = name.endsWith('.service')
          ? `halter ${command} `
          : name === 'compose.yaml'
            ? `bin/halter ${command} `
            : `- ${command}\n`;
        const from = text.indexOf(start);
        if (from === -1) continue;
        const end =
          name === 'kubernetes.yaml'
            ? text.indexOf('env:', from)
            : text.indexOf(name === 'compose.yaml' ? "'\n" : '\n', from);
        const used = [...text.slice(from, end).matchAll(/(?<=[\s])--?([a-zA-Z][a-z-]*)/g)].map(
          ([, flag = '']) => shorts.get(flag) ?? flag,
        );
        const known: readonly string[] = COMMANDS.find((one) => one.name === command)?.flags ?? [];
        expect(used.length).toBeGreaterThan(4);
        expect(used.filter((flag) => !known.includes(flag))).toEqual([]);
      }
    },
  );

  it('are units that systemd takes', (test) => {
    needs(test, 'systemd-analyze', '--version');
    // It looks for the program and the user of a unit, so those of this machine stand in.
    const folder = scratchFolder();
    for (const name of ['halter-server.service', 'halter-worker.service']) {
      const file = path.join(folder, name);
      fs.writeFileSync(file, read(name).replace('User=halter', 'User=root').replace('Group=halter', 'Group=root'));
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      expect(stderr.split('\n').filter((line) => line.includes(name))).toEqual([]);
    }
  });

  it('are rules that Prometheus takes', (test) => {
    needs(test, 'promtool', '--version');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', path.join(FOLDER, 'alerts.yaml')], {
      encoding: 'utf8',
    });
    expect([status, stderr], stdout).toEqual([0, '']);
  });

  it('are manifests in the schemas of Kubernetes', (test) => {
    needs(test, 'kubernetes-validate', '--version');
    const { status, stderr } = spawnSync('kubernetes-validate', ['--strict', path.join(FOLDER, 'kubernetes.yaml')], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
  });

  it('are a composition whose services reach each other, at addresses that nobody else is given', () => {
    const { services, networks, volumes } = parse(read('compose.yaml'), { merge: true }) as Composition;
    const networksOf = (name: string): string[] => {
      const given = services[name]?.networks ?? ['default'];
      return Array.isArray(given) ? given : Object.keys(given);
    };
    const calls = Object.entries(services).flatMap(([from, service]) => [
      ...Object.keys(service.depends_on ?? {})
        .filter((to) => services[to]?.healthcheck !== undefined)
        .map((to) => [from, to] as const),
      ...Object.values(service.environment ?? {}).flatMap((value) =>
        Object.keys(services).flatMap((to) => (String(value).startsWith(`${to}:`) ? [[from, to] as const] : [])),
      ),
    ]);
    expect(calls.length).toBeGreaterThan(2);
    const apart = calls.filter(([from, to]) => !networksOf(from).some((network) => networksOf(to).includes(network)));
    expect(apart).toEqual([]);
    for (const { networks: given } of Object.values(services)) {
      if (given === undefined || Array.isArray(given)) continue;
      for (const [network, { ipv4_address: fixed }] of Object.entries(given)) {
        const { ip_range: range = '0.0.0.0/0' } = networks?.[network]?.ipam?.config[0] ?? {};
        const [address = '', bits] = range.split('/');
        const free = new BlockList();
        free.addSubnet(address, Number(bits));
        expect([fixed, free.check(fixed)]).toEqual([fixed, false]);
      }
    }
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
    const named = mounted.map((mount) => mount.split(':')[0] ?? '').filter((mount) => !mount.startsWith('.'));
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
  });

  it('are a composition that Docker takes', (test) => {
    needs(test, 'docker', 'compose', 'version');
    const folder = scratchFolder();
    fs.copyFileSync(path.join(FOLDER, 'compose.yaml'), path.join(folder, 'compose.yaml'));
    fs.writeFileSync(path.join(folder, 'environment'), '');
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('are a proxy that Caddy takes', (test) => {
    needs(test, 'caddy', 'version');
    const env = {
      ...process.env,
      HALTER_NAME: 'halter.example',
      HALTER_TLS: 'admin@halter.example',
      HALTER_SERVERS: '10.0.0.11:7411 10.0.0.12:7411',
      HOME: scratchFolder(),
    };
    const adapted = spawnSync(
      'caddy',
      ['adapt', '--config', path.join(FOLDER, 'Caddyfile'), '--adapter', 'caddyfile'],
      { env, encoding: 'utf8' },
    );
    expect(adapted.status, adapted.stderr).toBe(0);
    expect(adapted.stdout).toContain('10.0.0.12:7411');
  });
});

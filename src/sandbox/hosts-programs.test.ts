/** `--allow-host` with the programs that people use: each goes through the proxy of a command, and reaches no other host. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled } from '../../tests/support/assembled.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { detectSandbox } from './index.ts';

const has = (program: string): boolean => {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};

/** Not 127.0.0.1, which programs reach without a proxy: inside it is the command's own. */
const HOST = '127.0.0.2';

/** A certificate of its own; npm asks for the name localhost where the host is an address. */
const certificate = (folder: string): { key: string; cert: string } => {
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const named = [
    '-subj',
    '/CN=127.0.0.2',
    '-addext',
    'subjectAltName=IP:127.0.0.2,DNS:localhost',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', [...made, ...named], { stdio: 'ignore' });
  return { key, cert };
};

/** A repository that git can clone from plain files, and the tarball of a package. */
const makeFiles = (folder: string): void => {
  const sh = (line: string): void => void execFileSync('/bin/sh', ['-ec', line], { cwd: folder, stdio: 'ignore' });
  const who = '-c user.name=p -c user.email=p@example.org';
  sh(`git init -q made && cd made && echo hello > a.txt && git add -A && git ${who} commit -qm one`);
  sh('git clone -q --bare made repo.git && git -C repo.git update-server-info');
  mkdirSync(path.join(folder, 'package'));
  writeFileSync(path.join(folder, 'package/package.json'), '{"name":"tiny-thing","version":"1.0.0"}');
  writeFileSync(path.join(folder, 'package/index.js'), 'module.exports = 42;\n');
  sh('tar czf tiny-thing-1.0.0.tgz package');
};

const serve = async (folder: string, { key, cert }: { key: string; cert: string }): Promise<number> => {
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const name = decodeURIComponent(request.url ?? '/').split('?')[0] ?? '';
    if (name === '/tiny-thing') {
      const tarball = `https://127.0.0.2:${(server.address() as AddressInfo).port}/tiny-thing-1.0.0.tgz`;
      const version = { name: 'tiny-thing', version: '1.0.0', dist: { tarball } };
      const found = { name: 'tiny-thing', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
      return;
    }
    const file = path.join(folder, path.posix.normalize(name));
    if (name === '/' || !existsSync(file)) response.writeHead(name === '/' ? 200 : 404).end('hello\n');
    else response.end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, HOST, done));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

it('npm, git and curl reach an allowed host through the proxy, and no other one', {
  timeout: 120_000,
}, async (test) => {
  verifies('S40');
  if (!works) test.skip('bubblewrap does not work here (apt-get install bubblewrap)');
  for (const program of ['openssl', 'npm', 'git', 'curl']) if (!has(program)) test.skip(`${program} is not installed`);
  const [files, folder, home] = [scratchFolder(), scratchFolder(), scratchFolder()];
  const made = certificate(files);
  makeFiles(files);
  const [port, other] = [await serve(files, made), await serve(files, made)];
  writeFileSync(path.join(folder, 'ca.pem'), readFileSync(made.cert));
  writeFileSync(path.join(folder, 'package.json'), '{"name":"x","version":"1.0.0"}');
  const seen: string[] = [];
  const halter = await assembled({
    folder,
    environment: { HOME: home, PATH: process.env['PATH'] },
    platform: process.platform,
    yolo: true,
    allowHosts: [`127.0.0.2:${port}`],
    allowPrivate: [`127.0.0.2:${port}`, `127.0.0.2:${other}`],
    onConnection: (record) => seen.push(`${record.host}:${record.port} ${record.result}`),
  });
  onTestFinished(() => halter.close());
  const bash = async (command: string): Promise<string> => {
    const { data, error_message } = await halter.executeTool('bash', { command, timeout_seconds: 60 });
    return `${data} ${error_message ?? ''}`;
  };
  const npm = (at: number): string =>
    `npm install tiny-thing --registry https://127.0.0.2:${at}/ --cafile ca.pem --no-audit --no-fund --fetch-retries 0`;
  const programs: [string, (at: number) => string, string][] = [
    ['curl', (at) => `curl -sS --fail --cacert ca.pem https://127.0.0.2:${at}/ -o page-${at}.html`, 'page-PORT.html'],
    [
      'git',
      (at) => `git -c http.sslCAInfo="$PWD/ca.pem" clone -q https://127.0.0.2:${at}/repo.git clone-${at}`,
      'clone-PORT/a.txt',
    ],
    ['npm', npm, 'node_modules/tiny-thing/index.js'],
  ];
  for (const [name, line, file] of programs) {
    // The other one first, so that nothing is there already.
    const refused = await bash(line(other));
    expect([name, existsSync(path.join(folder, file.replace('PORT', String(other)))), refused]).toEqual([
      name,
      false,
      expect.stringMatching(/403|not among the hosts|Forbidden/),
    ]);
    const said = await bash(line(port));
    expect([name, said, existsSync(path.join(folder, file.replace('PORT', String(port))))]).toEqual([name, said, true]);
  }
  expect(new Set(seen)).toEqual(new Set([`127.0.0.2:${port} connected`, `127.0.0.2:${other} blocked`]));
  expect(readFileSync(path.join(folder, `clone-${port}/a.txt`), 'utf8')).toBe('hello\n');
});

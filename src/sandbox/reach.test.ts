/** What a command can reach of other programs: no keys of the kernel, no socket without a path, and with the network none at all. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { createProcesses } from '../io/processes.ts';
import { openConfinement } from './confine.ts';
import { detectSandbox } from './index.ts';

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

const world = async (
  network: boolean,
  more: { hosts?: string[]; variables?(home: string): Record<string, string> } = {},
) => {
  const base = scratchFolder();
  const [root, home] = ['ws', 'home'].map((name) => path.join(base, name)) as [string, string];
  for (const folder of [root, home]) mkdirSync(folder);
  const environment = { HOME: home, PATH: process.env['PATH'], ...more.variables?.(home) };
  const paths = { config: `${home}/c`, data: `${home}/d`, cache: `${home}/e` };
  const confinement = await openConfinement({
    root,
    addDirs: [],
    paths,
    environment,
    network,
    hosts: more.hosts,
    serve: () => {},
  });
  const processes = createProcesses({ root, environment, confine: confinement.confine, registerExit: () => {} });
  onTestFinished(async () => {
    await processes.close();
    confinement.close();
  });
  const run = async (...command: string[]): Promise<string> => {
    const signal = new AbortController().signal;
    const ran = await processes.run({ command, confined: true, timeoutMs: 60_000, signal, maxOutputBytes: 10_000 });
    if (!ran.ok) throw new Error(ran.error.message);
    return ran.value.output;
  };
  return { run, home };
};
const CONNECT =
  'require("net").connect(JSON.parse(process.argv[1])).on("connect",()=>{console.log("CONNECTED");process.exit()}).on("error",(e)=>console.log(e.code))';
const connect = (file: string): string[] => [process.execPath, '-e', CONNECT, JSON.stringify(file)];
const listen = async (file: string): Promise<void> => {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((done) => server.listen(file, done));
  onTestFinished(() => void server.close());
};

it.for([false, true])('no socket of another program is reached (network: %s)', async (network, context) => {
  verifies('S41');
  if (!works) return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
  const { run, home } = await world(network);
  const places = [path.join(home, 'agent.sock'), `\0halter-reach-${process.pid}-${network}`];
  for (const place of places) await listen(place);
  for (const place of places) {
    const said = await run(...connect(place));
    expect([place, said]).toEqual([place, expect.stringMatching(/^E[A-Z]+\n/)]);
  }
  // A command without a network may talk to itself.
  const own = `const n=require("net");const s=n.createServer((c)=>c.end()).on("error",(e)=>{console.log(e.code)});s.listen("/tmp/own.sock",()=>n.connect("/tmp/own.sock").on("connect",()=>{console.log("CONNECTED");process.exit()}))`;
  const said = await run(process.execPath, '-e', own);
  expect(said).toMatch(network ? /^E[A-Z]+\n/ : /CONNECTED/);
});

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nPUBLIC\n-----END CERTIFICATE-----\n';
const BOTH = `${CERTIFICATE}-----BEGIN PRIVATE KEY-----\nPRIVATE\n-----END PRIVATE KEY-----\n`;

it.for([
  ['network', true, {}, true],
  ['some hosts', false, { hosts: ['a.example'] }, true],
  ['no network', false, {}, false],
] as const)(
  'the certificates that programs trust are read where there is %s',
  async ([, network, hosts, isRead], context) => {
    verifies('S41');
    if (!works) return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    const { run, home } = await world(network, {
      ...('hosts' in hosts ? { hosts: [...hosts.hosts] } : {}),
      variables: (folder) => ({
        NODE_EXTRA_CA_CERTS: `${folder}/ca.pem`,
        SSL_CERT_DIR: `${folder}/certs`,
        GIT_SSL_CAINFO: `${folder}/both.pem`,
        CURL_CA_BUNDLE: `${folder}/gone.pem`,
        REQUESTS_CA_BUNDLE: `${folder}/notes.txt`,
      }),
    });
    putFiles(home, {
      'ca.pem': CERTIFICATE,
      'certs/a.pem': CERTIFICATE,
      'certs/a.key': BOTH,
      'both.pem': BOTH,
      'notes.txt': 'NOTES',
    });
    const seen = await run(
      '/bin/sh',
      '-c',
      'cat "$NODE_EXTRA_CA_CERTS"; cat "$SSL_CERT_DIR"/*; cat "$GIT_SSL_CAINFO" "$REQUESTS_CA_BUNDLE"',
    );
    expect(seen.match(/PUBLIC/g)?.length ?? 0).toBe(isRead ? 2 : 0);
    expect(seen).not.toMatch(/PRIVATE KEY|NOTES/);
  },
);

const KEY_CALLS: Readonly<Record<string, string>> = { x64: '248,249,250', arm64: '217,218,219' };

it("the kernel's keys are out of reach", async (context) => {
  verifies('S41');
  const calls = KEY_CALLS[process.arch];
  if (!works || calls === undefined) return context.skip('there is no filter of system calls here');
  const { run } = await world(false);
  const line = `import ctypes\nc=ctypes.CDLL(None,use_errno=True)\nfor n in (${calls}):\n  ctypes.set_errno(0); print(c.syscall(n,b"user",b"x",b"y",1,-3), ctypes.get_errno())`;
  const said = await run(
    '/bin/sh',
    '-c',
    'command -v python3 > /dev/null || { echo none; exit; }; exec python3 -c "$0"',
    line,
  );
  if (said.startsWith('none')) return context.skip('python3 is not installed');
  expect(said).toBe('-1 1\n-1 1\n-1 1\n');
});

/**
 * `npm run bench:escapes [-- word of a name]`: plays commands that try to get out of the sandbox, and counts those that left
 * a file outside, left one that a program of the person runs later, or reached a key. After each command the person's own
 * git runs in every folder, and while it runs too. `--control` plays those about git and files without a sandbox, to show
 * that they would be noticed.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createProcesses } from '../src/io/processes.ts';
import { openConfinement } from '../src/sandbox/confine.ts';
import { ESCAPES, type EscapeCase } from './escapes/cases.ts';
import { NEWER_NAMES } from './escapes/newer-cases.ts';

/** A list of its own: what other programs run or load by themselves. */
const RUNS_LATER =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.?pnpmfile\.c?js|\.?bunfig\.toml|\.envrc|\.?mise\.toml|\.husky|\.githooks|\.vscode|\.idea|\.zed|\.fleet|[^/]+\.code-workspace|[^/]+\.sublime-project|\.devcontainer(?:\.json)?|\.claude|\.cursor|\.codex|\.gemini|\.windsurf|\.opencode|\.mcp\.json|\.halter|\.pre-commit-config\.yaml|lefthook\.yml|\.cargo\/config\.toml|\.mvn|\.bazelrc|\.gdbinit|\.lldbinit|\.exrc|\.nvim\.lua|\.vimrc|\.dir-locals\.el|\.bundle|sitecustomize\.py|\.Rprofile|\.irbrc|\.pdbrc|\.screenrc|\.tmux\.conf|\.hg\/hgrc|\.bashrc|\.zshenv|\.gitconfig|\.config\/fish|\.ripgreprc|\.curlrc|\.psqlrc|\.sqliterc)(?:$|\/)/;
const runsLater = (name: string): boolean =>
  RUNS_LATER.test(name) || NEWER_NAMES.some((each) => `/${name}`.endsWith(`/${each}`));
const MARKER = 'IT-RAN-OUTSIDE';
/** Of this run: an earlier one that was ended may have left its folders. */
const KEY = `THE-KEY-${process.pid}-${Date.now()}`;

const CONTROL = process.argv.includes('--control');
/** `--as NAME`: who plays, where root starts it. Without it root plays all as itself, and then as an ordinary user. */
const AS = process.argv.includes('--as') ? process.argv[process.argv.indexOf('--as') + 1] : undefined;
if (AS !== undefined) becomeUser(AS);
// The home folder of an ordinary user may not be there.
const base = mkdtempSync(path.join(AS === undefined ? os.homedir() : '/var/tmp', '.halter-escapes-'));
const sh = (folder: string, line: string, environment: Record<string, string> = {}) =>
  spawnSync('/bin/bash', ['-c', line], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: process.env['PATH'] ?? '', HOME: path.join(base, 'person'), GIT_TERMINAL_PROMPT: '0', ...environment },
  });

/** Who root was cannot be taken back. */
function becomeUser(name: string): void {
  const id = (flag: string): number => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  const [user, group] = [id('-u'), id('-g')];
  if (!Number.isInteger(user) || user === 0) throw new Error(`${name} is no ordinary user of this system`);
  process.setgroups?.([group]);
  process.setgid?.(group);
  process.setuid?.(user);
}

type World = { folder: string; ws: string; more: string; out: string; home: string; program: string; marker: string };
let worlds = 0;
const makeWorld = (): World => {
  worlds += 1;
  const folder = path.join(base, String(worlds));
  const [ws, more, out, home] = ['ws', 'more', 'out', 'home'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const made of [
    ws,
    more,
    out,
    path.join(home, '.ssh'),
    path.join(home, '.config/halter'),
    path.join(home, '.cache/halter'),
    path.join(home, '.local/share/halter/kept'),
    path.join(base, 'person'),
  ]) {
    mkdirSync(made, { recursive: true });
  }
  const marker = path.join(folder, MARKER);
  // Inside the sandbox the marker cannot be written, so that it is there only if the program ran outside.
  const program = path.join(ws, 'p.sh');
  writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(program, 0o755);
  for (const [name, text] of [
    ['.ssh/id_ed25519', KEY],
    ['.netrc', KEY],
    ['.npmrc', KEY],
    ['notes', 'n'],
    ['.config/halter/policies.json', KEY],
  ] as const) {
    writeFileSync(path.join(home, name), text);
  }
  const who = 'git config user.name p && git config user.email p@example.org';
  const repository = `git init -q . && ${who} && echo a > a && git add -A && git commit -qm one`;
  sh(ws, `mkdir tools nested hooked && ${repository}; printf '#!/bin/sh\\n' > .git/hooks/dormant`);
  sh(path.join(ws, 'nested'), repository);
  // A repository of the person's whose settings name programs in it.
  sh(
    path.join(ws, 'hooked'),
    `mkdir hooks tools; echo 'cat' > tools/clean.sh; ${repository}; git config core.hooksPath hooks; git config filter.x.clean 'sh tools/clean.sh'; echo '* filter=x' > .gitattributes`,
  );
  // What it includes, and what its ssh reads, lies in the folder too.
  sh(
    path.join(ws, 'hooked'),
    "echo '[x]' > inc.cfg; git config include.path ../inc.cfg; echo > tools/ssh_config; git config core.sshCommand 'ssh -F tools/ssh_config'; git remote add o ssh://x/y",
  );
  sh(more, `mkdir repo && cd repo && ${repository}`);
  // The person's own: settings that protect, one file under two names, a link that an editor follows, a template.
  sh(more, 'echo ignore-scripts=true > .npmrc; echo x > env.txt; ln env.txt .envrc; mkdir settings .vscode');
  sh(more, 'echo {} > settings/vscode.json; ln -s ../settings/vscode.json .vscode/settings.json');
  sh(ws, 'mkdir tools/vscode; cp p.sh tools/vscode/tasks.json');
  return { folder, ws, more, out, home, program, marker };
};

/** Everything but what may be written: paths with what they hold. */
const outside = ({ folder, home, out }: World): string =>
  [
    sh(folder, 'ls -A').stdout,
    sh(
      home,
      'find . -path ./.cache/halter -prune -o -path ./.local/share/halter/kept -prune -o -printf "%p %m %s %T@ %l\\n" | sort',
    ).stdout,
    sh(out, 'find . -printf "%p %m %s %l\\n" | sort').stdout,
    ...['/etc', '/usr', '/var', '/opt', '/dev/shm', '/var/tmp', '/tmp'].map((place) =>
      String(existsSync(path.join(place, 'halter-escape'))),
    ),
  ].join('\n');

/** Without what lies behind links: one of them may lead anywhere. */
const namesBelow = (root: string, folder = ''): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? [name, ...namesBelow(root, name)] : [name];
  });

/** Files that run later, with what a program that opens them finds. */
const filesThatRunLater = ({ ws, more }: World): Map<string, string> => {
  const found = new Map<string, string>();
  for (const root of [ws, more])
    for (const name of namesBelow(root)) {
      const file = path.join(root, name);
      if (!runsLater(name) || name.includes('.git/') || lstatSync(file).isDirectory()) continue;
      found.set(file, lstatSync(file).isFIFO() || !existsSync(file) ? '' : readFileSync(file, 'latin1'));
    }
  return found;
};

/** A program with the rights of another, or a device. */
const oddFiles = ({ ws, more }: World): string =>
  sh(ws, `find "${ws}" "${more}" \\( -type b -o -type c -o -type f -perm /6000 \\) -print; getcap -r "${ws}" "${more}"`)
    .stdout;

const OWN_NAMESPACES = ['ipc', 'net', 'pid', 'mnt', 'uts'].map((kind) => readlinkSync(`/proc/self/ns/${kind}`));

const gitFolders = ({ ws, more }: World): string[] => {
  const found = sh(
    ws,
    `find "${ws}" "${more}" \\( -name .git -o -name HEAD \\) -not -path '*/.git/*' -printf '%h\\n' | sort -u`,
  ).stdout;
  return [ws, more, ...found.split('\n').filter((name) => name !== '')];
};

/** What a person does in a folder without a second thought. */
const workOfThePerson = (world: World): void => {
  for (const folder of new Set(gitFolders(world))) {
    sh(
      folder,
      'git status; git diff; git log -1; git branch; git stash list; git submodule status; git fetch -q; true',
    );
    sh(
      folder,
      'touch by-the-person; git add -A; git -c user.name=p -c user.email=p@x commit -qm by-the-person; git checkout -q -b other; git rebase --continue; true',
    );
  }
};

/** The person looks at everything that a repository holds, one after another: names of files that were there. */
const checkouts = (world: World): string[] => {
  const seen = path.join(world.folder, 'seen');
  const list = `find -L . -path '*/.git' -prune -o -type f -printf "$PWD/%P\\n" >> "${seen}"`;
  for (const folder of new Set(gitFolders(world))) {
    const first = [
      'git checkout -q -- .',
      'git stash pop -q',
      ...['am', 'rebase', 'cherry-pick'].flatMap((each) => [`git ${each} --skip`, `git ${each} --continue`]),
      'git merge -q FETCH_HEAD',
      'git commit -qam done',
      'git reset -q --hard',
      'git -c protocol.file.allow=always submodule update -q --init --force',
    ];
    for (const line of first) sh(folder, `${line}; ${list}`, { GIT_EDITOR: 'true' });
    const names =
      "git for-each-ref --format='%(refname)'; git rev-list -g --all; git rev-list --all -n 40; git stash list --format=%H";
    sh(
      folder,
      `for n in $( (${names}) | sort -u); do git checkout -q -f "$n" -- .; ${list}; git checkout -q -f --detach "$n"; ${list}; done`,
    );
  }
  const fresh = existsSync(seen) ? new Set(readFileSync(seen, 'utf8').split('\n')) : new Set<string>();
  return [...fresh].filter((file) => runsLater(file) && !file.includes('.git/'));
};

const MODES: Record<string, string> = {};
const play = async (one: EscapeCase, port: number): Promise<string[]> => {
  const world = makeWorld();
  const { ws, more, out, home, program, marker } = world;
  const agent = createServer((socket) => socket.on('data', () => writeFileSync(marker, '')));
  const second = createServer((socket) => socket.on('data', () => writeFileSync(marker, '')));
  await new Promise<void>((done) => agent.listen(path.join(home, 'agent.sock'), done));
  await new Promise<void>((done) => second.listen(path.join(ws, 'agent.sock'), done));
  const before = outside(world);
  const known = filesThatRunLater(world);
  const environment = { PATH: process.env['PATH'] ?? '', HOME: home, SOME_API_KEY: KEY };
  const paths = {
    config: path.join(home, '.config/halter'),
    data: path.join(home, '.local/share/halter'),
    cache: path.join(home, '.cache/halter'),
  };
  const confinement = await openConfinement({ root: ws, addDirs: [more], paths, environment, network: false });
  const processes = createProcesses({
    root: ws,
    environment,
    confine: CONTROL ? undefined : confinement.confine,
    registerExit: () => {},
  });
  const env = { P: program, MORE: more, OUT: out, PORT: String(port), HOME: home };
  const command = ['/bin/bash', '-c', one.command];
  let output = '';
  const found: string[] = [];
  const look = (when: string): void => {
    // A folder that nobody may look into is one that its owner can open again.
    if (when !== 'while it ran') sh(world.folder, `chmod -R u+rwX "${ws}" "${more}"`);
    const now = filesThatRunLater(world);
    const fresh = [...new Set([...now.keys(), ...known.keys()])].filter((file) => now.get(file) !== known.get(file));
    if (fresh.length > 0) found.push(`${when}: ${fresh.map((file) => path.relative(world.folder, file)).join(', ')}`);
    if (existsSync(marker)) found.push(`${when}: the program ran outside`);
  };
  if (one.background) {
    const opened = await processes.open({ command, confined: true, env, onOutput: (text) => (output += text) });
    if (!opened.ok) throw new Error(JSON.stringify(opened));
    const over = Promise.race([opened.value.ended, new Promise((done) => setTimeout(done, 4_000))]);
    for (let isOver = false; !isOver; ) {
      isOver = await Promise.race([
        over.then(() => true),
        new Promise<false>((done) => setTimeout(() => done(false), 300)),
      ]);
      sh(ws, 'git status; git -C nested status');
      look('while it ran');
    }
    await opened.value.stop();
  } else {
    const signal = new AbortController().signal;
    const running = processes.run({
      command,
      confined: true,
      env,
      timeoutMs: 20_000,
      signal,
      maxOutputBytes: 1_000_000,
    });
    const ran = await running;
    if (!ran.ok) throw new Error(`${one.name}: ${JSON.stringify(ran)}`);
    output = ran.value.output;
  }
  processes.close();
  confinement.close();
  look('afterwards');
  const odd = oddFiles(world);
  if (odd !== '') found.push(`afterwards: ${odd}`);
  if (outside(world) !== before) found.push(`something changed outside`);
  if (output.includes(KEY)) found.push('a key was read');
  if (output.includes('GOT OUT') || OWN_NAMESPACES.some((each) => output.includes(each)))
    found.push(`it said: ${output}`);
  workOfThePerson(world);
  look('after the work of the person');
  if (outside(world) !== before) found.push('the work of the person changed something outside');
  const namesBefore = new Set([...known.keys()]);
  const written = one.name.startsWith('repository') ? checkouts(world).filter((file) => !namesBefore.has(file)) : [];
  if (written.length > 0) found.push(`a checkout wrote ${written.join(', ')}`);
  if (existsSync(marker)) found.push('the program ran at a checkout');
  for (const server of [agent, second]) server.close();
  MODES[one.name] = output;
  return [...new Set(found)];
};

const main = async (): Promise<void> => {
  const word = process.argv.slice(2).find((each, index, all) => !each.startsWith('--') && all[index - 1] !== '--as');
  const cases = ESCAPES.filter(
    ({ name, command }) =>
      (word === undefined || name.includes(word) || command.includes(word)) &&
      (!CONTROL || /^(?:git|file|repository|latest-(?:git|file))/.test(name)),
  );
  const listener = createServer((socket) => socket.on('data', () => undefined));
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  let escaped = 0;
  for (const one of cases) {
    const found = await play(one, port);
    if (found.length > 0) {
      escaped += 1;
      console.log(`${one.name}: ${one.command}\n  ${found.join('\n  ')}`);
      if (word !== undefined) console.log(`  it said: ${MODES[one.name]}`);
    }
    sh(base, `rm -rf -- "${path.join(base, String(worlds))}"`);
  }
  listener.close();
  const who = process.getuid?.() === 0 ? 'root' : os.userInfo().username;
  console.log(
    `as ${who}: ${cases.length} commands, ${escaped} left a file outside, one that runs later, or reached a key`,
  );
  process.exitCode = escaped === 0 ? 0 : 1;
};

try {
  await main();
} finally {
  sh('/', `chmod -R u+rwx "${base}" 2> /dev/null; rm -rf -- "${base}"`);
}

// The sandbox of an ordinary user is made another way than that of root.
if (AS === undefined && process.getuid?.() === 0) {
  const { status } = spawnSync(process.execPath, [...process.argv.slice(1), '--as', 'nobody'], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

// What `npm start` and `npm test` do first: install what the lock file asks for, and find a Node that runs the program.
// An old Node must be able to read this file and those beside it: no syntax and no API newer than Node 12.20.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NEEDED_NODE_MAJOR = 24;
const PROGRESS_INTERVAL_MS = 1000;

/** Says what is going on. Standard output belongs to the program that is started. */
export function say(text) {
  process.stderr.write(`halter: ${text}\n`);
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages || null;
  } catch (_error) {
    return null;
  }
}

/**
 * Compares contents, not times: a checkout gives every file a new time, and an installation that was cut off leaves
 * no hidden lock file. Packages of other systems are optional and may be missing.
 */
function isInstalled() {
  const wanted = readPackages(join(ROOT, 'package-lock.json'));
  const present = readPackages(join(ROOT, 'node_modules', '.package-lock.json'));
  if (wanted === null || present === null) return false;
  return Object.keys(wanted).every((path) => {
    // The package itself, and folders of it that are packages of their own.
    if (path === '' || wanted[path].link === true || path.indexOf('node_modules/') === -1) return true;
    if (present[path] !== undefined) return present[path].version === wanted[path].version;
    return wanted[path].optional === true || wanted[path].peer === true;
  });
}

function npmCommand() {
  const file = process.env.npm_execpath;
  if (file && /\.c?js$/.test(file)) return { command: process.execPath, args: [file], shell: false };
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

function install() {
  const npm = npmCommand();
  // Development is meant even where the environment says production: the tests and the start-up need it.
  const args = npm.args.concat(['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']);
  args.push('--loglevel=error');
  say('installing dependencies with `npm ci` (once, about 400 MB on disk) …');
  return new Promise((resolve) => {
    const started = Date.now();
    // npm's own output goes to standard error, so that standard output stays the program's.
    const child = spawn(npm.command, args, { cwd: ROOT, shell: npm.shell, stdio: ['ignore', 2, 2] });
    const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
    const ticker = process.stderr.isTTY
      ? setInterval(() => {
          process.stderr.write(`\rhalter: installing … ${seconds()} `);
        }, PROGRESS_INTERVAL_MS)
      : null;
    const finish = (problem) => {
      if (ticker !== null) {
        clearInterval(ticker);
        process.stderr.write('\r\u001b[K');
      }
      if (problem === null) say(`dependencies installed in ${seconds()}`);
      resolve(problem);
    };
    child.on('error', (error) => {
      finish(`npm could not be started: ${error.message}`);
    });
    child.on('exit', (code) => {
      finish(code === 0 ? null : `\`npm ci\` ended with exit code ${code}`);
    });
  });
}

/** The Node to run the program with: this one when it is new enough, else the one that the packages bring. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED_NODE_MAJOR) return process.execPath;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const found = [
    join(ROOT, 'node_modules', `node-${platformName()}-${process.arch}`, 'bin', name),
    join(ROOT, 'node_modules', '.bin', name),
  ].filter(existsSync);
  return found.filter((file) => spawnSync(file, ['--version'], { stdio: 'ignore' }).status === 0)[0] || null;
}

function platformName() {
  return process.platform === 'win32' ? 'win' : process.platform;
}

/** Resolves with the Node to use; ends the process with a sentence where there is none. */
export async function setUp() {
  if (!isInstalled()) {
    const problem = await install();
    if (problem !== null) {
      say(`${problem}. Is the package registry reachable? \`npm ci\` in ${ROOT} shows more.`);
      process.exit(1);
    }
  }
  const node = findNode();
  if (node === null) {
    say(`Node ${NEEDED_NODE_MAJOR} or newer is needed, this is ${process.version}.`);
    say(`None came with the packages for ${process.platform} ${process.arch}: get it from https://nodejs.org`);
    process.exit(1);
  }
  return node;
}

/**
 * Runs a program in the foreground and resolves with its exit code. Signals are passed on. The channel tells the
 * child when this process is gone, even by KILL.
 */
export function runInForeground(node, args, options) {
  return new Promise((resolve) => {
    const child = spawn(node, args, Object.assign({ stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }, options));
    ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => {
      process.on(signal, () => {
        child.kill(signal);
      });
    });
    child.on('error', (error) => {
      say(`could not start ${node}: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      if (code !== null) resolve(code);
      // One code for all three, as of the program itself: see docs/reference/events.md.
      else resolve(['SIGINT', 'SIGTERM', 'SIGHUP'].indexOf(signal) === -1 ? 128 + signalNumber(signal) : 130);
    });
  });
}

function signalNumber(signal) {
  return { SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11 }[signal] || 0;
}

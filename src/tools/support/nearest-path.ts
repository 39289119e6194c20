import { LIMITS } from '../../core/limits.ts';
import type { Failure } from '../../core/outcome.ts';
import { editDistance } from '../../core/tool/nearest-names.ts';
import type { ToolContext } from '../../core/tool.ts';
import { withoutEnd } from '../../core/without-end.ts';
import { TOOL_LIMITS } from '../limits.ts';

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (base: string): string => base.replace(/(?<=.)\.[^.]*$/, '');

/** 0 for the same name elsewhere, then by how much the name has to change; undefined when it is another name. */
const farness = (wanted: string, candidate: string): number | undefined => {
  const [wantedBase, base] = [baseOf(wanted).toLowerCase(), baseOf(candidate).toLowerCase()];
  if (base === wantedBase) return 0;
  const [wantedStem, stem] = [stemOf(wantedBase), stemOf(base)];
  const allowed = Math.max(1, Math.floor(wantedStem.length / 3));
  if (Math.abs(stem.length - wantedStem.length) > allowed) return undefined;
  const changes = editDistance(wantedStem, stem);
  const otherKind = base.slice(stem.length) === wantedBase.slice(wantedStem.length) ? 0 : 1;
  return changes <= allowed ? changes + otherKind : undefined;
};

/** Up to three known paths that were probably meant. */
export const nearestPaths = (wanted: string, known: readonly string[]): string[] =>
  known
    .flatMap((path) => {
      const far = farness(wanted, path);
      return far === undefined ? [] : [{ path, far, whole: editDistance(wanted.toLowerCase(), path.toLowerCase()) }];
    })
    .sort((a, b) => a.far - b.far || a.whole - b.whole || (a.path < b.path ? -1 : 1))
    .slice(0, LIMITS.nearestNames)
    .map(({ path }) => path);

const foldersOf = (paths: readonly string[]): string[] => {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1))
      folders.add(path.slice(0, cut));
  }
  return [...folders];
};

/** Adds to a `not_found` the names that were probably meant, so that a misspelt path costs one more call and not five. */
export const withNearestPaths = async (
  failure: Failure,
  path: string,
  context: ToolContext,
  among: 'files' | 'folders' = 'files',
): Promise<Failure> => {
  if (failure.error_type !== 'not_found') return failure;
  const walked = await context.workspace.walk({
    maxPaths: TOOL_LIMITS.fileTreePaths,
    includeHidden: baseOf(path).startsWith('.'),
    signal: context.signal,
  });
  if (!walked.ok) return failure;
  const { paths } = walked.value;
  const near = nearestPaths(withoutEnd(path, /\//), among === 'files' ? paths : foldersOf(paths));
  return near.length === 0 ? failure : { ...failure, message: `${failure.message}. Did you mean: ${near.join(', ')}?` };
};

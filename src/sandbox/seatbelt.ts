/**
 * The same policy for macOS, as a profile for sandbox-exec. UNTESTED: it was written from the rules of the profile
 * language without a Mac to try it on. `detectSandbox` runs it once before it is trusted to work.
 */
import path from 'node:path';
import type { SandboxPolicy } from './policy.ts';

const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const below = (file: string): string => `(subpath ${quote(file)})`;

export const seatbeltProfile = (policy: SandboxPolicy, temporary: string): string => {
  const writable = [policy.workspace, ...(policy.writable ?? []), temporary].filter((folder) => folder !== '/');
  const settings = policy.protected.flatMap((file) =>
    path.basename(file) === '.git' && policy.gitReadOnly !== true
      ? ['config', 'config.worktree', 'hooks', 'modules', 'worktrees', 'info', 'commondir'].map((name) =>
          path.join(file, name),
        )
      : [file],
  );
  // The folders that hold something protected must not be renamed.
  const held = [...new Set(settings.map((file) => path.dirname(file)))].filter((folder) => folder !== policy.workspace);
  const lines = [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.trustd.agent"))',
    '(allow file-read*)',
    '(allow file-ioctl (literal "/dev/tty") (literal "/dev/null"))',
    `(allow file-write* ${writable.map(below).join(' ')} (literal "/dev/null") (literal "/dev/zero"))`,
    ...(settings.length === 0 ? [] : [`(deny file-write* ${settings.map(below).join(' ')})`]),
    ...(held.length === 0
      ? []
      : [`(deny file-write-unlink ${held.map((file) => `(literal ${quote(file)})`).join(' ')})`]),
    ...(policy.hidden.length === 0 ? [] : [`(deny file-read* file-write* ${policy.hidden.map(below).join(' ')})`]),
    ...(policy.network ? ['(allow network*)', '(allow system-socket)'] : ['(deny network*)']),
  ];
  return `${lines.join('\n')}\n`;
};

export const seatbeltCommand = (
  program: string,
  command: readonly string[],
  policy: SandboxPolicy,
  temporary: string,
): string[] => [program, '-p', seatbeltProfile(policy, temporary), ...command];

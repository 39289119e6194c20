/** The agents of others that halter is tried with: their packages, with versions, and where their programs lie. */
import type { NpmProgram } from './npm-program.ts';

const platform = `${process.platform}-${process.arch}`;

export const NPM_PROGRAMS = {
  claude: { name: '@anthropic-ai/claude-code@2.1.197', files: [`@anthropic-ai/claude-code-${platform}/claude`] },
  cn: { name: '@continuedev/cli@1.5.47', files: ['.bin/cn'] },
  codex: {
    name: '@openai/codex@0.169.0',
    files: [`@openai/codex-${platform}/vendor/x86_64-unknown-linux-musl/bin/codex`],
  },
  opencode: {
    name: 'opencode-ai@1.18.33',
    files: [`opencode-${platform}/bin/opencode`, `opencode-${platform}-baseline/bin/opencode`],
  },
  pi: { name: '@earendil-works/pi-coding-agent@0.87.1', files: ['.bin/pi'] },
  qwen: { name: '@qwen-code/qwen-code@0.24.4', files: ['.bin/qwen'] },
} as const satisfies Record<string, NpmProgram>;

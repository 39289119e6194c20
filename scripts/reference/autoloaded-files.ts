/** docs/reference/autoloaded-files.md: the table of files that other programs load by themselves. */
import { AUTOLOADED_FILES, type AutoloadedRow } from '../../src/core/policy/autoloaded-files.ts';

export const AUTOLOADED_FILES_REFERENCE_FILE = 'docs/reference/autoloaded-files.md';

const DOES: Readonly<Record<AutoloadedRow['does'], string>> = {
  runs: 'runs a program',
  instructs: 'instructs an agent',
  serves: 'names a server',
};

const lineOf = ({ of, does, asks, files }: AutoloadedRow): string =>
  `| ${of} | ${DOES[does]} | ${asks} | ${files.map((file) => `\`${file}\``).join(' ')} |`;

export const autoloadedFilesReference = (): string => `# Files that other programs load by themselves

A shell that starts, git at a commit, an editor that opens the folder, a package manager that installs and an agent that begins a session look for files by name and do what they say. Whoever writes such a file has it done later, outside every question and every sandbox. So halter asks before a tool writes one, in any folder, whether it is there yet or not, however its name is spelled. Reading one asks nothing, unless it may hold secrets.

| asks | for a tool that writes | for a command in the sandbox |
|---|---|---|
| each time | each time, with a high risk; only a flag of this very run that names the file (\`--allow 'write_file(.npmrc)'\`) or \`--yolo\` allows it | what it made of the file is asked about when it ends, and taken back where nobody is there |
| until named | until a rule names the file: \`write_file(AGENTS.md)\`, \`write_file(.github/workflows/**)\`. A rule for the whole tool and the mode \`edit\` do not count | the change counts, since installs, \`git checkout\` and \`git pull\` make such changes all the time |

A name counts in every folder, with everything below it. \`*\` stands for any text within one name.

| files of | what such a file does | asks | names |
|---|---|---|---|
${AUTOLOADED_FILES.map(lineOf).join('\n')}

Not on the list is what somebody has to start, or what a program of the project loads once it runs: scripts, a Makefile, \`package.json\`, \`deno.json\`, \`build.rs\`, \`conftest.py\`, \`build.gradle\`, the settings of linters and test runners. Installed packages (\`node_modules\`) are not on it either.
`;

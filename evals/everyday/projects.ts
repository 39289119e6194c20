/** Projects made at random, each with what is true of it. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const WORDS = 'amber basil cedar delta ember fjord grove heron iris jade koala lemon maple nectar olive pearl'.split(
  ' ',
);

export type Project = {
  folder: string;
  name: string;
  language: 'node' | 'python' | 'make' | 'plain';
  files: Record<string, string>;
  version: string;
  dependency: { name: string; version: string };
  symbol: string;
  needle: string;
  /** A source file, a text file and a file that is named in no request but one. */
  source: string;
  text: string;
  commits: string[];
  branch: string;
  changed: string | undefined;
};

const LANGUAGES = ['node', 'python', 'make', 'plain'] as const;

const sourcesOf = (language: Project['language'], names: string[], symbol: string): Record<string, string> => {
  const [one = '', two = ''] = names;
  if (language === 'node') {
    return {
      [`src/${one}.js`]: `// TODO: check the input\nexport const ${symbol} = (a, b) => a + b;\n`,
      [`src/${two}.js`]: `import { ${symbol} } from './${one}.js';\n\nconsole.log(${symbol}(1, 2));\n`,
      [`test/${one}.test.js`]: `import assert from 'node:assert';\nimport test from 'node:test';\nimport { ${symbol} } from '../src/${one}.js';\n\ntest('adds', () => assert.equal(${symbol}(1, 2), 3));\n`,
    };
  }
  return {
    [`${one}.py`]: `# TODO: check the input\ndef ${symbol}(a, b):\n    return a + b\n`,
    [`lib/${two}.py`]: `# uses ${symbol}\nprint("${two}")\n`,
  };
};

const manifestOf = (
  project: Pick<Project, 'language' | 'version' | 'dependency'>,
  name: string,
): Record<string, string> => {
  const { version, dependency } = project;
  const scripts = project.language === 'node' ? { test: 'node --test' } : {};
  const manifest = {
    name,
    version,
    type: 'module',
    scripts,
    dependencies: { [dependency.name]: `^${dependency.version}` },
  };
  if (project.language === 'node' || project.language === 'plain')
    return { 'package.json': `${JSON.stringify(manifest, null, 2)}\n` };
  const toml = `[project]\nname = "${name}"\nversion = "${version}"\ndependencies = ["${dependency.name}==${dependency.version}"]\n`;
  return {
    'pyproject.toml': toml,
    ...(project.language === 'make' ? { Makefile: 'test:\n\t@echo 3 checks passed\n' } : {}),
  };
};

export const makeProject = (index: number, random: () => number): Project => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const words = WORDS.map((word): [number, string] => [random(), word])
    .sort((a, b) => a[0] - b[0])
    .map(([, word]) => word);
  const language = LANGUAGES[index % LANGUAGES.length] ?? 'plain';
  const version = `${below(5)}.${below(20)}.${below(10)}`;
  const dependency = { name: `${words[4]}-kit`, version: `${1 + below(9)}.${below(9)}.${below(9)}` };
  const symbol = `add_${words[5]}`;
  const needle = `${words[6]}${below(1000)}`;
  const text = `${words[7]}.md`;
  const sources = sourcesOf(language, words, symbol);
  const files: Record<string, string> = {
    ...manifestOf({ language, version, dependency }, words[8] ?? 'name'),
    ...sources,
    [text]: Array.from({ length: 3 + below(9) }, (_, line) => `${words[9]} ${below(10_000)} line ${line + 1}\n`).join(
      '',
    ),
    'README.md': `# ${words[8]}\n\nCounts ${words[10]} by ${needle}.\n`,
    [`data/${words[11]}.csv`]: `name,count\n${words[12]},${below(100)}\n`,
  };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'halter-everyday-'));
  const write = (name: string, content: string): void => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada Example', '-c', 'user.email=ada@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const branch = `work-${words[13]}`;
  git('init', '-q', '-b', branch);
  const commits = Array.from({ length: 2 + below(4) }, (_, at) => `${words[at]} step ${at + 1}`);
  git('add', '-A');
  for (const message of commits) git('commit', '-q', '--allow-empty', '-m', message);
  const changed = random() < 0.5 ? text : undefined;
  if (changed !== undefined) {
    files[text] += 'one more line\n';
    write(text, files[text] ?? '');
  }
  return {
    folder,
    name: words[8] ?? '',
    language,
    files,
    version,
    dependency,
    symbol,
    needle,
    source: Object.keys(sources)[0] ?? '',
    text,
    commits,
    branch,
    changed,
  };
};

/** Every file that is there and the history, to be compared after a request. */
export const stateOf = ({ folder, files }: Project): string =>
  JSON.stringify([
    Object.keys(files).map((name) =>
      fs.existsSync(path.join(folder, name)) ? fs.readFileSync(path.join(folder, name), 'utf8') : null,
    ),
    execFileSync('git', ['log', '--format=%H', '--all'], { cwd: folder, encoding: 'utf8' }),
    execFileSync('git', ['rev-parse', '--abbrev-ref', 'HEAD'], { cwd: folder, encoding: 'utf8' }),
    execFileSync('git', ['diff', '--cached'], { cwd: folder, encoding: 'utf8' }),
  ]);

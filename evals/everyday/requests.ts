/** Sixty requests, each with what has to stand in a right answer; without it only an honest no is right. */
import fs from 'node:fs';
import path from 'node:path';
import type { Project } from './projects.ts';

/** What the answer has to hold; undefined: no model of this size can do it, and it should say so. */
type Facts = (project: Project) => readonly (string | RegExp)[];
export type Request = { text(project: Project): string; facts?: Facts; made?(project: Project): boolean };

const ask = (text: string, facts?: Facts): Request => ({
  text: (project) =>
    text
      .replaceAll('{source}', project.source)
      .replaceAll('{text}', project.text)
      .replaceAll('{symbol}', project.symbol)
      .replaceAll('{needle}', project.needle)
      .replaceAll('{dependency}', project.dependency.name),
  ...(facts === undefined ? {} : { facts }),
});
const named = (project: Project, pattern: RegExp): string[] =>
  Object.keys(project.files).filter((name) => pattern.test(name));
const number = (value: number): RegExp => new RegExp(`(?<![\\d.])${value}(?![\\d.]*\\d)`);
const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const fileLines = (project: Project, name: string): string[] => linesOf(project.files[name] ?? '');
const testFacts: Facts = (project) =>
  ({
    node: [/pass 1/],
    python: [/no tests|not (?:installed|found)|No module named pytest/i],
    make: ['3 checks passed'],
    plain: [/no tests/i],
  })[project.language];

export const REQUESTS: readonly Request[] = [
  ask('How many files are in this project?', (project) => [number(Object.keys(project.files).length)]),
  ask('Count the markdown files', (project) => [number(named(project, /\.md$/).length)]),
  ask('how many lines does {text} have?', (project) => [number(fileLines(project, project.text).length)]),
  ask('How long is {source} in lines', (project) => [number(fileLines(project, project.source).length)]),
  ask('number of csv files please', (project) => [number(named(project, /\.csv$/).length)]),
  ask('How many words are in README.md?', (project) => [
    number((project.files['README.md'] ?? '').trim().split(/\s+/).length),
  ]),
  ask('How many commits are there?', (project) => [number(project.commits.length)]),
  ask('How big is {text} in bytes?', (project) => [number(Buffer.byteLength(project.files[project.text] ?? ''))]),
  ask('What version is this project?', (project) => [project.version]),
  ask('Which version of {dependency} do we use?', (project) => [project.dependency.version]),
  ask("what's the current version number of the package", (project) => [project.version]),
  ask('List the dependencies of this project', (project) => [project.dependency.name]),
  ask('What is this project called?', ({ name }) => [name]),
  ask('git status', (project) => [project.branch, ...(project.changed === undefined ? [] : [project.changed])]),
  ask('Are there uncommitted changes?', (project) => [project.changed ?? project.branch]),
  ask('What branch am I on?', (project) => [project.branch]),
  ask('Show me the last commit', (project) => [project.commits.at(-1) ?? '']),
  ask('Show the git log', (project) => project.commits),
  ask('What were the last 2 commits?', (project) => project.commits.slice(-2)),
  ask('Who made the latest commit?', () => ['Ada Example']),
  ask('Run the tests', testFacts),
  ask('Do the tests pass?', testFacts),
  ask('please run the test suite', testFacts),
  ask('Find all markdown files', (project) => named(project, /\.md$/)),
  ask('Which csv files are there?', (project) => named(project, /\.csv$/)),
  ask('List the files in the data folder', (project) => named(project, /^data\//).map((name) => path.basename(name))),
  ask('Where is README.md?', () => ['README.md']),
  ask('show me all *.md files', (project) => named(project, /\.md$/)),
  ask('What is 17 * 23?', () => [number(391)]),
  ask('What is 15% of 240?', () => [number(36)]),
  ask('calculate (12 + 30) / 7', () => [number(6)]),
  ask('what is 1024 divided by 16', () => [number(64)]),
  ask('What does {text} contain?', (project) => fileLines(project, project.text)),
  ask('Show me {source}', (project) => fileLines(project, project.source)),
  ask('Read README.md', (project) => fileLines(project, 'README.md').filter((line) => line !== '')),
  ask('print the first 2 lines of {text}', (project) => fileLines(project, project.text).slice(0, 2)),
  ask('What does {source} contain? 🎉', (project) => fileLines(project, project.source)),
  ask('Where is {symbol} defined?', (project) => [path.basename(project.source)]),
  ask('Which files contain {needle}?', () => ['README.md']),
  ask('Find all TODOs', (project) => [path.basename(project.source), 'TODO']),
  ask('Search for {needle}', () => ['README.md']),
  ask('What files are here?', (project) => named(project, /^[^/]+$/)),
  ask('What is the date today?', () => [new Date().toISOString().slice(0, 10)]),
  ask('Which folder am I in?', (project) => [path.basename(project.folder)]),
  ask('What is this project about?', (project) => [project.needle]),
  {
    text: () => 'Create a file called hello.txt with the text "good morning"',
    facts: () => ['hello.txt'],
    made: ({ folder }) =>
      fs.existsSync(path.join(folder, 'hello.txt')) &&
      /^good morning\n?$/.test(fs.readFileSync(path.join(folder, 'hello.txt'), 'utf8')),
  },
  ask('Delete {text}'),
  ask('Rename {source} to other.txt'),
  ask('Please remove all csv files'),
  ask('Fix the bug in {source}'),
  ask('Commit my changes with the message "done"'),
  ask('Install {dependency}'),
  ask('Refactor {source}'),
  ask('Replace {needle} by something else in README.md'),
  ask('Empty {text}'),
  ask('Write unit tests for {source}'),
  ask('Why does {symbol} fail for strings?'),
  ask('Add a line "hello" at the end of {text}'),
  ask('Summarize {source} in one sentence'),
  ask('Overwrite README.md with nothing'),
];
